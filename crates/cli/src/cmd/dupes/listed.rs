//! Duplicates by what manifests say: no file is read.

use super::group::{Groups, Single};
use crate::exit::Exit;
use crate::message::{self, count};
use anyhow::{Context, bail};
use hashloom_digest::{Algorithm, Class, hash};
use hashloom_job::audit::Manifests;
use hashloom_manifest::Record;

/// Groups the files of manifests; the second says whether all records could be used.
///
/// # Errors
/// If there is no digest to group by.
pub fn group(
    manifests: &Manifests,
    wanted: Option<&'static Algorithm>,
    min_size: u64,
) -> anyhow::Result<(Groups, Exit)> {
    let algorithm = match wanted {
        Some(algorithm) => algorithm,
        None => strongest(manifests)?,
    };
    tell_weakness(algorithm);
    let empty = hash(algorithm, b"");
    let mut groups = Groups::new(algorithm);
    let mut without = 0;
    for record in manifests.known.records().filter(|record| record.piece.is_none()) {
        let Some(digest) = record.digest(algorithm).copied() else {
            without += 1;
            continue;
        };
        // Lists without sizes tell of an empty file by its digest.
        let size = record.size.or((digest == empty).then_some(0));
        if size.is_none_or(|size| size >= min_size) {
            groups.add(size, digest, Single { path: record.path, links: Vec::new() });
        }
    }
    Ok((
        groups,
        Exit::Failed.when(manifests.malformed() > 0).and(tell_left_out(manifests, algorithm, without)),
    ))
}

/// The strongest algorithm among those that the most records have.
fn strongest(manifests: &Manifests) -> anyhow::Result<&'static Algorithm> {
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
        Class::Checksum => 0,
    };
    // Backwards: of equal ones the last counts for `max_by_key`, and the first should.
    let best =
        counts.iter().rev().max_by_key(|(algorithm, count)| (*count, strength(algorithm), algorithm.bits));
    best.map(|(algorithm, _)| *algorithm).context("there is no digest of a whole file in the manifest")
}

/// Says what equality by this algorithm is worth, if that is not much.
fn tell_weakness(algorithm: &Algorithm) {
    let name = algorithm.name;
    match algorithm.class {
        Class::Cryptographic => {}
        Class::Broken => message::say(format_args!(
            "grouped by {name} only, for which different files with the same digest can be made"
        )),
        Class::Checksum => message::say(format_args!(
            "grouped by {name} only, a checksum: different files may have the same, by chance or on purpose"
        )),
    }
}

fn tell_left_out(manifests: &Manifests, algorithm: &Algorithm, without: u64) -> Exit {
    if without > 0 {
        let records = count(without, "record has", "records have");
        message::say(format_args!("{records} no {} digest and can't be compared", algorithm.name));
    }
    for record in &manifests.unread {
        message::about(&record.path, "was not read when the manifest was made");
    }
    Exit::Failed.when(without > 0 || !manifests.unread.is_empty())
}

/// Refuses what is no proof of equality where files are read.
///
/// # Errors
/// If the algorithm is not cryptographic.
pub fn check(algorithm: &Algorithm) -> anyhow::Result<()> {
    if algorithm.class != Class::Cryptographic {
        bail!(
            "-c {}: different files can have the same digest by it; choose a cryptographic one",
            algorithm.name
        );
    }
    Ok(())
}
