//! The program: the command of the library.

mod allocator;
#[cfg(unix)]
#[path = "sys/unix_start.rs"]
mod start;

use allocator::Noting;
use std::env;
use std::process::ExitCode;

/// musl's own allocator gives memory back and takes it again: a run over one small file has twice as many page faults.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: Noting<tikv_jemallocator::Jemalloc> = Noting(tikv_jemallocator::Jemalloc);

#[cfg(not(target_env = "musl"))]
#[global_allocator]
static ALLOCATOR: Noting<std::alloc::System> = Noting(std::alloc::System);

fn main() -> ExitCode {
    ExitCode::from(hashmill::command::run(env::args_os().collect(), env::current_exe().ok()))
}
