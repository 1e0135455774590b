//! Lines on standard error: `hashloom: path: what: why`.
//!
//! Names come from disks that others filled: nothing in them may move the cursor, ring the bell or
//! start a line of its own. A standard error that is gone is no reason to stop.

pub use hashloom_job::{Shown, count};

use crate::level::{is_quiet, is_verbose};
use crate::status;
use hashloom_job::manifest_writer::Refusal;
use hashloom_job::remote_hint;
use hashloom_terminal::without_numbers;
use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes one line, after the program's name. It stays one, whatever names are in it.
pub fn say(text: impl Display) {
    let text = text.to_string();
    write(&format!("hashloom: {}\n", Shown(without_numbers(&text).as_bytes())));
}

/// Says what is neither a difference nor an error: not with `-q`.
pub fn note(text: impl Display) {
    if !is_quiet() {
        say(text);
    }
}

/// Says what only some want to know: with `-v` alone.
pub fn detail(text: impl Display) {
    if is_verbose() {
        say(text);
    }
}

/// Writes one line about a path.
pub fn about(path: &[u8], what: impl Display) {
    say(format_args!("{}: {what}", Shown(path)));
}

/// Writes one line about an operand that is not there, and that no manifest names.
pub fn stranger(path: &[u8]) {
    let hint = remote_hint(path).map_or_else(String::new, |hint| format!("; {hint}"));
    about(path, format_args!("is not there, and no manifest names it{hint}"));
}

/// Writes text to standard error as it is.
pub fn write(text: &str) {
    // Nobody is left to be told.
    let _ = status::beside(|| io::stderr().lock().write_all(text.as_bytes()));
}

/// Writes one line about a record that a format can't carry.
pub fn refused(refusal: &Refusal<'_>) {
    say(refusal);
}
