//! What is told while a bag is made or verified.

use crate::notice::Notice;
use hashloom_bag::Unsafe;
use hashloom_engine::Live;
use hashloom_source::{Problem, Skip};
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

/// One step of making or verifying a bag.
#[derive(Debug)]
pub enum Event<'a> {
    /// Files are read from now on; counters go up.
    Reading(&'a Arc<Live>),
    /// They were read.
    AllRead,
    /// So many bytes are copied from now on.
    Copying(u64),
    /// Something that can't be in a bag, or not be read.
    Refused(&'a [u8], &'a Refusal<'a>),
    /// A file of a bag could not be read.
    Failed(&'a hashloom_source::Error),
    /// A tag file of a bag could not be read.
    UnreadableTags(&'a Path, &'a io::Error),
    /// What an interrupted run had begun was undone in this folder.
    Undone(&'a Path),
    /// Something that is worth a line.
    Notice(Notice<'a>),
}

/// Hears of events.
pub type Observer<'a> = dyn FnMut(Event<'_>) + 'a;

/// Why an entry keeps a folder from becoming a bag.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal<'a> {
    /// It could not be read.
    Unread(&'a Problem),
    /// Manifests have no line for it.
    Special(Skip),
    /// Its name is not UTF-8.
    NotUtf8,
    /// A bag can't hold its name.
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
