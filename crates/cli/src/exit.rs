//! Exit codes, and how several reasons become one.

use crate::output::WriteError;
use hashloom_known::Why;
use std::process::ExitCode;

/// How a command ended. Of several, the greatest counts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Every input was read, and all is as it should be.
    #[default]
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
        if let Some(error) = error.downcast_ref::<hashloom_known::Error>() {
            return Exit::of_known(error);
        }
        match error.downcast_ref::<WriteError>() {
            Some(error) if error.closed() => Exit::Fine,
            Some(_) => Exit::Failed,
            None => Exit::Unusable,
        }
    }
}

impl Exit {
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

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
