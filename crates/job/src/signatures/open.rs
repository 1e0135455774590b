//! Opening of a list with a notice about each signature beside it.

use super::guard::Guard;
use crate::error::Error;
use crate::listing::Listing;
use crate::notice::Notice;
use std::ffi::OsStr;

impl Guard {
    /// Opens a list, and reports the results of verifying the signatures beside it.
    ///
    /// # Errors
    /// As [`Guard::pass`].
    pub fn open(&self, list: &OsStr, told: &mut dyn FnMut(Notice<'_>)) -> Result<Listing, Error> {
        let (listing, judged) = self.pass(list)?;
        judged.iter().for_each(|judged| told(Notice::Signature(judged)));
        Ok(listing)
    }
}
