//! Duplicates by what manifests say: no file is read.

use super::group::{Group, Groups, Single};
use crate::audit::Manifests;
use crate::error::Error;
use hashloom_digest::{Algorithm, Class, hash};
use hashloom_manifest::Record;

/// What manifests say of files with the same content.
#[derive(Debug)]
pub struct Listed {
    /// Files with the same content, those that waste most first.
    pub groups: Vec<Group>,
    /// The algorithm that says so.
    pub algorithm: &'static Algorithm,
    /// Records that have no digest by it.
    pub without: u64,
}

/// Groups the files of manifests, by this algorithm, or else by the strongest that the most records have.
///
/// # Errors
/// If there is no digest to group by.
pub fn listed(
    manifests: &mut Manifests,
    wanted: Option<&'static Algorithm>,
    min_size: u64,
) -> Result<Listed, Error> {
    if manifests.known.is_respelled() {
        // Files have each path once: these are keys.
        manifests.known.take_as_keys();
    }
    let algorithm = match wanted {
        Some(algorithm) => algorithm,
        None => strongest(manifests).ok_or(Error::NoDigests)?,
    };
    let empty = hash(algorithm, b"");
    let mut groups = Groups::new(algorithm);
    let mut without = 0;
    let wholes = manifests.known.records().filter(|record| record.piece.is_none());
    for (place, record) in wholes.enumerate() {
        let Some(digest) = record.digest(algorithm).copied() else {
            without += 1;
            continue;
        };
        // Lists without sizes tell of an empty file by its digest.
        let size = record.size.or((digest == empty).then_some(0));
        if size.is_none_or(|size| size >= min_size) {
            groups.add(size, digest, (place, Single { path: record.path, links: Vec::new() }));
        }
    }
    Ok(Listed { groups: groups.finish(), algorithm, without })
}

/// The strongest algorithm among those that the most records have.
fn strongest(manifests: &Manifests) -> Option<&'static Algorithm> {
    let mut counts: Vec<(&'static Algorithm, u64)> = Vec::new();
    let wholes = |record: &Record| record.piece.is_none();
    for record in manifests.known.records().filter(wholes) {
        for named in &record.digests {
            match counts.iter_mut().find(|(algorithm, _)| *algorithm == named.algorithm) {
                Some((_, count)) => *count += 1,
                None => counts.push((named.algorithm, 1)),
            }
        }
    }
    let strength = |algorithm: &Algorithm| match algorithm.class {
        Class::Cryptographic => 2,
        Class::Broken => 1,
        Class::Checksum | Class::Truncated => 0,
    };
    // Backwards: of equal ones the last counts for `max_by_key`, and the first should.
    let best =
        counts.iter().rev().max_by_key(|(algorithm, count)| (*count, strength(algorithm), algorithm.bits));
    best.map(|(algorithm, _)| *algorithm)
}
