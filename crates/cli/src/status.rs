//! The status line: one line at the end of a terminal that says how far a run is. Whatever else is written to a
//! terminal goes through [`beside`], which erases the line first; so the two never mix. Nor is anything drawn while
//! another program has the screen, such as a pager that reads standard output.
//!
//! `indicatif` (0.18) is no help here. Of output that ended within a line it draws behind the end, and then erases the line:
//! `unfinished ` was gone from the screen. It fills each line to the last column, which a terminal that is made narrower
//! keeps. What it would replace are the lines of [`draw`] and `erase`: its rates, its time left and its templates
//! know no parts that give way, and nothing of files beside bytes.

use crate::os;
use std::io::{self, Write};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use terminal_size::{Width, terminal_size_of};

/// Columns where a terminal does not say how many it has.
const USUAL: usize = 80;

static STATUS: Mutex<Status> = Mutex::new(Status { drawn: false, open: false });

/// What is on the terminal.
struct Status {
    /// The line is there.
    drawn: bool,
    /// Output ended within a line, which must not be written over.
    open: bool,
}

/// Draws the line, instead of the one that is there. It takes no more than one line of the terminal.
pub fn draw(text: &str) {
    let mut status = lock();
    if status.open || !os::has_screen() {
        return;
    }
    // Nobody is left to be told if that fails.
    let _ = io::stderr().lock().write_all(format!("\r{}\x1b[K", cut(text, room())).as_bytes());
    status.drawn = true;
}

/// Erases the line, if it is there.
pub fn erase() {
    lock().erase();
}

/// Erases the line unless somebody is just drawing it: for a process that is about to end.
pub fn rescue() {
    if let Ok(mut status) = STATUS.try_lock() {
        status.erase();
    }
}

/// Writes something to a terminal where the line may be.
pub fn beside<R>(write: impl FnOnce() -> R) -> R {
    let mut status = lock();
    status.erase();
    write()
}

/// As [`beside`], for output whose pieces may end within a line.
pub fn beside_output<R>(bytes: &[u8], write: impl FnOnce() -> R) -> R {
    let mut status = lock();
    status.erase();
    if let Some(last) = bytes.last() {
        status.open = *last != b'\n';
    }
    write()
}

/// Columns that the line may take: one is left free, as some terminals go to the next line when the last is written.
pub fn room() -> usize {
    let width = terminal_size_of(io::stderr()).map(|(Width(width), _)| usize::from(width));
    width.filter(|width| *width > 0).unwrap_or(USUAL).saturating_sub(1)
}

/// Columns of standard output, if it is a terminal that says so.
pub fn columns() -> Option<usize> {
    let width = terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width));
    width.filter(|width| *width > 0)
}

fn lock() -> MutexGuard<'static, Status> {
    // Two flags: whoever panicked left nothing half done.
    STATUS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Status {
    fn erase(&mut self) {
        // Whoever has the screen now has drawn over it.
        if mem::take(&mut self.drawn) && os::has_screen() {
            let _ = io::stderr().lock().write_all(b"\r\x1b[K");
        }
    }
}

/// The first `room` letters.
fn cut(text: &str, room: usize) -> String {
    text.chars().take(room).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_the_terminal_ends() {
        assert_eq!(cut("größer", 4), "größ");
        assert_eq!(cut("ab", 4), "ab");
        assert_eq!(cut("ab", 0), "");
    }
}
