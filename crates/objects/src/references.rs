//! The objects that an index file names.

use std::fmt;

/// The most bytes of an index file that are read.
pub const MAX_INDEX: u64 = 256 << 20;

/// Paths below the store that a file or link of the store names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// Objects that must be there.
    pub objects: Vec<Box<[u8]>>,
    /// Those of the objects that name others in turn.
    pub indexes: Vec<Box<[u8]>>,
    /// Objects that may be absent, and name others if they are there.
    pub optional: Vec<Box<[u8]>>,
    /// Objects that are elsewhere, as the file says; what is here of them is checked.
    pub elsewhere: Vec<Box<[u8]>>,
    /// The numbers of bytes of objects.
    pub sizes: Vec<(Box<[u8]>, u64)>,
    /// Folders that must be there.
    pub folders: Vec<Box<[u8]>>,
}

/// The reason why a file is not the index that its place makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadIndex(pub(crate) &'static str);

impl References {
    /// Adds an object.
    pub(crate) fn add(&mut self, path: String) {
        self.objects.push(path.into_bytes().into());
    }

    /// Adds an object that names others.
    pub(crate) fn add_index(&mut self, path: String) {
        self.indexes.push(path.clone().into_bytes().into());
        self.add(path);
    }
}

impl fmt::Display for BadIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
