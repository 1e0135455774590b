//! Restic: `data/ab/ID`, `index/ID`, `snapshots/ID` and `keys/ID`, where ID is the SHA-256 of the stored bytes. Which
//! packs an index names is encrypted, so missing packs are not known here.

use crate::{Role, Root};

pub(crate) const ROOTS: &[Root] =
    &[Root { path: "", marks: &["config", "data", "keys", "snapshots"], others: &[] }];

/// Returns the role of a file.
pub(crate) fn role(path: &[u8]) -> Role {
    let parts: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    match parts[..] {
        [b"config"] => Role::Apart,
        [b"data", folder, id] if folder.len() == 2 && id.starts_with(folder) => Role::stored("sha256", id),
        // Old repositories have no folders below `data`.
        [b"data" | b"index" | b"snapshots" | b"keys" | b"locks", id] => Role::stored("sha256", id),
        _ => Role::Stranger,
    }
}
