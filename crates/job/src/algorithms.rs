//! The algorithms that a job computes.

use hashmill_digest::{Algorithm, Unknown, find};
use hashmill_similar::Similar;

/// Algorithms in the order of their columns.
#[derive(Debug, Clone, Default)]
pub struct Algorithms {
    /// The cryptographic hashes and checksums, which identify bytes.
    pub digests: Vec<&'static Algorithm>,
    /// The similarity digests, each with its column among all algorithms.
    pub likeness: Vec<(usize, &'static Similar)>,
}

impl Algorithms {
    /// Parses a comma-separated list of names.
    ///
    /// # Errors
    /// If a name belongs to no algorithm.
    pub fn named(list: &str) -> Result<Algorithms, Unknown> {
        let mut found = Algorithms::default();
        for name in list.split(',').map(str::trim) {
            let place = found.digests.len() + found.likeness.len();
            if let Some(row) = hashmill_similar::find(name) {
                if found.likeness.iter().all(|(_, known)| *known != row) {
                    found.likeness.push((place, row));
                }
            } else {
                let algorithm = find(name)?;
                if !found.digests.contains(&algorithm) {
                    found.digests.push(algorithm);
                }
            }
        }
        Ok(found)
    }
}

impl From<Vec<&'static Algorithm>> for Algorithms {
    fn from(digests: Vec<&'static Algorithm>) -> Algorithms {
        Algorithms { digests, likeness: Vec::new() }
    }
}
