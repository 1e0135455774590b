//! The status: one line or a few at the end of a terminal that show the progress of a run. All other output to a terminal
//! goes through [`beside`], which erases them first, so the two never mix. Nothing is drawn while another program
//! uses the screen, such as a pager that reads standard output.
//!
//! `indicatif` (0.18) can't be used here. If output ended within a line, it draws behind its end, and then erases the
//! whole line: `unfinished ` disappeared from the screen. It fills each line to the last column, and the rest stays
//! when the terminal is made narrower. It would replace only the lines of [`draw`] and `erase`: its rates, remaining
//! time and templates can't leave out parts, and do not count files beside bytes.

use crate::sys;
use std::io::{self, Write};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use terminal_size::{Width, terminal_size_of};

/// The number of columns if the terminal does not say how many it has.
const USUAL: usize = 80;

static STATUS: Mutex<Status> = Mutex::new(Status { drawn: 0, open: false });

/// The state of the terminal.
struct Status {
    /// The number of lines that are drawn. The cursor is in the last of them.
    drawn: usize,
    /// Whether output ended within a line, which must not be overwritten.
    open: bool,
}

/// Draws lines, in place of the previous ones. Each takes no more than one line of the terminal.
pub fn draw(lines: &[String]) {
    let mut status = lock();
    if status.open || !sys::has_screen() {
        return;
    }
    let room = room();
    if status.drawn > lines.len() {
        status.erase();
    }
    // Over what was drawn: a line that is erased first flickers.
    let up = "\x1b[A".repeat(status.drawn.saturating_sub(1));
    let lines: Vec<String> = lines.iter().map(|line| format!("\r{}\x1b[K", cut(line, room))).collect();
    let text = format!("{up}{}", lines.join("\n"));
    // A failure can't be reported: standard error is the only place.
    let _ = io::stderr().lock().write_all(text.as_bytes());
    status.drawn = lines.len();
}

/// Erases the lines, if any are drawn.
pub fn erase() {
    lock().erase();
}

/// Erases the lines unless another thread is drawing it: for a process that is about to end.
pub fn rescue() {
    if let Ok(mut status) = STATUS.try_lock() {
        status.erase();
    }
}

/// Writes to a terminal on which the line may be drawn.
pub fn beside<R>(write: impl FnOnce() -> R) -> R {
    let mut status = lock();
    status.erase();
    write()
}

/// Writes like [`beside`], for output whose pieces may end within a line.
pub fn beside_output<R>(bytes: &[u8], write: impl FnOnce() -> R) -> R {
    let mut status = lock();
    status.erase();
    if let Some(last) = bytes.last() {
        status.open = *last != b'\n';
    }
    write()
}

/// Returns the columns that the line may take: one is left free, as some terminals wrap when the last one is written.
pub fn room() -> usize {
    let width = terminal_size_of(io::stderr()).map(|(Width(width), _)| usize::from(width));
    width.filter(|width| *width > 0).unwrap_or(USUAL).saturating_sub(1)
}

/// Returns the columns of standard output, if it is a terminal that says so.
pub fn columns() -> Option<usize> {
    let width = terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width));
    width.filter(|width| *width > 0)
}

fn lock() -> MutexGuard<'static, Status> {
    // Two flags: a thread that panicked left nothing half done.
    STATUS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Status {
    fn erase(&mut self) {
        // The program that uses the screen now has overwritten the lines.
        let drawn = mem::take(&mut self.drawn);
        if drawn > 0 && sys::has_screen() {
            let _ = io::stderr().lock().write_all(erasure(drawn).as_bytes());
        }
    }
}

/// Returns what erases so many lines, from the last to the first, and leaves the cursor where that began.
fn erasure(lines: usize) -> String {
    let above = "\x1b[A\r\x1b[K".repeat(lines.saturating_sub(1));
    format!("\r\x1b[K{above}")
}

/// Returns the first `room` characters.
fn cut(text: &str, room: usize) -> String {
    text.chars().take(room).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_erased_from_the_last_to_the_first() {
        assert_eq!(erasure(1), "\r\x1b[K");
        assert_eq!(erasure(3), "\r\x1b[K\x1b[A\r\x1b[K\x1b[A\r\x1b[K");
    }

    #[test]
    fn a_line_is_cut_where_the_terminal_ends() {
        assert_eq!(cut("größer", 4), "größ");
        assert_eq!(cut("ab", 4), "ab");
        assert_eq!(cut("ab", 0), "");
    }
}
