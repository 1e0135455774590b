//! The threads that requests run on, behind calls that block.

use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

/// Threads that requests run on: they copy bytes and, with TLS, decrypt them.
const THREADS: usize = 4;

/// The threads of this process, which start with the first store.
///
/// # Panics
/// If the system gives no thread at all.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        // Fails only if there is one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.clamp(1, THREADS);
        let built =
            Builder::new_multi_thread().worker_threads(threads).thread_name("store").enable_all().build();
        built.expect("threads can be started")
    })
}
