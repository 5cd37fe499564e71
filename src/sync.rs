//! What threads meet at: the locks and atomics of the standard library. With the feature `shuttle` they
//! are those of shuttle, which decides at every one of them who goes on, so that a test can explore one
//! schedule after another and have each of them again.
//!
//! What redb calls while it holds locks of its own, the bytes of a disk above all, keeps to the standard
//! library: nobody else may go on there. So do numbers that are only counted up and never decide.

#[cfg(feature = "shuttle")]
pub use shuttle::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic,
};
#[cfg(not(feature = "shuttle"))]
pub use std::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic,
};

/// Hashes differently in every process, where the order of what is locked may follow from it.
#[cfg(not(feature = "shuttle"))]
pub type Scatter = hashbrown::DefaultHashBuilder;
/// Hashes alike in every process, so that a seed brings the same schedule again.
#[cfg(feature = "shuttle")]
pub type Scatter = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;

/// A static that is made when it is first asked for. Each explored schedule has one of its own.
#[cfg(not(feature = "shuttle"))]
pub struct Global<T: Sync + 'static>(std::sync::LazyLock<T>);

/// A static that is made when it is first asked for. Each explored schedule has one of its own.
#[cfg(feature = "shuttle")]
pub struct Global<T: Sync + 'static>(shuttle::lazy_static::Lazy<T>);

impl<T: Sync + 'static> Global<T> {
    /// What is to be made.
    pub const fn new(make: fn() -> T) -> Self {
        #[cfg(not(feature = "shuttle"))]
        return Self(std::sync::LazyLock::new(make));
        #[cfg(feature = "shuttle")]
        return Self(shuttle::lazy_static::Lazy::new(make));
    }

    /// What was made.
    pub fn get(&'static self) -> &'static T {
        #[cfg(not(feature = "shuttle"))]
        return &self.0;
        #[cfg(feature = "shuttle")]
        return self.0.get();
    }
}
