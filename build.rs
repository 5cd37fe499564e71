//! Tells the linker what a Node-API library needs; the core alone needs nothing.
fn main() {
    #[cfg(feature = "node")]
    {
        napi_build::setup();
        // A worker that alone loaded the addon unloads it at its end, under the threads of ours that
        // still run: the library stays.
        let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
        if target == "linux" {
            println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
        }
    }
}
