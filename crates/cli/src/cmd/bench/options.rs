//! What options of several comparisons say.

use hashloom_digest::{ALGORITHMS, Algorithm, Unknown, parse_list};

/// Algorithms in the order typed.
#[derive(Debug, Clone)]
pub struct Digests(pub Vec<&'static Algorithm>);

impl Digests {
    /// A comma-separated list of names.
    ///
    /// # Errors
    /// If no algorithm has one of the names.
    pub fn listed(list: &str) -> Result<Digests, Unknown> {
        parse_list(list).map(Digests)
    }

    /// A comma-separated list of names, or `all`.
    ///
    /// # Errors
    /// As [`Digests::listed`].
    pub fn listed_or_all(list: &str) -> Result<Digests, Unknown> {
        if list == "all" { Ok(Digests(ALGORITHMS.iter().collect())) } else { Digests::listed(list) }
    }
}
