//! Exit codes, and their combination.

use crate::output::WriteError;
use crate::sys;
use hashmill_job::bagit::BagError;
use hashmill_job::{Error, File as Tried};
use hashmill_known::Why;
use std::sync::atomic::{AtomicU8, Ordering};

/// The rank of the worst exit code so far: a command that ends early still returns it.
static KNOWN: AtomicU8 = AtomicU8::new(0);

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

    /// Returns `self` if the condition holds, else [`Exit::Fine`]. A condition that holds is [`Exit::noted`].
    pub fn when(self, condition: bool) -> Exit {
        if condition { self.noted() } else { Exit::Fine }
    }

    /// Remembers this exit code for the case that the reader of standard output closes it.
    pub fn noted(self) -> Exit {
        KNOWN.fetch_max(self.rank() as u8, Ordering::Relaxed);
        self
    }

    /// Returns the exit code after the reader of standard output closed it; a worse one that is known takes precedence.
    fn without_reader() -> Exit {
        let known = usize::from(KNOWN.load(Ordering::Relaxed));
        Exit::ReaderGone.and(Exit::RANKS.get(known).copied().unwrap_or_default())
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
            () if error.closed() => Exit::without_reader(),
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
            Exit::Unusable => {
                self.unusable = true;
                self.exit().noted();
            }
            exit => {
                self.judged = true;
                self.worst = self.worst.and(exit);
            }
        }
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
    fn the_worst_counts() {
        assert_eq!(Exit::ReaderGone.and(Exit::Differs), Exit::Differs);
        assert_eq!(Exit::Failed.and(Exit::ReaderGone), Exit::Failed);
        assert_eq!(Exit::Fine.and(Exit::ReaderGone), Exit::ReaderGone);
        assert_eq!(Exit::Interrupted.and(Exit::Unusable), Exit::Interrupted);
    }
}
