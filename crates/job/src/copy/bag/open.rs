//! The destinations of a copy, as bags.

use super::super::CopyJob;
use super::super::naming::Naming;
use super::destination::CopyBag;
use super::fit::check_fit;
use crate::bagit;
use crate::error::Error;

impl CopyJob {
    /// Opens the destinations as bags, if they are to be, and turns to the folders of their copies. Nothing is written.
    ///
    /// # Errors
    /// If one can't become a bag of these sources, or is another one.
    pub(in super::super) fn open_bags(
        &mut self,
        naming: &Naming,
        tell: &mut dyn FnMut(&[u8], &str),
    ) -> Result<Vec<CopyBag>, Error> {
        let Some(given) = self.bag.take() else { return Ok(Vec::new()) };
        bagit::check_algorithms(&self.algorithms)?;
        let bags = self.to.iter().map(|to| CopyBag::open(self, to, &given));
        let bags = bags.collect::<Result<Vec<_>, Error>>()?;
        check_fit(self, &bags, naming, tell)?;
        self.to = bags.iter().map(CopyBag::payload).collect();
        Ok(bags)
    }
}
