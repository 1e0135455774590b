//! The threads that requests run on, behind calls that block.

use std::process;
use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

/// The number of threads that requests run on: they copy bytes and, with TLS, decrypt them.
const THREADS: usize = 4;

/// The number of processes, each forked by the one before it, that may all use stores.
const GENERATIONS: usize = 64;

/// Returns the threads of this process, which start with the first store. A forked process does not inherit threads, so
/// it starts its own.
///
/// # Panics
/// If the system gives no thread at all, or after very many forks of forks.
pub(crate) fn runtime() -> &'static Runtime {
    // Slots are read without a lock: a process that another thread forked must not wait for one.
    static RUNTIMES: [OnceLock<(u32, Runtime)>; GENERATIONS] = [const { OnceLock::new() }; GENERATIONS];
    let here = process::id();
    let found = RUNTIMES.iter().find_map(|slot| {
        let (process, runtime) = slot.get_or_init(|| (here, start()));
        (*process == here).then_some(runtime)
    });
    found.expect("fewer generations of processes")
}

fn start() -> Runtime {
    // This fails only if a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.clamp(1, THREADS);
    let built = Builder::new_multi_thread().worker_threads(threads).thread_name("store").enable_all().build();
    built.expect("threads can be started")
}
