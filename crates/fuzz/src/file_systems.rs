//! File systems from any bytes: no panic, no walk without end, and no bytes beyond the medium.

use hashmill_disk::{Content, DeletedEntries, DiskContent, Limits, Medium, NodeKind, Walk, file_system};
use std::sync::Arc;

/// The bounds of a walk, and of what is read of each file: more only takes more time.
const LIMITS: Limits = Limits { depth: 20, entries: 2000, names: 1 << 20 };
const MOST: u64 = 64 << 10;

/// Reads everything in the file system that these bytes are.
///
/// # Panics
/// If a free place lies beyond the end, or a file has more bytes than its size.
pub fn whole(data: &[u8]) {
    let medium: Arc<dyn Medium> = Arc::new(data.to_vec());
    let Ok(DiskContent::FileSystem(system)) = file_system(&medium) else { return };
    for entry in Walk::new(&*system, DeletedEntries::Listed, LIMITS) {
        if let Ok(node) = entry.node
            && node.kind != NodeKind::Directory
            && let Ok(content) = node.content
        {
            read(&*medium, &content);
        }
    }
    let mut end = 0;
    for run in system.free().take(10_000).flatten() {
        assert!(run.place == Some(run.at) && run.at >= end && run.length > 0);
        end = run.end();
    }
}

fn read(medium: &dyn Medium, content: &Content) {
    let (mut offset, mut buffer) = (0, vec![0; 4096]);
    while offset < MOST {
        match content.read_at(medium, offset, &mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(length) => offset += length as u64,
        }
    }
    assert!(offset <= content.size());
}
