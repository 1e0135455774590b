//! Turns a list of values for each hasher into a list of digests for each piece.

use crate::hash::{DigestValues, Value};
use hashmill_manifest::Piece;

/// Returns the digests of each piece. All hashers must have the same pieces, in order.
pub(super) fn rows<L>(lists: impl Iterator<Item = L>) -> Vec<(Piece, DigestValues)>
where
    L: IntoIterator<Item = (Piece, Value)>,
{
    let mut rows: Vec<(Piece, DigestValues)> = Vec::new();
    for list in lists {
        let first = rows.is_empty();
        for (row, (piece, value)) in list.into_iter().enumerate() {
            if first {
                rows.push((piece, DigestValues::default()));
            }
            rows[row].1.push(value);
        }
    }
    rows
}
