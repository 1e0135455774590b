//! Opening of a list with a word about each signature beside it.

use super::guard::Guard;
use crate::error::Error;
use crate::judged::Judged;
use crate::listing::Listing;
use std::ffi::OsStr;

impl Guard {
    /// Opens a list, and reports the results of verifying the signatures beside it.
    ///
    /// # Errors
    /// As [`Guard::pass`].
    pub fn open(&self, list: &OsStr, told: &mut dyn FnMut(&Judged)) -> Result<Listing, Error> {
        let (listing, judged) = self.pass(list)?;
        judged.iter().for_each(told);
        Ok(listing)
    }
}
