//! Folds the parts of a message to its digest.

use super::nodes::Joined;
use super::range::{RangePart, State};
use crate::Digest;
use crate::algorithm::{Algorithm, hash};
use crate::leaves::{Folding, Leaves};
use crate::tree::SegmentTree;
use std::fmt;
use std::ops::Range;
use std::slice;

/// The reason why parts make no digest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// These ranges of the message are in no part.
    Ranges(Vec<Range<u64>>),
    /// Two parts of the same range differ, so one of them is wrong.
    Differ(Range<u64>),
    /// A part begins at this offset, which is within another part.
    Overlap(u64),
    /// A part is of another digest.
    Algorithm(&'static str),
    /// The part at this offset does not match its range.
    Malformed(u64),
}

/// Computes the digest of a message of this size from its parts, in any order. Duplicate parts are allowed.
///
/// # Errors
/// [`Missing`] says what is missing, or which parts don't fit.
pub fn fold(algorithm: &Algorithm, parts: &[RangePart], bytes: u64) -> Result<Digest, Missing> {
    let parts = in_order(algorithm, parts, bytes)?;
    match (&algorithm.leaves, algorithm.tree) {
        (Some(shape), _) => fold_leaves(*shape, &parts, bytes),
        _ if bytes == 0 => Ok(hash(algorithm, &[])),
        (None, Some(tree)) => fold_nodes(tree, &parts),
        (None, None) => Err(Missing::Algorithm(algorithm.name)),
    }
}

/// Returns the parts in the message's order, each once, if they cover the message.
fn in_order<'a>(
    algorithm: &Algorithm,
    parts: &'a [RangePart],
    bytes: u64,
) -> Result<Vec<&'a RangePart>, Missing> {
    if let Some(other) = parts.iter().find(|part| part.algorithm != algorithm) {
        return Err(Missing::Algorithm(other.algorithm.name));
    }
    let mut sorted: Vec<&RangePart> = parts.iter().filter(|part| part.bytes > 0).collect();
    sorted.sort_by_key(|part| (part.offset, part.bytes));
    sorted.dedup();
    let mut missing = Vec::new();
    let mut at = 0;
    let mut last = 0..0;
    for part in &sorted {
        let range = part.offset..part.end();
        match part.offset.cmp(&at) {
            _ if range == last => return Err(Missing::Differ(range)),
            std::cmp::Ordering::Less => return Err(Missing::Overlap(part.offset)),
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Greater => missing.push(at..part.offset),
        }
        at = part.end();
        last = range;
    }
    if at < bytes {
        missing.push(at..bytes);
    }
    match missing.is_empty() {
        true if at > bytes => Err(Missing::Malformed(last.start)),
        true => Ok(sorted),
        false => Err(Missing::Ranges(missing)),
    }
}

fn fold_leaves(shape: Leaves, parts: &[&RangePart], bytes: u64) -> Result<Digest, Missing> {
    let mut folding = Folding::new(shape);
    for part in parts {
        let malformed = Missing::Malformed(part.offset);
        let leaves = part.leaves().ok_or(malformed.clone())?;
        let ends = part.end() == bytes || shape.begins(part.end());
        let count = shape.count(part.end()) - if part.offset == 0 { 0 } else { shape.count(part.offset) };
        if !ends || leaves.len() as u64 != count * shape.digest as u64 {
            return Err(malformed);
        }
        folding.take(leaves);
    }
    Ok(folding.finish(bytes))
}

fn fold_nodes(tree: &dyn SegmentTree, parts: &[&RangePart]) -> Result<Digest, Missing> {
    let mut joined = Joined::at(0);
    for (place, part) in parts.iter().enumerate() {
        let malformed = Missing::Malformed(part.offset);
        let nodes = match &part.state {
            State::Whole(node, digest) if parts.len() == 1 && node.bytes() == part.bytes => {
                return Ok(*digest);
            }
            State::Whole(node, _) => slice::from_ref(node),
            State::Nodes(nodes) => nodes,
            State::Leaves(_) => return Err(malformed),
        };
        let last = place + 1 == parts.len();
        let whole = last || part.end().is_multiple_of(tree.unit());
        let total = nodes.iter().try_fold(0_u64, |sum, node| sum.checked_add(node.bytes()));
        if !whole || total != Some(part.bytes) || !are_subtrees(tree, part.offset, nodes) {
            return Err(malformed);
        }
        nodes.iter().for_each(|node| joined.push(*node, tree));
    }
    if joined.nodes.len() < 2 && tree.unit() > 1 {
        return Err(Missing::Malformed(0));
    }
    Ok(tree.join(&joined.nodes))
}

/// Whether these nodes can be those of a range at this offset.
pub(crate) fn are_subtrees(tree: &dyn SegmentTree, mut offset: u64, nodes: &[crate::Node]) -> bool {
    tree.unit() == 1
        || nodes.iter().enumerate().all(|(place, node)| {
            let (begins, bytes) = (offset, node.bytes());
            offset += bytes;
            let tail = place + 1 == nodes.len() && bytes < tree.unit();
            bytes > 0 && (tail || bytes.is_power_of_two() && begins.is_multiple_of(bytes))
        })
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Ranges(ranges) => {
                let ranges: Vec<String> =
                    ranges.iter().map(|range| format!("{} to {}", range.start, range.end)).collect();
                write!(f, "no part has the bytes from {}", ranges.join(", "))
            }
            Missing::Differ(range) => {
                write!(f, "two parts with the bytes from {} to {} differ", range.start, range.end)
            }
            Missing::Overlap(offset) => write!(f, "a part begins at byte {offset}, within another"),
            Missing::Algorithm(name) => write!(f, "a part is of {name}"),
            Missing::Malformed(offset) => {
                write!(f, "the part that begins at byte {offset} does not match its length")
            }
        }
    }
}

impl std::error::Error for Missing {}
