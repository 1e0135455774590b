//! The tag files of a new bag.

use super::payload::{Item, Payload};
use crate::error::BagError;
use hashmill_bag::{Declaration, Info, ListKind, file_name, write_line};
use hashmill_digest::{Algorithm, hash};
use hashmill_manifest::Time;
use std::time::{SystemTime, UNIX_EPOCH};

/// Names and texts of tag files. `bagit.txt` comes last, as it is what makes the folder a bag.
pub type Tags = Vec<(String, String)>;

/// Returns the fields given by the user and those of every bag, except for the payload's size.
///
/// # Errors
/// If a field can't be written, or users may not set it.
pub fn info(given: &[(String, String)]) -> Result<Info, BagError> {
    let mut info = Info::default();
    for (label, value) in given {
        if label.eq_ignore_ascii_case("Payload-Oxum") {
            return Err(BagError::GivenOxum);
        }
        info.add(label, value).map_err(BagError::Field)?;
    }
    if info.get("Bagging-Date").is_none() {
        info.add("Bagging-Date", &today().ok_or(BagError::Clock)?).map_err(BagError::Field)?;
    }
    if info.get("Bag-Software-Agent").is_none() {
        info.add("Bag-Software-Agent", concat!("hashmill ", env!("CARGO_PKG_VERSION")))
            .map_err(BagError::Field)?;
    }
    Ok(info)
}

/// Returns the text of all tag files.
///
/// # Errors
/// None in practice: the size of the payload is a valid value.
pub fn tags(payload: &Payload, algorithms: &[&'static Algorithm], mut info: Info) -> Result<Tags, BagError> {
    info.add("Payload-Oxum", &payload.oxum.to_string()).map_err(BagError::Field)?;
    let mut tags: Tags = Vec::new();
    for (place, algorithm) in algorithms.iter().enumerate() {
        let line = |file: &Item| write_line(algorithm, &file.digests[place], &format!("data/{}", file.path));
        tags.push((file_name(ListKind::Payload, algorithm), payload.files.iter().map(line).collect()));
    }
    tags.push(("bag-info.txt".into(), info.text()));
    tags.push(("bagit.txt".into(), Declaration::TEXT.into()));
    tags.sort();
    let lists: Tags = algorithms
        .iter()
        .map(|algorithm| (file_name(ListKind::Tags, algorithm), list(algorithm, &tags)))
        .collect();
    tags.extend(lists);
    tags.sort_by_key(|(name, _)| name == "bagit.txt");
    Ok(tags)
}

/// Returns the tag manifest of one algorithm.
fn list(algorithm: &'static Algorithm, tags: &Tags) -> String {
    let line =
        |(name, text): &(String, String)| write_line(algorithm, &hash(algorithm, text.as_bytes()), name);
    tags.iter().map(line).collect()
}

/// Returns the current date in UTC.
fn today() -> Option<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let time = Time { seconds: i64::try_from(now.as_secs()).ok()?, nanoseconds: 0 }.to_rfc3339()?;
    time.split_once('T').map(|(date, _)| date.to_string())
}
