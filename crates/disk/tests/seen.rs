//! Everything that a walk finds on a medium, with its bytes.

use hashmill_disk::{
    Content, DeletedEntries, DiskContent, FileSystem, Limits, Medium, NodeKind, Walk, WalkEntry, file_system,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An entry and its bytes.
#[derive(Debug)]
pub struct Seen {
    pub entry: WalkEntry,
    /// The bytes, if it has some and they could be read; else why not.
    pub bytes: Result<Vec<u8>, String>,
}

/// Opens the file system on a medium.
pub fn opened(medium: &Arc<dyn Medium>) -> Box<dyn FileSystem> {
    match file_system(medium).unwrap() {
        DiskContent::FileSystem(system) => system,
        other => panic!("no file system: {other:?}"),
    }
}

/// Reads everything on a medium, by path; of problems with the path of an entry that was read, the last counts.
pub fn everything(medium: &Arc<dyn Medium>, deleted: DeletedEntries) -> BTreeMap<Vec<u8>, Seen> {
    let system = opened(medium);
    let read = |entry: WalkEntry| {
        let bytes = match &entry.node {
            Ok(node) => match &node.content {
                Ok(content) if node.kind != NodeKind::Directory => bytes_of(&**medium, content),
                Ok(_) => Ok(Vec::new()),
                Err(problem) => Err(problem.to_string()),
            },
            Err(problem) => Err(problem.to_string()),
        };
        (entry.path.clone(), Seen { entry, bytes })
    };
    Walk::new(&*system, deleted, Limits::default()).map(read).collect()
}

/// Reads all bytes of a file.
pub fn bytes_of(medium: &dyn Medium, content: &Content) -> Result<Vec<u8>, String> {
    let (mut bytes, mut part) = (Vec::new(), vec![0; 100_000]);
    loop {
        match content.read_at(medium, bytes.len() as u64, &mut part) {
            Ok(0) => return Ok(bytes),
            Ok(read) => bytes.extend_from_slice(&part[..read]),
            Err(problem) => return Err(problem.to_string()),
        }
    }
}
