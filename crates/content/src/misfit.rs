//! Settings that don't fit each other, or what they are used for.

use hashmill_terminal::Shown;
use std::fmt;

/// Settings that don't fit each other, or what they are used for.
#[derive(Clone)]
#[non_exhaustive]
pub enum Misfit {
    /// An output is a directory.
    Directory(Box<[u8]>),
    /// Images can't be read with this option.
    Images(NotOfImages),
    /// The memory is too little for the threads.
    Memory {
        /// The memory that was given, in bytes.
        bytes: usize,
        /// Number of threads.
        threads: usize,
        /// The least memory that these threads need, in bytes.
        least: usize,
    },
    /// This path or location can't be used here, and the reason.
    Place(Box<[u8]>, Box<str>),
    /// Two backing files have this file name.
    SameBacking(Box<[u8]>),
    /// Standard input can't be both the data and the list of paths.
    Stdin,
    /// This build was made without a part.
    LeftOut {
        /// The missing part, in the plural.
        what: &'static str,
        /// The feature that adds it.
        feature: &'static str,
    },
    /// Digests by this algorithm need a key that was not given.
    Key(&'static str),
}

/// Options for files that don't work for images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotOfImages {
    /// Resuming an interrupted run.
    Resume,
    /// Zeros in place of unreadable bytes.
    BadBlocks,
    /// Reading past the page cache.
    Direct,
    /// A time limit.
    Timeout,
    /// A limit of the rate.
    Rate,
}

impl Misfit {
    /// Returns why a path or location can't be used.
    pub fn of_place(path: impl Into<Box<[u8]>>, why: &str) -> Misfit {
        Misfit::Place(path.into(), why.into())
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Directory(path) => write!(f, "{}: is a directory", Shown(path)),
            Misfit::Images(what) => write!(f, "images can't be read with {}", what.words()),
            Misfit::Memory { bytes, threads, least } => {
                let least = least.div_ceil(1024);
                write!(f, "{bytes} bytes are too few: {threads} threads need at least {least}K")
            }
            Misfit::Place(path, why) => write!(f, "{}: {why}", Shown(path)),
            Misfit::SameBacking(name) => {
                let name = Shown(name);
                write!(f, "two backing files have the file name '{name}', by which those of layers are found")
            }
            Misfit::Stdin => f.write_str("standard input can't be both a path and the list"),
            Misfit::LeftOut { what, feature } => write!(f, "this build has no {what} (feature {feature})"),
            Misfit::Key(name) => write!(f, "{name} needs its key"),
        }
    }
}

impl NotOfImages {
    fn words(self) -> &'static str {
        match self {
            NotOfImages::Resume => "resumption",
            NotOfImages::BadBlocks => "zeros instead of bad blocks",
            NotOfImages::Direct => "direct I/O",
            NotOfImages::Timeout => "a time limit",
            NotOfImages::Rate => "a limit of the rate",
        }
    }
}

impl fmt::Debug for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Misfit({self})")
    }
}

impl std::error::Error for Misfit {}
