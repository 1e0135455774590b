//! Exit codes, and their combination.

use crate::json::Results;
use crate::output::{Output, WriteError};
use crate::sys;
use hashmill_job::bagit::BagError;
use hashmill_job::{Error, File as Tried};
use hashmill_known::Why;
use std::{error, fmt};

/// The exit code of a command. Of several, the worst is used.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Every input was read, and nothing differs.
    #[default]
    Fine = 0,
    /// The reader of standard output closed it before everything was written: the process dies of SIGPIPE.
    ReaderGone = 141,
    /// Files are older than they may be, and nothing worse is known.
    Behind = 3,
    /// Something differs from a list.
    Differs = 1,
    /// Some input could not be read or parsed, or the output could not be written; each was named.
    Failed = 2,
    /// The command line is wrong, or an input that everything depends on is not usable.
    Unusable = 64,
    /// A signal ended the command; complete results are kept.
    Interrupted = 130,
}

impl Exit {
    /// All, from the best to the worst. The numbers are not in this order: 141 is better than 1.
    const RANKS: [Exit; 7] = [
        Exit::Fine,
        Exit::ReaderGone,
        Exit::Behind,
        Exit::Differs,
        Exit::Failed,
        Exit::Unusable,
        Exit::Interrupted,
    ];

    fn rank(self) -> usize {
        Exit::RANKS.iter().position(|exit| *exit == self).unwrap_or_default()
    }

    /// Returns the worse of the two.
    pub fn and(self, other: Exit) -> Exit {
        if other.rank() > self.rank() { other } else { self }
    }

    /// Returns `self` if the condition holds, else [`Exit::Fine`].
    pub fn when(self, condition: bool) -> Exit {
        if condition { self } else { Exit::Fine }
    }

    /// Replaces `self` by the worse of the two.
    pub fn add(&mut self, other: Exit) {
        *self = self.and(other);
    }

    /// Gives a result of writing this exit code, which is known by then: if the reader of standard output closed it, the
    /// command still ends with it.
    ///
    /// # Errors
    /// That of the result.
    pub fn carried_by<T>(self, done: Result<T, impl Into<anyhow::Error>>) -> anyhow::Result<T> {
        done.map_err(|error| {
            let error = error.into();
            if is_closed(&error) { Closed(self.and(Exit::from_error(&error))).into() } else { error }
        })
    }

    /// Returns the code of the process; or ends the process by SIGPIPE, like other filters whose reader has gone.
    pub fn end(self) -> u8 {
        if self == Exit::ReaderGone {
            sys::die_of_pipe();
        }
        self as u8
    }

    /// Returns the exit code of an error that ended a command.
    pub fn from_error(error: &anyhow::Error) -> Exit {
        if let Some(Closed(exit)) = error.downcast_ref() {
            return *exit;
        }
        match error.downcast_ref::<Error>() {
            Some(Error::Known(error)) => return Exit::of_known(error),
            Some(Error::Write(error)) => return Exit::of_write(error),
            // The error concerns a file that was just written.
            Some(Error::Seal { .. }) => return Exit::Failed,
            // All that was told is kept.
            #[cfg(feature = "tables")]
            Some(Error::State(error)) if error.is_of_system() => return Exit::Failed,
            Some(Error::Bag(BagError::NotUndone { .. })) => return Exit::Failed,
            Some(Error::File { tried: Tried::Write | Tried::Remove, .. }) => return Exit::Failed,
            _ => {}
        }
        error.downcast_ref::<WriteError>().map_or(Exit::Unusable, Exit::of_write)
    }
}

impl Exit {
    fn of_write(error: &WriteError) -> Exit {
        match () {
            () if error.closed() => Exit::ReaderGone,
            () if error.is_refused() => Exit::Unusable,
            () => Exit::Failed,
        }
    }

    /// Returns the exit code of an error of an index. One that can't be read, or be built from its inputs, is unusable;
    /// one that can't be written is a failed output.
    fn of_known(error: &hashmill_known::Error) -> Exit {
        match error.why {
            Why::Cancelled => Exit::Interrupted,
            _ if error.is_of_output() => Exit::Failed,
            _ => Exit::Unusable,
        }
    }
}

