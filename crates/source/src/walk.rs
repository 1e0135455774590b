//! Trees, in the order of their paths' bytes.

use crate::{Filter, Found};

/// How to walk.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// Follow symbolic links below the operands. Operands themselves are always followed.
    pub follow: bool,
    /// Stay on the file systems of the operands.
    pub one_file_system: bool,
    /// Which files.
    pub filter: Filter,
    /// Files (device, inode) that this run writes: they come out as [`crate::Skip::Output`].
    pub leave_out: Vec<(u64, u64)>,
}

/// Walks the operands in the order given; below each, entries come in bytewise order of their whole
/// paths. An operand `-` is standard input.
pub fn walk(
    operands: impl Iterator<Item = Box<[u8]>> + Send + 'static,
    options: WalkOptions,
) -> impl Iterator<Item = Found> + Send {
    let _ = options;
    operands.map(|_| todo!("walk"))
}
