//! Errors of states.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// An error of a state, with its file.
#[derive(Debug)]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: Why,
}

/// The reason why a state can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Why {
    /// Another run uses it.
    Locked,
    /// It is a file of another kind.
    NotAState,
    /// It has a version of the format that this build does not know.
    Version(i64),
    /// Its tables are not those of a state.
    Schema,
    /// It is a link to a file that is not there.
    Dangling,
    /// A row is not one that this program writes.
    Row,
    /// Its rows are not those that were sealed: something else wrote to it.
    Altered,
    /// It has digests by these algorithms, not by those that were asked for.
    Algorithms(Box<str>),
    /// It is of other folders: those that it has.
    OtherTree(Vec<Box<[u8]>>),
    /// A folder that it has now lies elsewhere: the folder, where it was and where it is.
    Elsewhere(Box<[u8]>, Box<[u8]>, Box<[u8]>),
    /// The clock is behind the last run: times in seconds since 1970.
    Clock {
        /// The time of the last run.
        last: i64,
        /// The time now.
        now: i64,
    },
    /// It is not of this folder, so that nothing of it can have moved.
    NotMoved(Box<[u8]>),
    /// Files of it lie where others would move to.
    Occupied(Box<[u8]>),
    /// The disk is full.
    Full,
    /// The witness of its seals did not do its part.
    Witness(io::Error),
    /// SQLite can't read or write it.
    Sqlite(rusqlite::Error),
}

impl Error {
    /// Returns whether the state is right, but could not be written or read to its end.
    pub fn is_of_system(&self) -> bool {
        matches!(self.why, Why::Full | Why::Witness(_) | Why::Sqlite(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Locked => f.write_str("another run uses this state; wait until it has ended"),
            Why::NotAState => f.write_str("this file is no state of scrub; name another file, which is made"),
            Why::Version(version) => {
                write!(f, "this state has version {version} of its format, which this program does not know; use a newer one")
            }
            Why::Schema => f.write_str("the tables of this database are not those of a state"),
            Why::Dangling => f.write_str("this is a link to a file that is not there; name the file itself"),
            Why::NotMoved(root) => {
                write!(f, "this state is not of {}, which --moved-to is about", String::from_utf8_lossy(root))
            }
            Why::Occupied(path) => {
                write!(f, "this state has {} already, which is where --moved-to leads", String::from_utf8_lossy(path))
            }
            Why::Row => f.write_str("this state is damaged: it has a row that no run writes; go on with a copy of it"),
            Why::Altered => f.write_str(
                "this state was altered, or is damaged: its rows are not those that the last run sealed; go on with a copy of it",
            ),
            Why::Algorithms(names) => write!(f, "this state has digests by {names}; leave out -c, or begin another state"),
            Why::OtherTree(roots) => {
                write!(f, "this state is of other folders:")?;
                roots.iter().try_for_each(|root| write!(f, " {}", String::from_utf8_lossy(root)))?;
                write!(f, "; if one of them lies elsewhere now, name it as before and the new place with --moved-to; else begin another state")
            }
            Why::Elsewhere(root, was, is) => {
                let [root, was, is] = [root, was, is].map(|path| String::from_utf8_lossy(path));
                write!(f, "this state is of another folder: {root} was {was}, and is {is} now; name it from where it was named before, or, if its files were moved, the new place with --moved-to")
            }
            Why::Clock { last, now } => write!(
                f,
                "the clock is {} seconds behind the last run, so that no age is right; set it, or, if that run had the wrong time, \
                 correct its times with --clock-was-wrong",
                last.saturating_sub(*now)
            ),
            Why::Full => f.write_str("cannot write the state: the disk is full; what was written before is kept"),
            Why::Witness(error) => write!(f, "cannot sign the state, so nothing more is written to it: {error}"),
            Why::Sqlite(error) => write!(f, "cannot read or write the state: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<rusqlite::Error> for Why {
    fn from(error: rusqlite::Error) -> Why {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Why::Locked,
            Some(ErrorCode::NotADatabase) => Why::NotAState,
            Some(ErrorCode::DiskFull) => Why::Full,
            Some(ErrorCode::DatabaseCorrupt) => Why::Altered,
            _ => Why::Sqlite(error),
        }
    }
}
