//! Groups of files with the same content: among files, or by what manifests say. Nothing is changed, ever.

mod compare;
mod event;
mod find;
mod group;
mod listed;
mod part;
mod sizes;

pub use event::{Event, Observer};
pub use find::{Found, Search};
pub use group::{Group, Single};
pub use listed::{Listed, listed};

use crate::error::Error;
use crate::misfit::Misfit;
use crate::resources::Resources;
use crate::selection::{Selected, Selection};
use hashloom_digest::{Algorithm, Class};
use hashloom_engine::{Cancel, Plan};

/// Files below this size are left out, unless something else is asked for: all empty files are alike.
pub const MIN_SIZE: u64 = 1;

/// Which files are compared, and how.
pub struct Job {
    /// Which files.
    pub selection: Selection,
    /// The digest that decides, a cryptographic one.
    pub algorithm: &'static Algorithm,
    /// Whether each group has its digest. Otherwise few files of one size whose bytes are in memory are compared byte by
    /// byte, which costs less.
    pub digests: bool,
    /// Bytes that a file must have.
    pub min_size: u64,
    /// With what resources.
    pub resources: Resources,
    /// Ends the search soon after it is set.
    pub cancel: Cancel,
}

impl Job {
    /// Gets ready to search.
    ///
    /// # Errors
    /// If the options do not go together, or the list of paths can't be opened.
    pub fn start(self) -> Result<Search, Error> {
        if self.selection.images {
            return Err(Misfit::NoInodes.into());
        }
        if self.algorithm.class != Class::Cryptographic {
            return Err(Misfit::NotCryptographic(self.algorithm.name).into());
        }
        let plan = Plan { cancel: self.cancel, ..self.resources.plan(vec![self.algorithm])? };
        self.resources.give_way()?;
        let Selected { entries, problem } = self.selection.open(None)?;
        let wanted = find::Wanted { min_size: self.min_size, digests: self.digests };
        Ok(Search::new(entries, problem, wanted, plan))
    }
}
