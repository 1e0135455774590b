//! Search for files with the same content, among files or by the digests in manifests. Nothing is ever changed.

mod compare;
mod event;
mod find;
mod group;
mod identities;
mod inside;
mod listed;
mod part;
mod sizes;
#[cfg(test)]
mod tests;
mod whole;

pub use event::{DupesEvent, DupesObserver};
pub use find::{Duplicates, Search};
pub use group::{Group, Single};
pub use listed::{Listed, ListedJob};

use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Selected, Selection};
use hashmill_digest::{Algorithm, Class};
use hashmill_engine::{Cancel, Plan};

/// The default for the minimum size of a file in bytes: all empty files are alike.
pub const MIN_SIZE: u64 = 1;

/// The settings of a search.
pub struct DupesJob {
    /// The files to compare.
    pub selection: Selection,
    /// The algorithm of the digests that decide, a cryptographic one.
    pub algorithm: &'static Algorithm,
    /// Whether each group has its digest. Otherwise, if few files have the same size and their bytes are in memory,
    /// they are compared byte by byte, which costs less.
    pub digests: bool,
    /// The minimum size of a file in bytes.
    pub min_size: u64,
    /// Threads, memory and devices to use.
    pub resources: Resources,
    /// Ends the search soon after it is set.
    pub cancel: Cancel,
}

impl DupesJob {
    /// Prepares the search.
    ///
    /// # Errors
    /// If options contradict each other, or the list of paths can't be opened.
    pub fn start(self) -> Result<Search, Error> {
        let inside = self.selection.inside.is_any();
        if inside {
            self.resources.fits_images()?;
        }
        if self.algorithm.class != Class::Cryptographic {
            return Err(Misfit::NotCryptographic(self.algorithm.name).into());
        }
        let plan = Plan { cancel: self.cancel, ..self.resources.beside(inside).plan(vec![self.algorithm])? };
        self.resources.give_way()?;
        let stores = &self.resources.stores;
        let is_here = !self.selection.paths.iter().any(|path| stores.is_location(path));
        let Selected { entries, problem } = self.selection.open(&self.resources)?;
        let wanted = find::StageSettings { min_size: self.min_size, digests: self.digests, inside, is_here };
        Ok(Search::new(entries, problem, wanted, plan))
    }
}
