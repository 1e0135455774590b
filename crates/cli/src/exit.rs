//! Exit codes, and how several reasons become one.

use crate::os;
use crate::output::WriteError;
use hashloom_job::bagit::BagError;
use hashloom_job::{Error, File as Tried};
use hashloom_known::Why;
use std::sync::atomic::{AtomicU8, Ordering};

/// The worst that is known so far, by its rank: a command that ends before its end still says it.
static KNOWN: AtomicU8 = AtomicU8::new(0);

/// How a command ended. Of several, the worst counts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Every input was read, and all is as it should be.
    #[default]
    Fine = 0,
    /// Whoever read standard output went away before all was written: the process dies of SIGPIPE.
    ReaderGone = 141,
    /// Something differs from what a list says.
    Differs = 1,
    /// Some input could not be read or parsed, or the output could not be written; each was named.
    Failed = 2,
    /// The command line is wrong, or an input that everything depends on is not usable.
    Unusable = 64,
    /// A signal ended it; what was finished is kept.
    Interrupted = 130,
}

impl Exit {
    /// From the best to the worst. Their codes are no order: 141 is better than 1.
    const RANKS: [Exit; 6] =
        [Exit::Fine, Exit::ReaderGone, Exit::Differs, Exit::Failed, Exit::Unusable, Exit::Interrupted];

    fn rank(self) -> usize {
        Exit::RANKS.iter().position(|exit| *exit == self).unwrap_or_default()
    }

    /// Both happened.
    pub fn and(self, other: Exit) -> Exit {
        if other.rank() > self.rank() { other } else { self }
    }

    /// `self` if the condition holds, else all is fine. What holds is [`Exit::noted`].
    pub fn when(self, condition: bool) -> Exit {
        if condition { self.noted() } else { Exit::Fine }
    }

    /// From now on this is known, should the reader of standard output go away.
    pub fn noted(self) -> Exit {
        KNOWN.fetch_max(self.rank() as u8, Ordering::Relaxed);
        self
    }

    /// A reader of standard output went away; what is known to be worse counts.
    fn without_reader() -> Exit {
        let known = usize::from(KNOWN.load(Ordering::Relaxed));
        Exit::ReaderGone.and(Exit::RANKS.get(known).copied().unwrap_or_default())
    }

    /// The code to end the process with; or ends it by the signal that ends other filters whose reader went away.
    pub fn end(self) -> u8 {
        if self == Exit::ReaderGone {
            os::die_of(libc::SIGPIPE);
        }
        self as u8
    }

    /// What an error that ended a command means.
    pub fn of(error: &anyhow::Error) -> Exit {
        match error.downcast_ref::<Error>() {
            Some(Error::Known(error)) => return Exit::of_known(error),
            Some(Error::Write(error)) => return Exit::of_write(error),
            // Written a moment ago.
            Some(Error::Seal { .. }) => return Exit::Failed,
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

    /// An index that can't be read, or not be built from its inputs, is not usable; one that can't be written
    /// is an output that could not be.
    fn of_known(error: &hashloom_known::Error) -> Exit {
        match error.why {
            Why::Cancelled => Exit::Interrupted,
            _ if error.is_of_output() => Exit::Failed,
            _ => Exit::Unusable,
        }
    }
}

/// The exits of several inputs of a command, as one. An unusable input among others that were judged is one that could not be
/// read: it must not hide what the others came to.
#[derive(Debug, Default, Clone, Copy)]
pub struct OfInputs {
    worst: Exit,
    unusable: bool,
    judged: bool,
}

impl OfInputs {
    /// Takes the exit of one input.
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

    /// Returns the exit of all.
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
