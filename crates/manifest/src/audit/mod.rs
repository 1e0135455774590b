//! The audit: compares a stream of observed records with manifests.
//!
//! [`Known`] holds the manifests compactly, [`Audit`] takes what is observed and gives a [`Verdict`] for each
//! file. Nothing here reads a file: the caller hashes, and [`Places`] says how paths of the manifests and
//! paths of this machine belong together.

mod common;
mod comparison;
mod digests;
mod judge;
mod known;
mod learner;
mod moves;
mod paths;
mod places;
mod sides;

pub use common::find_common_root;
pub use judge::{Audit, Finish, Incomparable, Unjudged};
pub use known::{Full, Known};
pub use learner::{Learner, Outcome, Unnamed};
pub use moves::{MovedFolder, MovedFolders, Moves};
pub use places::{Places, Root, Scope, find_prefix, find_roots};
pub use sides::{Content, Sides};

use crate::stored::Strength;
use crate::{Piece, Status};

/// What became of a file (of a piece) since its manifest was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// The same path, and all that both sides say of it is equal.
    Matched,
    /// The same path, other content.
    Changed,
    /// A path that no manifest names, with content whose known path is not there any more.
    Moved,
    /// A path that no manifest names, with content whose known path is still there.
    Copied,
    /// Neither path nor content are known.
    New,
    /// A known path that was not seen.
    Missing,
    /// It is there but could not be read, or changed while it was read.
    Unreadable,
}

/// The category of one file or piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What became of it.
    pub category: Category,
    /// Its path here; of a missing one the known path.
    pub path: Box<[u8]>,
    /// The path that the manifest has for it, as the manifest writes it.
    pub known_path: Option<Box<[u8]>>,
    /// The piece, if it is not of a whole file.
    pub piece: Option<Piece>,
    /// The status of the observed record; `None` of a missing one.
    pub status: Option<Status>,
    /// By how strong a proof it is `matched`, where one side is only stored.
    pub strength: Option<Strength>,
    /// The content on both sides, of what is not `matched`, if [`Audit::with_sides`] asked for it.
    pub sides: Option<Box<Sides>>,
}

/// How many verdicts of each category there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; Category::ALL.len()]);

impl Category {
    /// All categories, in the order in which they are reported.
    pub const ALL: [Category; 7] = [
        Category::Matched,
        Category::Changed,
        Category::Moved,
        Category::Copied,
        Category::New,
        Category::Missing,
        Category::Unreadable,
    ];

    /// The word in messages and outputs.
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

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, category: Category) {
        self.0[category as usize] += 1;
    }

    /// Counts one as another.
    pub(crate) fn replace(&mut self, was: Category, is: Category) {
        self.0[was as usize] -= 1;
        self.add(is);
    }

    /// How many there were.
    pub fn of(&self, category: Category) -> u64 {
        self.0[category as usize]
    }

    /// Whether all was as the manifests say: nothing but matches.
    pub fn passed(&self) -> bool {
        Category::ALL.iter().all(|category| *category == Category::Matched || self.of(*category) == 0)
    }
}
