//! What a format is to the rest: its row.

use super::hint::Hint;
use super::reader::Reader;
use super::unusable::Unusable;
use super::writer::{Layout, Writer};
use std::io::Read;
use std::path::Path;

/// A file format: one row of [`super::FORMATS`].
pub struct Format {
    /// The name in options and messages: lower case.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// What it is, in a line.
    pub about: &'static str,
    /// How files of it usually end, after a dot: lower case.
    pub suffixes: &'static [&'static str],
    /// Which versions of its standard are read, and at the end the one that is written; empty where it has none.
    pub versions: &'static str,
    /// What of a record it can carry.
    pub carries: Carries,
    /// The only algorithms whose digests it can carry; empty if it can carry all.
    pub only: &'static [&'static str],
    /// The algorithms of which each record must have a digest: its writer refuses others.
    pub needs: &'static [&'static str],
    /// Its writer refuses records without a size, or without a digest of the header.
    pub full: bool,
    /// A line of it is a digest and anything else: lines of tables with digests pass for it, too.
    pub loose: bool,
    /// Where its paths start.
    pub base: Base,
    /// What the yes and no of `carries` do not say, for people.
    pub limits: &'static str,
    /// How its bytes are read and written.
    pub body: Body,
    /// How it is recognised.
    pub sniff: Sniff,
    /// Makes a reader of the format.
    pub reader: for<'a> fn(Box<dyn Read + 'a>, Hint) -> Box<dyn Reader + 'a>,
    /// Makes a writer, where hashloom writes the format.
    pub writer: Option<fn(Layout) -> Box<dyn Writer>>,
}

/// Opens a manifest by its path.
pub type OpenPath = fn(&Path) -> Result<Box<dyn Reader>, Unusable>;

/// Opens a list that names files, which are read for it.
pub type OpenNaming = for<'a> fn(Box<dyn Read + 'a>, &NamedFiles<'_>) -> Result<Box<dyn Reader>, Unusable>;

/// Where the files lie that a list names.
#[derive(Debug, Clone, Copy)]
pub enum NamedFiles<'a> {
    /// Nowhere: the list came through a pipe.
    Nowhere,
    /// In the folder of the list, or one above it.
    Below(&'a Path),
    /// As [`NamedFiles::Below`]; and the list was verified, so each of them is read from a copy that has the checksum in the
    /// list. Those without one are told of.
    Verified(&'a Path),
}

/// Where the paths of a list start.
#[derive(Debug, Clone, Copy)]
pub enum Base {
    /// Wherever its user is: the format doesn't say.
    Anywhere,
    /// In the folder of the list.
    Folder,
    /// In the folder above that of the list, where that has a name of this kind; else wherever its user is.
    Above(fn(&[u8]) -> bool),
    /// Nowhere: sets of known digests have no names, or those of files that lie elsewhere.
    Nowhere,
}

/// How the bytes of a format are read and written.
#[derive(Clone, Copy)]
pub enum Body {
    /// From front to back: what there is of a torn file can be read, and continued.
    Text,
    /// Written from front to back, but only a whole file can be read, and from any place in it.
    Whole(OpenPath),
    /// From front to back, and it names files that are read for it.
    Naming(OpenNaming),
    /// Read and written in its place: it needs a file, see [`Writer::place`].
    Database(OpenPath),
}

/// How a format is recognised in the first bytes of a file.
pub enum Sniff {
    /// The file starts in a way that no other format's does.
    Start(fn(&[u8]) -> bool),
    /// A line has a shape that no other format's has.
    Line(fn(&[u8]) -> bool),
    /// Either of them.
    Either(fn(&[u8]) -> bool, fn(&[u8]) -> bool),
}

/// The parts of a record that a format can carry. All writers carry path and digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carries {
    /// The size.
    pub size: bool,
    /// Records of pieces.
    pub pieces: bool,
    /// Records that are not hashed; the writers of formats that can't carry them leave them out.
    pub status: bool,
    /// Records of what is only stored, with their strength; the writers of other formats refuse them.
    pub stored: bool,
    /// Why they are not.
    pub reason: bool,
    /// The versions of objects; the writers of other formats leave them out.
    pub version: bool,
    /// The time of the last change.
    pub mtime: bool,
    /// Which algorithm each digest is of.
    pub algorithm: bool,
    /// Likeness digests; the writers of other formats refuse records that have some.
    pub likeness: bool,
    /// Digests in the form of a store of objects.
    pub styles: bool,
    /// The digests of leaves; the writers of other formats leave them out.
    pub leaves: bool,
    /// The parts of a file that could not be read.
    pub bad_blocks: bool,
    /// What sets of known digests say of a file; the writers of other formats leave it out.
    pub labels: bool,
    /// What is said of the whole run; the writers of other formats leave it out.
    pub case: bool,
}

impl Format {
    /// Returns whether its records are of files in their places.
    pub fn places_files(&self) -> bool {
        !matches!(self.base, Base::Nowhere)
    }

    /// Whether it can carry digests by the algorithm of this name.
    pub fn holds(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.contains(&name)
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
