//! The algorithms that a job computes.

use hashmill_digest::{Algorithm, Unknown, find};
use hashmill_lists::history::next::GenerationPlace;
use hashmill_manifest::format::Format;
use hashmill_similar::Similar;
use std::path::Path;

/// The default algorithm of manifests.
const ALGORITHM: &str = "blake3";

/// The algorithm of a new history, if none is named: that of the reference implementation.
const NEW_HISTORY: &str = "xxh128";

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

    /// Returns the algorithms that a format prescribes; else the default one.
    ///
    /// # Errors
    /// None in practice: formats prescribe algorithms that there are.
    pub fn of_format(format: &Format) -> Result<Algorithms, Unknown> {
        match (format.needs, format.only) {
            (needs @ [_, ..], _) => Algorithms::named(&needs.join(",")),
            (_, [only]) => Algorithms::named(only),
            _ => Algorithms::named(ALGORITHM),
        }
    }

    /// Returns the algorithms of the history that a manifest of this format and place continues; for a new one, the algorithm that
    /// other programs choose. None if the format has no histories.
    pub fn of_history(format: &'static Format, manifest: &Path) -> Option<Algorithms> {
        let algorithms = GenerationPlace::from_output(format, manifest)?.algorithms();
        if algorithms.is_empty() { Algorithms::named(NEW_HISTORY).ok() } else { Some(algorithms.into()) }
    }
}

impl From<Vec<&'static Algorithm>> for Algorithms {
    fn from(digests: Vec<&'static Algorithm>) -> Algorithms {
        Algorithms { digests, likeness: Vec::new() }
    }
}
