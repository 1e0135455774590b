//! Errors of indexes, builds and inputs.

use crate::layout::VERSION;
use std::fmt::{self, Write as _};
use std::io;
use std::path::{Path, PathBuf};

/// Why an index can't be used or built. Names the file.
#[derive(Debug)]
pub struct Error {
    /// Which file.
    pub path: PathBuf,
    /// What about it.
    pub why: Why,
}

/// What is wrong with a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Why {
    /// An operation of the system failed: which, and why.
    Io(&'static str, io::Error),
    /// Not an index at all.
    NotAnIndex,
    /// An index of a version of the format that this build does not know.
    Version(u32),
    /// The index is cut short or altered: this part of it is not what was written.
    Damaged(&'static str),
    /// More digests of one length than the format can count (2^32 - 1).
    TooMany,
    /// Digests of more different lengths than the header has room for.
    TooManyLengths,
    /// No digest in any input.
    NoDigests,
    /// A digest list or manifest that is not usable.
    List(hashloom_manifest::format::Unusable),
    /// A malformed line, where lines are strict.
    Line(Box<hashloom_manifest::format::Malformed>),
    /// A table of known files lacks this column.
    Column {
        /// The table or file that lacks it.
        table: &'static str,
        /// Its name.
        column: Box<str>,
    },
    /// A database that is no RDS: it lacks this table.
    Table(&'static str),
    /// A statement that a delta may not have, or that is cut short, at this line.
    Statement(u64),
    /// A database that can't be opened, or not alone.
    #[cfg(feature = "sqlite")]
    Database(hashloom_manifest::database::Error),
    /// A database that SQLite can't read.
    #[cfg(feature = "sqlite")]
    Sqlite(rusqlite::Error),
    /// A database whose pages contradict each other; the number is that of a page.
    Page(u32),
    /// A database with a thing that none of the NSRL has: a trigger, a virtual table, a generated column.
    Foreign {
        /// What kind of thing.
        kind: &'static str,
        /// Its name.
        name: Box<str>,
    },
    /// A view, a table or a statement that does what none of an RDS does.
    #[cfg(feature = "sqlite")]
    Forbidden {
        /// Which.
        what: Box<str>,
        /// What SQLite says of it.
        source: rusqlite::Error,
    },
    /// A view or a statement that takes more steps, or gives more rows, than the size of the database gives
    /// reason for.
    Endless(Box<str>),
    /// A row that is longer than any of an RDS.
    LongRow {
        /// Where it is.
        what: Box<str>,
        /// The most bytes.
        most: usize,
    },
    /// Tables of products, or the changes of deltas, that would take more than this many bytes of memory.
    Tables {
        /// The most bytes.
        most: u64,
    },
    /// A member of an archive that unpacks to more bytes than are allowed.
    Unpacks {
        /// What it says that it unpacks to.
        bytes: u64,
        /// The most.
        most: u64,
    },
    /// A database that can't be unpacked for want of room.
    Space {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// In this folder.
        folder: PathBuf,
    },
    /// An index that was cut short while it was read.
    Shrunk,
    /// A `.zip` that is not usable.
    Zip(zip::result::ZipError),
    /// A `.zip` in which nothing can be imported.
    EmptyZip,
    /// The file is not what a published checksum says.
    Checksum {
        /// Where the checksum stands.
        stated_in: PathBuf,
        /// The algorithm.
        algorithm: &'static str,
    },
    /// A delta without a database to apply it to.
    LoneDelta,
    /// The build, or the reading of an index, was told to end.
    Cancelled,
    /// This build was made without this feature.
    Feature(&'static str),
}

impl Error {
    pub(crate) fn new(path: &Path, why: Why) -> Self {
        Error { path: path.to_path_buf(), why }
    }

    /// Whether it is about writing an index or what is needed beside it, not about an input.
    pub fn is_of_output(&self) -> bool {
        const DEEDS: [&str; 7] =
            ["create", "lock", "write", "read back", "sort", "describe", "start a thread"];
        match self.why {
            Why::Io(deed, _) => DEEDS.contains(&deed),
            Why::Space { .. } => true,
            _ => false,
        }
    }

    /// Turns an error of the system into one that names the file and the deed.
    pub(crate) fn io(path: &Path, deed: &'static str) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::new(path, Why::Io(deed, source))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(&self.path, f)?;
        write!(f, ": {}", self.why)
    }
}

/// A path, which may come out of an archive: its control characters do not speak to a terminal.
fn show(path: &Path, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    path.to_string_lossy().chars().try_for_each(|letter| match letter {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            write!(f, "{}", letter.escape_unicode())
        }
        _ if letter.is_control() => write!(f, "{}", letter.escape_unicode()),
        _ => f.write_char(letter),
    })
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Io(deed, source) => write!(f, "cannot {deed}: {source}"),
            Why::NotAnIndex => write!(f, "is not an index of known digests"),
            Why::Version(found) if *found < VERSION => {
                write!(
                    f,
                    "is an index of version {found}, but this build reads version {VERSION} (build it again)"
                )
            }
            Why::Version(found) => write!(
                f,
                "is an index of version {found}, but this build reads version {VERSION} (use a newer hashloom)"
            ),
            Why::Damaged(part) => write!(f, "is damaged: {part} (build it again)"),
            Why::TooMany => write!(f, "would hold more than 4294967295 digests of one length"),
            Why::TooManyLengths => write!(f, "would hold digests of too many different lengths"),
            Why::NoDigests => write!(f, "would be empty: no input has a digest"),
            Why::List(source) => write!(f, "{source}"),
            Why::Line(source) => write!(f, "{source}"),
            Why::Column { table, column } => write!(f, "{table} has no column {column}"),
            Why::Table(table) => write!(f, "is not an RDS: it has no table {table}"),
            Why::Statement(line) => write!(f, "line {line}: not a statement that a delta may have"),
            #[cfg(feature = "sqlite")]
            Why::Database(source) => write!(f, "{source}"),
            #[cfg(feature = "sqlite")]
            Why::Sqlite(source) => write!(f, "{source}"),
            Why::Page(number) => write!(f, "database page {number} is damaged"),
            Why::Foreign { kind, name } => {
                write!(f, "has a {kind}, {}, which no RDS has", name.escape_debug())
            }
            #[cfg(feature = "sqlite")]
            Why::Forbidden { what, source } => {
                write!(f, "{} does something that nothing in an RDS does: {source}", what.escape_debug())
            }
            Why::Endless(what) => {
                write!(f, "{} takes longer than an RDS of this size should", what.escape_debug())
            }
            Why::LongRow { what, most } => {
                write!(f, "{} has a row of more than {most} bytes, which no RDS has", what.escape_debug())
            }
            Why::Tables { most } => {
                write!(f, "its products and changes take more than {most} bytes of memory")
            }
            Why::Unpacks { bytes, most } => {
                write!(f, "unpacks to {bytes} bytes, but only {most} are allowed")
            }
            Why::Space { needed, free, folder } => {
                let folder = folder.display();
                write!(f, "needs {needed} bytes in {folder} to be unpacked, but only {free} are free")
            }
            Why::Shrunk => write!(f, "was cut short while it was read"),
            Why::Zip(source) => write!(f, "{source}"),
            Why::EmptyZip => write!(f, "has no member that can be imported"),
            Why::Checksum { stated_in, algorithm } => {
                write!(f, "does not have the {algorithm} that {} states", stated_in.display())
            }
            Why::LoneDelta => write!(f, "is a delta: name its database before it"),
            Why::Cancelled => write!(f, "was ended before it was done"),
            Why::Feature(name) => write!(f, "this build does not read databases (feature {name})"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.why {
            // What was said of them is said already.
            Why::Io(_, source) => source.source(),
            Why::List(source) => source.source(),
            Why::Line(source) => source.source(),
            #[cfg(feature = "sqlite")]
            Why::Database(source) => source.source(),
            #[cfg(feature = "sqlite")]
            Why::Sqlite(source) | Why::Forbidden { source, .. } => source.source(),
            Why::Zip(source) => source.source(),
            _ => None,
        }
    }
}
