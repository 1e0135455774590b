//! Search for duplicates in manifests that are read into memory as a whole.

use super::group::{Groups, Single};
use super::listed::{Listed, best, lead};
use crate::audit::Manifests;
use crate::error::Error;
use hashmill_digest::{Algorithm, hash};
use hashmill_manifest::Record;
use std::collections::HashSet;

/// Groups the files of manifests by this algorithm, or else by the strongest of the algorithms that most records have.
///
/// # Errors
/// If there is no digest to group by.
pub(super) fn listed(
    mut manifests: Manifests,
    wanted: Option<&'static Algorithm>,
    min_size: u64,
) -> Result<Listed, Error> {
    manifests.known.assume();
    if manifests.known.is_respelled() {
        // A file has only one spelling of its path in a list, so these are keys of objects.
        manifests.known.take_as_keys();
    }
    let algorithm = match wanted {
        Some(algorithm) => algorithm,
        None => strongest(&manifests).ok_or(Error::NoDigests)?,
    };
    let empty = hash(algorithm, b"");
    let repeated = repeated(&manifests, algorithm);
    let mut groups = Groups::new(algorithm);
    let mut without = 0;
    for (place, record) in wholes(&manifests).enumerate() {
        let Some(digest) = record.digest(algorithm).copied() else {
            without += 1;
            continue;
        };
        if !repeated.contains(&lead(digest.as_bytes())) {
            continue;
        }
        // In lists without sizes, an empty file is recognised by its digest.
        let size = record.size.or((digest == empty).then_some(0));
        if size.is_none_or(|size| size >= min_size) {
            groups.add(size, digest, place, Single { path: record.path, links: Vec::new() });
        }
    }
    let malformed = manifests.malformed;
    let unread = manifests.unread.into_iter().map(|record| record.path).collect();
    Ok(Listed { groups: groups.finish(), algorithm, without, unread, malformed })
}

fn wholes(manifests: &Manifests) -> impl Iterator<Item = Record> {
    manifests.known.records().filter(|record| record.piece.is_none())
}

/// Returns the first bytes of digests that several records have: nearly all records are alone, and need no group.
fn repeated(manifests: &Manifests, algorithm: &'static Algorithm) -> HashSet<u64> {
    let mut leads: Vec<u64> = wholes(manifests)
        .filter_map(|record| record.digest(algorithm).map(|digest| lead(digest.as_bytes())))
        .collect();
    leads.sort_unstable();
    leads.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

/// Returns the strongest of the algorithms that most records have.
fn strongest(manifests: &Manifests) -> Option<&'static Algorithm> {
    let mut counts: Vec<(&'static Algorithm, u64)> = Vec::new();
    for record in wholes(manifests) {
        for named in &record.digests {
            match counts.iter_mut().find(|(algorithm, _)| *algorithm == named.algorithm) {
                Some((_, count)) => *count += 1,
                None => counts.push((named.algorithm, 1)),
            }
        }
    }
    best(&counts)
}
