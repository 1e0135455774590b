//! Lines on standard error: `hashmill: path: what: why`.
//!
//! Names may come from untrusted disks, so they are escaped: they can't move the cursor, ring the bell or start a line.
//! A closed standard error does not stop the program, but is told by the exit code.

pub use hashmill_terminal::{Shown, ShownPath, count};

use super::level::{is_quiet, is_verbose};
use super::status;
use crate::access;
use hashmill_job::account::{Account, Item};
use hashmill_job::manifest_writer::Refusal;
use hashmill_terminal::without_numbers;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a message was lost because standard error is closed or full.
static IS_LOST: AtomicBool = AtomicBool::new(false);

/// Writes one line, after the program's name. It stays one line, whatever names are in it.
pub fn say(text: impl Display) {
    let text = text.to_string();
    write(&format!("hashmill: {}\n", Shown(without_numbers(&text).as_bytes())));
}

/// Writes a line that is neither a difference nor an error; nothing with `-q`.
pub fn note(text: impl Display) {
    if !is_quiet() {
        say(text);
    }
}

/// Writes a line of details, with `-v` only.
pub fn detail(text: impl Display) {
    if is_verbose() {
        say(text);
    }
}

/// Writes one line about a path.
pub fn about(path: &[u8], what: impl Display) {
    say(format_args!("{}: {what}", Shown(path)));
}

/// Writes one line about a path of the system.
pub fn about_path(path: &(impl AsRef<Path> + ?Sized), what: impl Display) {
    say(format_args!("{}: {what}", Shown::path(path)));
}

/// Writes one line about an operand that is not there, and that no manifest names.
pub fn stranger(path: &[u8]) {
    let hint = access::stores().remote_hint(path).map_or_else(String::new, |hint| format!("; {hint}"));
    about(path, format_args!("is not there, and no manifest names it{hint}"));
}

/// Writes text to standard error unchanged. A failure can't be reported there: the exit code tells it, unless the reader has
/// gone, who wants to know no more.
pub fn write(text: &str) {
    match status::beside(|| io::stderr().lock().write_all(text.as_bytes())) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => IS_LOST.store(true, Ordering::Relaxed),
        _ => {}
    }
}

/// Begins a command: what an earlier one could not say is over.
pub fn begin() {
    IS_LOST.store(false, Ordering::Relaxed);
}

/// Returns the account of messages that could not be written.
pub fn lost() -> Account {
    Account::failed(Item::Output, 1).when(IS_LOST.load(Ordering::Relaxed))
}

/// Writes one line about a record that a format can't carry.
pub fn refused(refusal: &Refusal<'_>) {
    say(refusal);
}
