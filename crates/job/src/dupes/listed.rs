//! Search for duplicates by the digests in manifests: no file is read.

use super::group::{Group, Groups, Single};
use crate::audit::Manifests;
use crate::error::Error;
use hashloom_digest::{Algorithm, Class, Digest, hash};
use hashloom_manifest::Record;
use std::collections::HashSet;

/// The files with the same content according to manifests.
#[derive(Debug)]
pub struct Listed {
    /// Files with the same content. Groups that waste most bytes come first.
    pub groups: Vec<Group>,
    /// The algorithm of the digests.
    pub algorithm: &'static Algorithm,
    /// Records without a digest of this algorithm.
    pub without: u64,
}

/// Groups the files of manifests by this algorithm, or else by the strongest of the algorithms that most records have.
///
/// # Errors
/// If there is no digest to group by.
pub fn listed(
    manifests: &mut Manifests,
    wanted: Option<&'static Algorithm>,
    min_size: u64,
) -> Result<Listed, Error> {
    if manifests.known.is_respelled() {
        // A file has only one spelling of its path, so these are keys of objects.
        manifests.known.take_as_keys();
    }
    let algorithm = match wanted {
        Some(algorithm) => algorithm,
        None => strongest(manifests).ok_or(Error::NoDigests)?,
    };
    let empty = hash(algorithm, b"");
    let repeated = repeated(manifests, algorithm);
    let mut groups = Groups::new(algorithm);
    let mut without = 0;
    for (place, record) in wholes(manifests).enumerate() {
        let Some(digest) = record.digest(algorithm).copied() else {
            without += 1;
            continue;
        };
        if !repeated.contains(&lead(&digest)) {
            continue;
        }
        // In lists without sizes, an empty file is recognised by its digest.
        let size = record.size.or((digest == empty).then_some(0));
        if size.is_none_or(|size| size >= min_size) {
            groups.add(size, digest, (place, Single { path: record.path, links: Vec::new() }));
        }
    }
    Ok(Listed { groups: groups.finish(), algorithm, without })
}

fn wholes(manifests: &Manifests) -> impl Iterator<Item = Record> {
    manifests.known.records().filter(|record| record.piece.is_none())
}

/// Returns the first bytes of digests that several records have: nearly all records are alone, and need no group.
fn repeated(manifests: &Manifests, algorithm: &'static Algorithm) -> HashSet<u64> {
    let mut leads: Vec<u64> =
        wholes(manifests).filter_map(|record| record.digest(algorithm).map(lead)).collect();
    leads.sort_unstable();
    leads.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

/// Returns the first eight bytes of a digest.
fn lead(digest: &Digest) -> u64 {
    let bytes = digest.as_bytes();
    bytes.iter().take(8).fold(0, |lead, byte| lead << 8 | u64::from(*byte))
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
    let strength = |algorithm: &Algorithm| match algorithm.class {
        Class::Cryptographic => 2,
        Class::Broken => 1,
        Class::Checksum | Class::Truncated => 0,
    };
    // In reverse, because `max_by_key` returns the last of equal elements, and the first is wanted.
    let best =
        counts.iter().rev().max_by_key(|(algorithm, count)| (*count, strength(algorithm), algorithm.bits));
    best.map(|(algorithm, _)| *algorithm)
}
