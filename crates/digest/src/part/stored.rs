//! Parts as bytes.
//!
//! The format: a version (1), the algorithm's name, the offset, the length, and the result: a letter (`l` leaves, `n`
//! nodes, `w` a node and the digest of the range alone) and its bytes. Numbers have eight bytes, the least significant
//! first. The name and the last bytes are preceded by their length.

use super::range::{RangePart, State};
use crate::field::Field;
use crate::find;
use crate::registry::find::of_name;
use crate::tree::Node;
use crate::{Digest, MAX_BYTES};
use std::fmt;

/// The version of the format.
const VERSION: u8 = 1;

/// The bytes of a stored node.
const NODE: usize = Node::STORED;

/// The reason why there is no part.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadPart {
    /// The digest with this name has no parts: it is serial.
    Serial(&'static str),
    /// No part can begin at this offset.
    Offset {
        /// The requested offset.
        offset: u64,
        /// Parts begin at multiples of this.
        unit: u64,
    },
    /// The bytes are not a stored part.
    Bytes,
}

impl RangePart {
    /// Encodes the part.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (letter, state) = match &self.state {
            State::Leaves(leaves) => (b'l', leaves.clone()),
            State::Nodes(nodes) => (b'n', nodes.iter().copied().flat_map(Node::to_bytes).collect()),
            State::Whole(node, digest) => (b'w', [&node.to_bytes(), digest.as_bytes()].concat()),
        };
        let mut bytes = vec![VERSION];
        self.algorithm.name.as_bytes().to_vec().put(&mut bytes);
        (self.offset, self.bytes).put(&mut bytes);
        (letter, state.len()).put(&mut bytes);
        bytes.extend(state);
        bytes
    }

    /// Decodes a part.
    ///
    /// # Errors
    /// [`BadPart::Bytes`] if the bytes are not a part.
    pub fn from_bytes(bytes: &[u8]) -> Result<RangePart, BadPart> {
        read(bytes).ok_or(BadPart::Bytes)
    }
}

fn read(mut bytes: &[u8]) -> Option<RangePart> {
    let rest = &mut bytes;
    (u8::take(rest)? == VERSION).then_some(())?;
    let name = String::from_utf8(Vec::take(rest)?).ok()?;
    let algorithm = of_name(&name).or_else(|| find(&name).ok())?;
    let (offset, bytes): (u64, u64) = Field::take(rest)?;
    offset.checked_add(bytes)?;
    let (letter, length): (u8, usize) = Field::take(rest)?;
    let state = rest.split_off(..length)?;
    let state = match letter {
        b'l' if algorithm.leaves.is_some() => State::Leaves(state.to_vec()),
        b'n' if algorithm.tree.is_some() && state.len().is_multiple_of(NODE) => {
            State::Nodes(state.as_chunks().0.iter().map(Node::from_bytes).collect())
        }
        b'w' if algorithm.tree.is_some() && (NODE..=NODE + MAX_BYTES).contains(&state.len()) => {
            let (node, digest) = state.split_first_chunk()?;
            State::Whole(Node::from_bytes(node), Digest::new(digest))
        }
        _ => return None,
    };
    rest.is_empty().then_some(RangePart { algorithm, offset, bytes, state })
}

impl fmt::Display for BadPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadPart::Serial(name) => write!(f, "{name} is serial: it has no parts"),
            BadPart::Offset { offset, unit } => {
                write!(f, "no part begins at byte {offset}: parts begin at multiples of {unit} bytes")
            }
            BadPart::Bytes => f.write_str("not a stored part of a digest"),
        }
    }
}

impl std::error::Error for BadPart {}
