//! The program: the command of the library.

use std::env;
use std::process::ExitCode;

/// musl's own allocator gives memory back and takes it again: a run over one small file has twice as many page faults.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    ExitCode::from(hashmill::command::run(env::args_os().collect(), env::current_exe().ok()))
}
