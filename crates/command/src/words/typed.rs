//! The command line as it was typed.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A command line, and the program that it started.
struct CommandLine {
    words: Vec<OsString>,
    program: Option<PathBuf>,
}

/// That of the command that runs. Each is leaked: a process runs few.
static TYPED: Mutex<Option<&CommandLine>> = Mutex::new(None);

/// Sets the command line and the path of the program.
pub fn set(words: Vec<OsString>, program: Option<PathBuf>) {
    let typed = Box::leak(Box::new(CommandLine { words, program }));
    *TYPED.lock().unwrap_or_else(PoisonError::into_inner) = Some(typed);
}

/// Returns all words, the program's name first.
pub fn words() -> &'static [OsString] {
    &typed().words
}

/// Returns whether this option is among the words, rather than set by a variable or a file.
pub fn has_option(long: &str) -> bool {
    let is_it = |word: &str| word.strip_prefix("--").is_some_and(|word| word.split('=').next() == Some(long));
    words().iter().filter_map(|word| word.to_str()).any(is_it)
}

/// Returns whether an option was typed, by its letter or by its long name.
pub fn has_either(letter: char, long: &str) -> bool {
    let is_it = |word: &str| word.strip_prefix('-').is_some_and(|word| word.starts_with(letter));
    has_option(long) || words().iter().filter_map(|word| word.to_str()).any(is_it)
}

/// Returns the path of the program, if it is known.
pub fn program() -> Option<&'static Path> {
    typed().program.as_deref()
}

fn typed() -> &'static CommandLine {
    let mut typed = TYPED.lock().unwrap_or_else(PoisonError::into_inner);
    let of_process = || CommandLine { words: env::args_os().collect(), program: env::current_exe().ok() };
    typed.get_or_insert_with(|| Box::leak(Box::new(of_process())))
}
