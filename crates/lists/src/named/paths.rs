//! Paths of files that a list names, on their way to a run.

use crate::learn::named_file;
use crate::listed::Reach;
use hashmill_source::WalkItem;
use std::sync::Arc;

/// Paths in one buffer, so that millions of them need no memory beside their bytes. Clones share the buffer.
#[derive(Debug, Clone)]
pub struct Paths {
    bytes: Arc<Vec<u8>>,
    next: usize,
    reach: Reach,
}

impl Paths {
    /// Takes paths of files that a list names.
    pub fn new<P: AsRef<[u8]>>(paths: impl Iterator<Item = P>, reach: Reach) -> Paths {
        let mut bytes = Vec::new();
        for path in paths {
            // No path contains a NUL. A path of a manifest that does is cut there, and its file is not found.
            bytes.extend_from_slice(path.as_ref());
            bytes.push(0);
        }
        Paths { bytes: Arc::new(bytes), next: 0, reach }
    }
}

impl Iterator for Paths {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        let rest = &self.bytes[self.next..];
        let length = rest.iter().position(|byte| *byte == 0)?;
        self.next += length + 1;
        Some(named_file(&rest[..length], &self.reach))
    }
}
