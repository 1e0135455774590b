//! The program: the command of the library.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(hashloom::command::run(env::args_os().collect(), env::current_exe().ok()))
}
