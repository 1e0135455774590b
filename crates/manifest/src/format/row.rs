//! The row of a format in the table of formats.

use super::reader::Reader;
use super::unusable::Unusable;
use super::values::hint::Hint;
use super::writer::{Layout, Writer};
use std::io::Read;
use std::path::Path;

/// A file format: one row of [`super::FORMATS`].
pub struct Format {
    /// The lower-case name in options and messages.
    pub name: &'static str,
    /// Alternative names.
    pub aliases: &'static [&'static str],
    /// A description of one line.
    pub about: &'static str,
    /// Usual file extensions in lower case, without the dot.
    pub suffixes: &'static [&'static str],
    /// The versions of its standard that are read, the last of which is written; empty if it has no versions.
    pub versions: &'static str,
    /// The parts of a record that it can carry.
    pub carries: Carries,
    /// The only algorithms that it can carry; empty if it can carry all.
    pub only: &'static [&'static str],
    /// The algorithms that every record must have; the writer refuses other records.
    pub needs: &'static [&'static str],
    /// Whether the writer refuses records without a size, or without a digest for every column.
    pub full: bool,
    /// Whether a line is a digest and anything else, so that lines of tables with digests also match.
    pub loose: bool,
    /// The starting point of its paths.
    pub base: Base,
    /// Checks that other files in the list's folder don't give its paths another meaning; it gets the list's first bytes.
    pub beside: fn(&[u8], &Path) -> Result<(), Unusable>,
    /// Limitations that `carries` does not express, for people.
    pub limits: &'static str,
    /// The way its bytes are read and written.
    pub body: Body,
    /// The way it is recognised.
    pub sniff: Sniff,
    /// Creates a reader.
    pub reader: for<'a> fn(Box<dyn Read + 'a>, Hint) -> Box<dyn Reader + 'a>,
    /// Creates a writer, if hashmill writes the format.
    pub writer: Option<fn(Layout) -> Box<dyn Writer>>,
}

/// Opens a manifest by its path.
pub type OpenPath = fn(&Path) -> Result<Box<dyn Reader>, Unusable>;

/// Opens a list that names other files, and reads these.
pub type OpenNaming = for<'a> fn(Box<dyn Read + 'a>, &NamedFiles<'_>) -> Result<Box<dyn Reader>, Unusable>;

/// The location of the files that a list names.
#[derive(Debug, Clone, Copy)]
pub enum NamedFiles<'a> {
    /// Unknown: the list came through a pipe.
    Nowhere,
    /// In the list's folder, or in one of its parents.
    Below(&'a Path),
    /// As [`NamedFiles::Below`] for a verified list: each file is read from a copy that has the checksum in the list.
    /// Files without a checksum are reported.
    Verified(&'a Path),
}

/// The starting point of a list's paths.
#[derive(Debug, Clone, Copy)]
pub enum Base {
    /// The user's working directory: the format doesn't define it.
    Anywhere,
    /// In the folder of the list.
    Folder,
    /// The parent of the list's folder if that folder's name matches; otherwise the user's working directory.
    Above(fn(&[u8]) -> bool),
    /// None: sets of known digests have no names, or those of files elsewhere.
    Nowhere,
}

/// The way the bytes of a format are read and written.
#[derive(Clone, Copy)]
pub enum Body {
    /// Sequentially; a truncated file can be read up to its end, and continued.
    Text,
    /// Written sequentially, but only a complete file can be read, with random access.
    Whole(OpenPath),
    /// Sequentially; it names other files, which are read, too.
    Naming(OpenNaming),
    /// Read and written in place: it needs a file, see [`Writer::place`].
    Database(OpenPath),
}

/// The way a format is recognised in the first bytes of a file.
pub enum Sniff {
    /// The start of the file is unique to the format.
    Start(fn(&[u8]) -> bool),
    /// The form of a line is unique to the format.
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
    /// Records that are not hashed; other writers omit them.
    pub status: bool,
    /// Records of stored objects, with their strength; other writers refuse them.
    pub stored: bool,
    /// The reason why a record is not hashed.
    pub reason: bool,
    /// The versions of objects; other writers omit them.
    pub version: bool,
    /// The time of the last modification.
    pub mtime: bool,
    /// The metadata that show whether a file changed; other writers omit them.
    pub metadata: bool,
    /// Facts about entries inside of other files, which it may not read back; other writers omit them.
    pub inside: bool,
    /// The algorithm of each digest.
    pub algorithm: bool,
    /// Likeness digests; other writers refuse records that have some.
    pub likeness: bool,
    /// Facts about content; other writers refuse records that have some.
    pub facts: bool,
    /// Digests in the notation of an object store.
    pub styles: bool,
    /// Leaf digests; other writers omit them.
    pub leaves: bool,
    /// The ranges of a file that could not be read.
    pub bad_blocks: bool,
    /// Labels from sets of known digests; other writers omit them.
    pub labels: bool,
    /// Case data; other writers omit them.
    pub case: bool,
}

impl Format {
    /// Returns whether its records describe files with a location.
    pub fn places_files(&self) -> bool {
        !matches!(self.base, Base::Nowhere)
    }

    /// Returns whether it can carry digests by the algorithm of this name.
    pub fn holds(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.contains(&name)
    }
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
