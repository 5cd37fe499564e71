//! The threads that work for the durable rooms: one runtime a process.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();

/// The runtime: a thread for timers and runners, and as many as are needed, for a while, for work that
/// waits for a disk. None where the system refuses a thread.
pub fn runtime() -> Option<&'static Handle> {
    RUNTIME
        .get_or_init(|| {
            Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("tenure")
                .enable_time()
                .build()
                .ok()
        })
        .as_ref()
        .map(Runtime::handle)
}

/// Does work that may wait on a thread that may.
#[cfg(not(feature = "shuttle"))]
pub fn spawn_blocking(work: impl FnOnce() + Send + 'static) {
    match runtime() {
        Some(runtime) => drop(runtime.spawn_blocking(work)),
        // Without threads the caller waits; that is all that is left.
        None => work(),
    }
}

/// An explored schedule knows only the threads that shuttle makes.
#[cfg(feature = "shuttle")]
pub fn spawn_blocking(work: impl FnOnce() + Send + 'static) {
    drop(shuttle::thread::spawn(work));
}
