//! Block devices: which paths are those of one, and what lies on it.

use hashmill_os::names::path_bytes;
use hashmill_os::{FileKind, Links, facts_at};
use hashmill_source::{Block, Device};
use std::path::Path;

/// Returns whether a path is that of a block device.
pub(crate) fn is_block(path: &Path) -> bool {
    facts_at(path, Links::Follow).is_ok_and(|facts| facts.kind == FileKind::Block)
}

/// Returns whether a file or folder lies on a device, or a device is a part of it, as far as the system tells.
pub(crate) fn lies_on(path: &Path, device: &Path) -> bool {
    fn has(blocks: &[Block], number: (u32, u32)) -> bool {
        blocks.iter().any(|block| block.number == number || has(&block.below, number))
    }
    let of =
        |path: &Path| Device::from_path(&path_bytes(path)).map(|device| device.blocks).unwrap_or_default();
    let below = of(path);
    of(device).iter().any(|block| has(&below, block.number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lies_on_its_own_device() {
        let folder = tempfile::tempdir().unwrap();
        let device = Device::from_path(&path_bytes(folder.path())).unwrap();
        let nodes = device.blocks.iter().map(|block| Path::new("/dev").join(&block.name));
        for node in nodes.filter(|node| is_block(node)) {
            assert!(lies_on(folder.path(), &node), "{}", node.display());
        }
        assert!(!lies_on(folder.path(), Path::new("/dev/no-such-device")));
    }
}
