//! Errors of resuming an interrupted run.

use crate::shown::Shown;
use std::fmt;

/// An error of resuming an interrupted run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ResumeError {
    /// The interrupted run had other options.
    OtherOptions {
        /// The file of its records.
        partial: Box<[u8]>,
        /// The options of the interrupted run.
        was: Box<str>,
        /// The options of this run.
        is: Box<str>,
    },
    /// The run is still in progress; the file of its records.
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
