//! The coding of a store whose names don't say it: found by trying.

use super::place::read_small;
use hashmill_content::selection::below;
use hashmill_digest::hash;
use hashmill_objects::{Claim, Coding, Decoder, Role, StoreLayout};
use hashmill_source::{WalkItem, WalkOptions, walk};
use std::io::Read;

/// The number of objects that are tried.
const TRIED: usize = 8;

/// The size limit in bytes of an object that is tried, as it is stored.
const MAX_STORED: u64 = 4 << 20;

/// The size limit in bytes of its content.
const MAX_DECODED: u64 = 64 << 20;

/// Finds the coding by which most of the first small objects have the digests of their names; `None` if the layout leaves
/// no choice.
pub(super) fn find(root: &[u8], layout: StoreLayout, options: &WalkOptions) -> Option<Coding> {
    let codings = layout.codings();
    let mut matched = vec![0; codings.len()];
    let mut tried = 0;
    if codings.is_empty() {
        return None;
    }
    for item in walk(std::iter::once(root.into()), options.clone()) {
        let WalkItem::File(entry) = item else { continue };
        let Role::Object(object) = layout.role(below(&entry.path, root)) else { continue };
        let (Claim::Name(claimed), Some(operand)) = (object.digest, &entry.operand) else { continue };
        let Ok(stored) = read_small(operand, &entry.path, MAX_STORED) else { continue };
        let fits = |coding: Coding| {
            decoded(&stored, coding).is_some_and(|bytes| hash(object.algorithm, &bytes) == claimed)
        };
        if let Some(place) = codings.iter().position(|coding| fits(*coding)) {
            matched[place] += 1;
        }
        tried += 1;
        if tried == TRIED {
            break;
        }
    }
    let most = (0..codings.len()).rev().max_by_key(|place| matched[*place])?;
    Some(codings[most])
}

fn decoded(stored: &[u8], coding: Coding) -> Option<Vec<u8>> {
    if !coding.is_coded() {
        return Some(stored.to_vec());
    }
    let mut bytes = Vec::new();
    Decoder::new(coding, stored, stored.len() as u64).ok()?.take(MAX_DECODED).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
