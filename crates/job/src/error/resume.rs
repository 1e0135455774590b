//! Why a run can't go on where an interrupted one stopped.

use crate::shown::Shown;
use std::fmt;

/// What an interrupted run left can't be resumed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ResumeError {
    /// It had other options.
    OtherOptions {
        /// Its records.
        partial: Box<[u8]>,
        /// Its options.
        was: Box<str>,
        /// The options of this run.
        is: Box<str>,
    },
    /// It is still going on: its records.
    Busy(Box<[u8]>),
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResumeError::OtherOptions { partial, was, is } => {
                let partial = Shown(partial);
                write!(
                    f,
                    "{partial}: can't go on: the interrupted run was '{was}', this one is '{is}'; without --resume it starts again"
                )
            }
            ResumeError::Busy(partial) => write!(f, "{}: another run is writing it", Shown(partial)),
        }
    }
}

impl std::error::Error for ResumeError {}
