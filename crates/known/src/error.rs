//! Errors of indexes, builds and inputs.

use crate::layout::VERSION;
use std::fmt::{self, Write as _};
use std::io;
use std::path::{Path, PathBuf};

/// An error of an index, a build or an input, with its file.
#[derive(Debug)]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: Why,
}

/// An error of a library that only builds with databases have.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a file can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Why {
    /// A failed operation of the system, and its error.
    Io(&'static str, io::Error),
    /// The file is not an index.
    NotAnIndex,
    /// The index has a version of the format that this build does not know.
    Version(u32),
    /// The index is truncated or altered; this part is damaged.
    Damaged(&'static str),
    /// There are more digests of one length than the format can count (2^32 - 1).
    TooMany,
    /// There are digests of more different lengths than the header has room for.
    TooManyLengths,
    /// No input has a digest.
    NoDigests,
    /// A digest list or manifest is not usable.
    List(hashmill_manifest::format::Unusable),
    /// A line is malformed, and lines are strict.
    Line(Box<hashmill_manifest::format::Malformed>),
    /// A table of known files lacks this column.
    Column {
        /// The table or file that lacks it.
        table: &'static str,
        /// The column.
        column: Box<str>,
    },
    /// The database is not an RDS: it lacks this table.
    Table(&'static str),
    /// The statement on this line is incomplete or not allowed in a delta.
    Statement(u64),
    /// The database can't be opened, or not exclusively.
    Database(Cause),
    /// SQLite can't read the database.
    Sqlite(Cause),
    /// The database has an item that the NSRL never uses: a trigger, a virtual table, a generated column.
    Foreign {
        /// The kind of item.
        kind: &'static str,
        /// The name of the item.
        name: Box<str>,
    },
    /// A view, a table or a statement does something that is never done in an RDS.
    Forbidden {
        /// Its name.
        what: Box<str>,
        /// The error of SQLite.
        source: Cause,
    },
    /// A view or a statement takes more steps, or returns more rows, than the size of the database justifies.
    Endless(Box<str>),
    /// A row is longer than any of an RDS.
    LongRow {
        /// Where the row is.
        what: Box<str>,
        /// The limit in bytes.
        most: usize,
    },
    /// Tables of products would take more memory than allowed.
    Tables {
        /// The limit in bytes.
        most: u64,
    },
    /// The members of an archive unpack to more bytes than allowed.
    Unpacks {
        /// The number of bytes that they claim to unpack to.
        bytes: u64,
        /// The limit in bytes.
        most: u64,
    },
    /// There is too little space to unpack a database.
    Space {
        /// The number of bytes needed.
        needed: u64,
        /// The number of free bytes.
        free: u64,
        /// The folder.
        folder: PathBuf,
    },
    /// The index was truncated while it was read.
    Shrunk,
    /// A `.zip` is not usable.
    #[cfg(feature = "archives")]
    Zip(hashmill_archive::Problem),
    /// An archive or a database is compressed once more.
    Nested,
    /// An archive or a database comes from a pipe, where it can't be read at any position.
    Pipe,
    /// A `.zip` has nothing to import.
    EmptyZip,
    /// The file does not match a published checksum.
    Checksum {
        /// The file with the checksum.
        stated_in: PathBuf,
        /// The algorithm of the checksum.
        algorithm: &'static str,
    },
    /// A delta has no database to apply it to.
    LoneDelta,
    /// The build, or the reading of an index, was cancelled.
    Cancelled,
    /// This build lacks a feature.
    Feature(&'static str),
}

impl Error {
    pub(crate) fn new(path: &Path, why: Why) -> Self {
        Error { path: path.to_path_buf(), why }
    }

    /// Returns whether it is about writing an index or its temporary files, not about an input.
    pub fn is_of_output(&self) -> bool {
        const DEEDS: [&str; 7] =
            ["create", "lock", "write", "read back", "sort", "describe", "start a thread"];
        match self.why {
            Why::Io(deed, _) => DEEDS.contains(&deed),
            Why::Space { .. } => true,
            _ => false,
        }
    }

    /// Adds the path and the operation to an error of the system.
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

/// Shows a path, which may come from an archive. Escapes control characters, which could affect a terminal.
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
                "is an index of version {found}, but this build reads version {VERSION} (use a newer hashmill)"
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
            Why::Database(source) => write!(f, "{source}"),
            Why::Sqlite(source) => write!(f, "{source}"),
            Why::Foreign { kind, name } => {
                write!(f, "has a {kind}, {}, which no RDS has", name.escape_debug())
            }
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
            Why::Shrunk => write!(f, "was truncated while it was read"),
            #[cfg(feature = "archives")]
            Why::Zip(source) => write!(f, "{source}"),
            Why::Nested => {
                write!(f, "has an archive, a database or another compressed file in it (unpack it first)")
            }
            Why::Pipe => {
                write!(f, "is an archive or a database, which is read from a file alone (save it first)")
            }
            Why::EmptyZip => write!(f, "has no member that can be imported"),
            Why::Checksum { stated_in, algorithm } => {
                write!(f, "does not have the {algorithm} that {} states", stated_in.display())
            }
            Why::LoneDelta => write!(f, "is a delta: name its database before it"),
            Why::Cancelled => write!(f, "was cancelled"),
            Why::Feature(name) => write!(f, "this build does not read such a file (feature {name})"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.why {
            // The messages of these errors are already included.
            Why::Io(_, source) => source.source(),
            Why::List(source) => source.source(),
            Why::Line(source) => source.source(),
            Why::Database(source) => source.source(),
            Why::Sqlite(source) | Why::Forbidden { source, .. } => source.source(),
            #[cfg(feature = "archives")]
            Why::Zip(source) => source.source(),
            _ => None,
        }
    }
}
