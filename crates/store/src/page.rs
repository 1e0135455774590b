//! A page of a listing, whoever has it.

use crate::Object;

/// A page of a listing.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Object>,
    /// Where the next one begins, if there is one.
    pub(crate) next: Option<String>,
}
