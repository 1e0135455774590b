//! Turns a list of values for each hasher into a list of digests for each piece.

use crate::hash::{Digests, Value};
use hashloom_manifest::Piece;

/// Returns the digests of each piece. All hashers must have the same pieces, in order.
pub(super) fn rows<L>(lists: impl Iterator<Item = L>) -> Vec<(Piece, Digests)>
where
    L: IntoIterator<Item = (Piece, Value)>,
{
    let mut rows: Vec<(Piece, Digests)> = Vec::new();
    for list in lists {
        let first = rows.is_empty();
        for (row, (piece, value)) in list.into_iter().enumerate() {
            if first {
                rows.push((piece, Digests::default()));
            }
            rows[row].1.push(value);
        }
    }
    rows
}
