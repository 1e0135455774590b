//! Exit codes, and how several reasons become one.

use crate::output::WriteError;
use std::process::ExitCode;

/// How a command ended. Of several, the greatest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Every input was read, and all is as it should be.
    Fine = 0,
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
    /// Both happened.
    pub fn and(self, other: Exit) -> Exit {
        self.max(other)
    }

    /// `self` if the condition holds, else all is fine.
    pub fn when(self, condition: bool) -> Exit {
        if condition { self } else { Exit::Fine }
    }

    /// What an error that ended a command means. A reader who went away is no error, as in other
    /// filters.
    pub fn of(error: &anyhow::Error) -> Exit {
        match error.downcast_ref::<WriteError>() {
            Some(error) if error.closed() => Exit::Fine,
            Some(_) => Exit::Failed,
            None => Exit::Unusable,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
