//! Events that are reported while a bag is made or verified.

use crate::notice::Notice;
use hashmill_bag::Unsafe;
use hashmill_engine::Live;
use hashmill_source::{Problem, Skip};
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

/// A step of making or verifying a bag.
#[derive(Debug)]
pub enum BagEvent<'a> {
    /// Reading begins; the counters are updated from now on.
    Reading(&'a Arc<Live>),
    /// All files were read.
    AllRead,
    /// Copying of this many bytes begins.
    Copying(u64),
    /// On other systems another file of the payload has this name.
    Twin(&'a str),
    /// The first name with a percent sign, and the number of all: manifests have it encoded.
    Percent(&'a str, u64),
    /// An entry can't be stored in a bag, or can't be read.
    Refused(&'a [u8], &'a Refusal<'a>),
    /// A file of a bag could not be read.
    Failed(&'a hashmill_source::Error),
    /// A tag file of a bag could not be read.
    UnreadableTags(&'a Path, &'a io::Error),
    /// The unfinished changes of an interrupted run were undone in this folder.
    Undone(&'a Path),
    /// A notice for the user.
    Notice(Notice<'a>),
}

/// Receives events.
pub type BagObserver<'a> = dyn FnMut(BagEvent<'_>) + 'a;

/// The reason why an entry prevents a folder from becoming a bag.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal<'a> {
    /// It could not be read.
    Unread(&'a Problem),
    /// Manifests can't list this kind of file.
    Special(Skip),
    /// Its name is not UTF-8.
    NotUtf8,
    /// A bag can't contain this name.
    Name(Unsafe),
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Unread(problem) => problem.fmt(f),
            Refusal::Special(why) => write!(f, "a bag can't hold it: {}", why.reason()),
            Refusal::NotUtf8 => f.write_str("a bag can't hold it: its name is not UTF-8"),
            Refusal::Name(why) => write!(f, "a bag can't hold it: its name {why}"),
        }
    }
}
