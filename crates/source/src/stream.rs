//! Streams on which a read may wait forever, such as standard input from a terminal, and a way to end such reads.

use crate::sys;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, OnceLock, PoisonError};

/// `None` if no descriptors are left for it: then reads can't be interrupted.
static ALARM: OnceLock<Option<Alarm>> = OnceLock::new();

/// Standard input, without a buffer. [`interrupt`] ends a read of it.
#[derive(Debug)]
pub struct Stdin(File);

/// A pipe whose writer is closed to wake all waiting threads.
#[derive(Debug)]
struct Alarm {
    reader: PipeReader,
    writer: Mutex<Option<PipeWriter>>,
}

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
pub(crate) fn wait(stream: BorrowedFd<'_>) -> io::Result<()> {
    alarm().map_or(Ok(()), |alarm| alarm.wait(stream))
}

fn alarm() -> Option<&'static Alarm> {
    ALARM.get_or_init(|| Alarm::new().ok()).as_ref()
}

impl Alarm {
    fn new() -> io::Result<Alarm> {
        let (reader, writer) = io::pipe()?;
        Ok(Alarm { reader, writer: Mutex::new(Some(writer)) })
    }

    fn ring(&self) {
        drop(self.writer.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn wait(&self, stream: BorrowedFd<'_>) -> io::Result<()> {
        match sys::wait_for([stream, self.reader.as_fd()]) {
            Ok([_, true]) => Err(io::Error::other("interrupted")),
            // A stream that can't be polled is read.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

impl Stdin {
    /// Opens standard input.
    ///
    /// # Errors
    /// If the process has no descriptor left.
    pub fn open() -> io::Result<Stdin> {
        Ok(Stdin(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
    }
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(self.0.as_fd())?;
        self.0.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn a_read_that_waits_ends_when_the_alarm_rings() {
        let alarm = Arc::new(Alarm::new().unwrap());
        let (mut reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"there").unwrap();
        alarm.wait(reader.as_fd()).unwrap();
        reader.read_exact(&mut [0; 5]).unwrap();
        let waiting = thread::spawn({
            let alarm = Arc::clone(&alarm);
            move || alarm.wait(reader.as_fd())
        });
        alarm.ring();
        // Nothing more is written, and the writer is open: without the alarm this waits forever.
        assert_eq!(waiting.join().unwrap().unwrap_err().to_string(), "interrupted");
        drop(writer);
    }

    #[test]
    fn the_end_of_a_stream_is_not_waited_for() {
        let (reader, writer) = io::pipe().unwrap();
        drop(writer);
        Alarm::new().unwrap().wait(reader.as_fd()).unwrap();
    }
}
