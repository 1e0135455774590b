//! The parts of a manifest that a format can't represent, and records without them.

use super::survey::Survey;
use crate::error::{ConvertError, Losses};
use hashmill_digest::Algorithm;
use hashmill_manifest::format::{Format, Hint};
use hashmill_manifest::{Record, Status};
use hashmill_os::names;
use hashmill_terminal::count;
use std::path::Path;

/// Returns the parts of a manifest that this format can't represent. Where digests carry no algorithm, the output's
/// name may state it.
pub(crate) fn losses(survey: &Survey, format: &Format, output: Option<&Path>) -> Losses {
    let carries = format.carries;
    let mut lost = Vec::new();
    let mut add = |number: u64, one: &str, many: &str| {
        if number > 0 {
            lost.push(count(number, one, many));
        }
    };
    let unless = |carried: bool, number: u64| if carried { 0 } else { number };
    add(unless(carries.pieces, survey.pieces), "record of a piece", "records of pieces");
    add(unless(carries.status, survey.unhashed), "record that is not hashed", "records that are not hashed");
    add(unless(carries.stored, survey.stored), "record that is only stored", "records that are only stored");
    // A record that is left out takes its reason with it.
    add(unless(carries.reason || !carries.status, survey.explained), "reason", "reasons");
    add(unless(carries.bad_blocks, survey.damaged), "record with bad blocks", "records with bad blocks");
    add(unless(carries.leaves, survey.leafy), "record's leaves", "records' leaves");
    add(unless(carries.size, survey.sized), "size", "sizes");
    add(unless(carries.mtime, survey.timed), "time", "times");
    add(unless(carries.metadata, survey.described + survey.inside), "record's metadata", "records' metadata");
    add(unless(carries.likeness, survey.alike), "record's likeness digests", "records' likeness digests");
    let factual = unless(carries.facts, survey.factual);
    add(factual, "record's facts about content", "records' facts about content");
    add(unless(carries.labels, survey.labelled), "record's category", "records' categories");
    add(unless(carries.version, survey.versions), "version of an object", "versions of objects");
    add(survey.cases, "manifest's case data", "manifests' case data");
    if format.full {
        add(survey.unsized_, "record without a size", "records without a size");
        add(
            survey.uneven(),
            "record that lacks a digest which others have",
            "records that lack a digest which others have",
        );
    }
    let case = !carries.case && !survey.case.is_none();
    lost.extend(case.then(|| "the case data".to_string()));
    lost.extend(algorithms(survey, format, output));
    Losses { format: format.name, what: lost }
}

/// Describes what is lost of the algorithms: their digests, or their names.
fn algorithms(survey: &Survey, format: &Format, output: Option<&Path>) -> Option<String> {
    if !format.only.is_empty() {
        let others: Vec<&str> =
            survey.algorithms.iter().map(|row| row.name).filter(|name| !format.holds(name)).collect();
        return (!others.is_empty()).then(|| format!("the digests by {}", others.join(", ")));
    }
    if format.carries.algorithm || survey.algorithms.is_empty() || survey.guess.is_some() {
        return None;
    }
    let hint = output.map_or(Hint::None, |path| Hint::from_name(&names::path_bytes(path)));
    let told = matches!((hint, survey.algorithms.as_slice()), (Hint::Name(named), [only]) if named == *only);
    (!told).then(|| {
        let names: Vec<&str> = survey.algorithms.iter().map(|row| row.name).collect();
        format!("the name of the algorithm ({})", names.join(", "))
    })
}

/// Refuses an output whose name states another algorithm than that of the digests, where digests carry none: readers
/// would take these for what the name says.
///
/// # Errors
/// If it does.
pub(crate) fn check_name(
    algorithms: &[&'static Algorithm],
    format: &Format,
    output: Option<&Path>,
) -> Result<(), ConvertError> {
    let path = output.map(names::path_bytes).unwrap_or_default();
    let is_named = !format.only.is_empty() || format.carries.algorithm;
    let Hint::Name(named) = Hint::from_name(&path) else { return Ok(()) };
    match algorithms.iter().find(|row| **row != named).filter(|_| !is_named) {
        Some(other) => {
            Err(ConvertError::Misnamed { path: path.into(), named: named.name, other: other.name })
        }
        None => Ok(()),
    }
}

/// Removes from a record what the format can't represent. Returns whether something remains.
pub(crate) fn strip(record: &mut Record, format: &Format) -> bool {
    let carries = format.carries;
    let whole = carries.pieces || record.piece.is_none();
    let hashed = match record.status {
        Status::Hashed => true,
        Status::Stored(_) => carries.stored,
        _ => carries.status,
    };
    let sound = carries.bad_blocks || record.bad_blocks.is_empty();
    if !(whole && hashed && sound) {
        return false;
    }
    if !carries.reason {
        record.reason = None;
    }
    if !carries.version {
        record.version = None;
    }
    if !carries.likeness {
        record.likeness.clear();
    }
    if !carries.facts {
        record.facts = None;
    }
    record.digests.retain(|named| format.holds(named.algorithm.name));
    record.status != Status::Hashed || !record.digests.is_empty() || !record.likeness.is_empty()
}
