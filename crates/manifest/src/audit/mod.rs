//! The audit: compares a stream of observed records with manifests.
//!
//! [`Known`] holds the manifests compactly, [`Audit`] takes observed records and returns a [`Verdict`] for each file.
//! Nothing here reads a file: the caller hashes, and [`Places`] maps paths of the manifests to paths of this machine.

mod common;
mod comparison;
mod contents;
mod digests;
mod judge;
mod known;
mod learner;
mod moves;
mod paths;
mod places;
mod sides;

pub use common::{Namesakes, find_common_root};
pub use judge::{Audit, Finish, Incomparable, Unjudged};
pub use known::{Full, Known};
pub use learner::{Learner, LineOutcome, Unnamed};
pub use moves::{MovedFolder, MovedFolders, Moves};
pub use places::{Places, Root, Scope, find_prefix, find_roots};
pub use sides::{Content, Sides};

use crate::stored::Strength;
use crate::{Piece, Status};
use std::fmt;

/// The change of a file or piece since its manifest was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// The path is known and the content is equal.
    Matched,
    /// The path is known, but the content differs.
    Changed,
    /// The path is in no manifest, and a known path of its content is gone.
    Moved,
    /// The path is in no manifest, and all known paths of its content still exist.
    Copied,
    /// Neither path nor content is known.
    New,
    /// A known path was not seen.
    Missing,
    /// The file exists but could not be read, or changed while it was read.
    Unreadable,
}

/// The category of one file or piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The category.
    pub category: Category,
    /// The local path; for a missing file the known path.
    pub path: Box<[u8]>,
    /// The path in the manifest, in its own notation.
    pub known_path: Option<Box<[u8]>>,
    /// The piece, if it is not a whole file.
    pub piece: Option<Piece>,
    /// The status of the observed record; `None` for a missing file.
    pub status: Option<Status>,
    /// The strength of the evidence for `matched`, if one side is only stored.
    pub strength: Option<Strength>,
    /// The content on both sides, unless `matched`, if [`Audit::with_sides`] asked for it.
    pub sides: Option<Box<Sides>>,
}

/// The number of verdicts of each category.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; Category::ALL.len()]);

impl Category {
    /// All categories, in the order of reports.
    pub const ALL: [Category; 7] = [
        Category::Matched,
        Category::Changed,
        Category::Moved,
        Category::Copied,
        Category::New,
        Category::Missing,
        Category::Unreadable,
    ];

    /// Returns the word used in messages and outputs.
    pub const fn word(self) -> &'static str {
        match self {
            Category::Matched => "matched",
            Category::Changed => "changed",
            Category::Moved => "moved",
            Category::Copied => "copied",
            Category::New => "new",
            Category::Missing => "missing",
            Category::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl Counts {
    /// Counts one verdict.
    pub fn add(&mut self, category: Category) {
        self.0[category as usize] += 1;
    }

    /// Counts verdicts of one category.
    pub fn add_all(&mut self, category: Category, number: u64) {
        self.0[category as usize] += number;
    }

    /// Moves one verdict to another category.
    pub(crate) fn replace(&mut self, was: Category, is: Category) {
        self.0[was as usize] -= 1;
        self.add(is);
    }

    /// Returns the number of verdicts of this category.
    pub fn count(&self, category: Category) -> u64 {
        self.0[category as usize]
    }

    /// Returns whether everything matched.
    pub fn passed(&self) -> bool {
        Category::ALL.iter().all(|category| *category == Category::Matched || self.count(*category) == 0)
    }
}
