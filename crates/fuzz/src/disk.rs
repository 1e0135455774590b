//! File systems from any bytes: no panic, bounded work, and no more bytes of a file than its size.

use hashmill_disk::{DeletedEntries, DiskContent, Limits, Medium, NodeKind, Walk, WalkEntry, file_system};
use std::sync::Arc;

/// The size of a medium, and that of a piece of it in an input.
const MEDIUM: usize = 128 << 10;
const PIECE: usize = 64;

/// The most bytes of a file that are read, and the most entries and free places.
const MOST: u64 = 1 << 20;
const ENTRIES: u64 = 2000;

/// Reads all that is on a medium. The input is its pieces that are not zero: the number of each in two bytes, and 64
/// bytes.
pub fn pieces(data: &[u8]) {
    let mut bytes = vec![0; MEDIUM];
    for piece in data.chunks(2 + PIECE) {
        let Some((number, piece)) = piece.split_first_chunk() else { continue };
        let start = usize::from(u16::from_le_bytes(*number)) * PIECE % MEDIUM;
        bytes[start..start + piece.len()].copy_from_slice(piece);
    }
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let Ok(DiskContent::FileSystem(system)) = file_system(&medium) else { return };
    let _ = format!("{:?}", system.info());
    for deleted in [DeletedEntries::LeftOut, DeletedEntries::Listed] {
        for entry in Walk::new(&*system, deleted, Limits { depth: 20, entries: ENTRIES, ..Limits::default() })
        {
            read(&*medium, &entry);
        }
    }
    let mut before = 0;
    for run in system.free().take(ENTRIES as usize).flatten() {
        assert!(run.at >= before && run.place == Some(run.at));
        before = run.end() + 1;
    }
}

/// Reads the bytes of an entry.
fn read(medium: &dyn Medium, entry: &WalkEntry) {
    let Ok(node) = &entry.node else { return };
    let Ok(content) = &node.content else { return };
    let (mut offset, mut buffer) = (0, vec![0; 10_000]);
    while offset < MOST && node.kind != NodeKind::Directory {
        match content.read_at(medium, offset, &mut buffer) {
            Ok(0) => return assert_eq!(offset, content.size()),
            Ok(read) => offset += read as u64,
            Err(_) => return,
        }
    }
}
