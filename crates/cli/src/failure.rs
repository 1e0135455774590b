//! The reasons why [`hash_file`](crate::hash_file) and the calls beside it don't give a result.

use hashmill_job::account::Account;
use hashmill_source::Skip;
use std::path::PathBuf;
use std::{error, fmt};

/// The reason why a file has no digest, or why a call ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// A file or folder could not be read, or a file changed meanwhile.
    Unreadable {
        /// The path of the file or folder.
        path: PathBuf,
        /// The reason, in words.
        why: Box<str>,
    },
    /// A file was left out, for example because its content lies in a cloud and would have to be downloaded.
    LeftOut {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        why: Skip,
    },
    /// The path does not name one file.
    NotOneFile(PathBuf),
    /// No algorithm was given.
    NoAlgorithm,
    /// The call can't begin, or ended early.
    Job(hashmill_job::Error),
    /// Not everything was read, and no other failure says so.
    Incomplete(Box<Account>),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Unreadable { path, why } => write!(f, "{}: {why}", path.display()),
            Failure::LeftOut { path, why } => write!(f, "{}: skipped: {}", path.display(), why.reason()),
            Failure::NotOneFile(path) => {
                write!(f, "{}: not a single file (hash_folder hashes folders)", path.display())
            }
            Failure::NoAlgorithm => f.write_str("no algorithm was given"),
            Failure::Job(error) => error.fmt(f),
            Failure::Incomplete(account) => {
                write!(f, "not everything could be read: {}", account.to_json())
            }
        }
    }
}

impl error::Error for Failure {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Failure::Job(error) => error.source(),
            _ => None,
        }
    }
}

impl From<hashmill_job::Error> for Failure {
    fn from(error: hashmill_job::Error) -> Failure {
        Failure::Job(error)
    }
}

impl From<hashmill_lists::Error> for Failure {
    fn from(error: hashmill_lists::Error) -> Failure {
        Failure::Job(error.into())
    }
}
