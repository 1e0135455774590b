//! Lines on standard error: `hashloom: path: what: why`.
//!
//! Names come from disks that others filled: nothing in them may move the cursor, ring the bell or
//! start a line of its own. A standard error that is gone is no reason to stop.

pub use hashloom_job::{Shown, count};

use hashloom_job::manifest_writer::Refusal;
use indicatif::ProgressBar;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::OnceLock;

static BAR: OnceLock<ProgressBar> = OnceLock::new();

/// From now on lines are written above this bar.
pub fn above(bar: &ProgressBar) {
    // A process draws one bar; a second one would only mean that lines go above the first.
    let _ = BAR.set(bar.clone());
}

/// Writes one line, after the program's name. It stays one, whatever names are in it.
pub fn say(text: impl Display) {
    let line = format!("hashloom: {}\n", Shown(text.to_string().as_bytes()));
    match BAR.get() {
        Some(bar) => bar.suspend(|| write(&line)),
        None => write(&line),
    }
}

/// Writes one line about a path.
pub fn about(path: &[u8], what: impl Display) {
    say(format_args!("{}: {what}", Shown(path)));
}

/// Writes text to standard error as it is.
pub fn write(text: &str) {
    // Nobody is left to be told.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes one line about a record that a format can't carry.
pub fn refused(refusal: &Refusal<'_>) {
    say(refusal);
}
