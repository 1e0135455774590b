//! Streams on which a read may wait forever, such as standard input from a terminal, and a way to end such reads.

use crate::sys::{self, Alarm};
use std::fs::File;
use std::io::{self, Read};
use std::sync::OnceLock;

/// `None` if no descriptors are left for it: then reads can't be interrupted.
static ALARM: OnceLock<Option<Alarm>> = OnceLock::new();

/// Standard input, without a buffer. [`interrupt`] ends a read of it.
#[derive(Debug)]
pub struct Stdin(File);

/// Ends all current and future reads of streams with an error.
pub fn interrupt() {
    if let Some(alarm) = alarm() {
        alarm.ring();
    }
}

/// Waits until a stream has data or is at its end.
///
/// # Errors
/// If [`interrupt`] was called.
pub(crate) fn wait(stream: &File) -> io::Result<()> {
    let may_go_on = alarm().is_none_or(|alarm| alarm.wait(stream));
    if may_go_on { Ok(()) } else { Err(io::Error::other("interrupted")) }
}

fn alarm() -> Option<&'static Alarm> {
    ALARM.get_or_init(|| Alarm::new().ok()).as_ref()
}

impl Stdin {
    /// Opens standard input.
    ///
    /// # Errors
    /// If the process has no descriptor left.
    pub fn open() -> io::Result<Stdin> {
        sys::stdin().map(Stdin)
    }
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(&self.0)?;
        self.0.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::Arc;
    use std::thread;

    /// Returns a pipe, whose reading end is a file.
    fn pipe() -> (File, impl Write) {
        let (reader, writer) = io::pipe().unwrap();
        (sys::file_of_pipe(reader), writer)
    }

    #[test]
    fn a_read_that_waits_ends_when_the_alarm_rings() {
        let alarm = Arc::new(Alarm::new().unwrap());
        let (mut reader, mut writer) = pipe();
        writer.write_all(b"there").unwrap();
        assert!(alarm.wait(&reader));
        reader.read_exact(&mut [0; 5]).unwrap();
        let waiting = thread::spawn({
            let alarm = Arc::clone(&alarm);
            move || alarm.wait(&reader)
        });
        alarm.ring();
        // Nothing more is written, and the writer is open: without the alarm this waits forever.
        assert!(!waiting.join().unwrap());
        drop(writer);
    }

    #[test]
    fn the_end_of_a_stream_is_not_waited_for() {
        let (reader, writer) = pipe();
        drop(writer);
        assert!(Alarm::new().unwrap().wait(&reader));
    }
}
