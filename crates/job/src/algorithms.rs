//! The algorithms of a job.

use hashloom_digest::{Algorithm, Unknown, find};
use hashloom_similar::Similar;

/// Algorithms in the order of their columns.
#[derive(Debug, Clone, Default)]
pub struct Algorithms {
    /// Those that tell whether bytes are the same.
    pub digests: Vec<&'static Algorithm>,
    /// Those that tell how like they are, each with its place among all.
    pub likeness: Vec<(usize, &'static Similar)>,
}

impl Algorithms {
    /// Those of a comma-separated list of names.
    ///
    /// # Errors
    /// If no algorithm has one of the names.
    pub fn named(list: &str) -> Result<Algorithms, Unknown> {
        let mut found = Algorithms::default();
        for name in list.split(',').map(str::trim) {
            let place = found.digests.len() + found.likeness.len();
            if let Some(row) = hashloom_similar::find(name) {
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
