//! The command line as it was typed.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A command line, and the program that it started.
struct CommandLine {
    words: Vec<OsString>,
    program: Option<PathBuf>,
}

static TYPED: OnceLock<CommandLine> = OnceLock::new();

/// Sets the command line and the path of the program. The first call counts.
pub fn set(words: Vec<OsString>, program: Option<PathBuf>) {
    let _ = TYPED.set(CommandLine { words, program });
}

/// Returns all words, the program's name first.
pub fn words() -> &'static [OsString] {
    &typed().words
}

/// Returns the path of the program, if it is known.
pub fn program() -> Option<&'static Path> {
    typed().program.as_deref()
}

fn typed() -> &'static CommandLine {
    TYPED.get_or_init(|| CommandLine { words: env::args_os().collect(), program: env::current_exe().ok() })
}
