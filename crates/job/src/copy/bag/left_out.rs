//! The kinds of entries that don't stand in the way of a bag.

use hashmill_source::Skip;

/// Returns whether a user has left such entries out, or they have no place in manifests.
pub(in super::super) fn is_left_out(why: Skip) -> bool {
    matches!(
        why,
        Skip::Filtered
            | Skip::Ignored
            | Skip::OtherFileSystem
            | Skip::Output
            | Skip::Part
            | Skip::EmptyFolder
    )
}