/// The reader of standard output closed it; with the exit code of what was known by then.
#[derive(Debug)]
struct Closed(Exit);

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reader of standard output closed it")
    }
}

impl error::Error for Closed {}

/// Returns whether the reader of standard output has closed it: then nobody would read a message.
pub fn is_closed(error: &anyhow::Error) -> bool {
    let write = match error.downcast_ref::<Error>() {
        Some(Error::Write(error)) => Some(error),
        _ => error.downcast_ref::<WriteError>(),
    };
    error.is::<Closed>() || write.is_some_and(WriteError::closed)
}

/// The combined exit code of several inputs. If other inputs were judged, an unusable one counts as unreadable: it must
/// not hide the results of the others.
#[derive(Debug, Default, Clone, Copy)]
pub struct OfInputs {
    worst: Exit,
    unusable: bool,
    judged: bool,
}

impl OfInputs {
    /// Adds the exit code of one input.
    pub fn take(&mut self, exit: Exit) {
        match exit {
            Exit::Unusable => self.unusable = true,
            exit => {
                self.judged = true;
                self.worst = self.worst.and(exit);
            }
        }
    }

    /// Ends the results and their output, and returns the combined exit code.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn end(self, output: &Output, results: Results) -> anyhow::Result<Exit> {
        self.exit().carried_by(results.end())?;
        self.exit().carried_by(output.finish())?;
        Ok(self.exit())
    }

    /// Returns the combined exit code.
    pub fn exit(self) -> Exit {
        match (self.unusable, self.judged) {
            (true, true) => self.worst.and(Exit::Failed),
            (true, false) => Exit::Unusable,
            (false, _) => self.worst,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn an_unusable_input_hides_no_other() {
        let of = |exits: &[Exit]| {
            let mut all = OfInputs::default();
            exits.iter().for_each(|exit| all.take(*exit));
            all.exit()
        };
        assert_eq!(of(&[]), Exit::Fine);
        assert_eq!(of(&[Exit::Differs, Exit::Fine]), Exit::Differs);
        assert_eq!(of(&[Exit::Unusable, Exit::Unusable]), Exit::Unusable);
        assert_eq!(of(&[Exit::Unusable, Exit::Fine]), Exit::Failed);
        assert_eq!(of(&[Exit::Differs, Exit::Unusable]), Exit::Failed);
        assert_eq!(of(&[Exit::Unusable, Exit::Interrupted]), Exit::Interrupted);
    }

    #[test]
    fn what_is_known_counts_when_the_reader_has_gone() {
        let closed = || WriteError::of_stream("standard output", io::ErrorKind::BrokenPipe.into());
        let ends = |exits: &[Exit]| {
            let one = |done: anyhow::Result<()>, exit: &Exit| exit.carried_by(done);
            let done = exits.iter().fold(Err(closed().into()), one);
            Exit::from_error(&done.unwrap_err())
        };
        assert_eq!(ends(&[]), Exit::ReaderGone);
        assert_eq!(ends(&[Exit::Fine]), Exit::ReaderGone);
        assert_eq!(ends(&[Exit::Differs, Exit::Fine]), Exit::Differs);
        assert_eq!(ends(&[Exit::Fine, Exit::Failed, Exit::Differs]), Exit::Failed);
        // Another error is not about the reader.
        let full = WriteError::of_stream("standard output", io::ErrorKind::StorageFull.into());
        let other = Exit::Differs.carried_by::<()>(Err(full)).unwrap_err();
        assert!(is_closed(&closed().into()) && !is_closed(&other));
        assert_eq!(Exit::from_error(&other), Exit::Failed);
        assert_eq!([Exit::Fine, Exit::Interrupted, Exit::ReaderGone].map(|exit| exit as u8), [0, 130, 141]);
    }

    #[test]
    fn the_worst_counts() {
        assert_eq!(Exit::ReaderGone.and(Exit::Differs), Exit::Differs);
        assert_eq!(Exit::Failed.and(Exit::ReaderGone), Exit::Failed);
        assert_eq!(Exit::Fine.and(Exit::ReaderGone), Exit::ReaderGone);
        assert_eq!(Exit::Interrupted.and(Exit::Unusable), Exit::Interrupted);
    }
}
