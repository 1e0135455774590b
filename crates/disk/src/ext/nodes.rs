//! Inodes as entries: their content, and how much of a deleted one is left.

use super::features::incompatible;
use super::inode::Inode;
use super::mapping::Mapping;
use super::volume::Volume;
use super::{extents, inline, pointers};
use crate::{Allocation, ByteRun, Content, Node, NodeKind, Problem, Recovery};

/// The bytes that a block map takes in an inode, in which a short target of a link lies instead.
const BLOCK_MAP: u64 = 60;

/// The way in which an entry was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It is in use, with a name or without.
    Used,
    /// It was deleted, and its inode was not used again.
    Deleted,
    /// It was deleted, and its inode belongs to others now.
    UsedAgain,
}

/// Returns the entry that an inode stands for.
///
/// # Errors
/// If the inode has no type.
pub(super) fn node(volume: &Volume, inode: &Inode, origin: Origin) -> Result<Node, Problem> {
    let kind = inode.kind().ok_or_else(|| Problem::damaged("an inode without a type"))?;
    let is_internal = volume.superblock.is_internal(inode.number) || inode.is_attribute();
    let mapping = mapping(volume, inode, kind);
    let allocation = match origin {
        Origin::Used => Allocation::Live,
        Origin::UsedAgain => Allocation::Deleted(Recovery::Overlapped),
        Origin::Deleted => Allocation::Deleted(recovery(volume, inode, kind, mapping.as_ref())),
    };
    let content = content(volume, inode, kind, mapping);
    let shown = if is_internal && kind == NodeKind::File { NodeKind::Metadata } else { kind };
    Ok(Node {
        // A deleted name is none of those that are counted.
        links: if origin == Origin::Used { inode.links } else { 1 },
        times: inode.times(),
        allocation,
        ..Node::new(inode.number.into(), shown, inode.size, content)
    })
}

/// Reads where the content lies; none if it lies in the inode, or there is none.
///
/// # Errors
/// If that makes no sense or can't be read.
pub(super) fn mapping(volume: &Volume, inode: &Inode, kind: NodeKind) -> Option<Result<Mapping, Problem>> {
    let is_stored = match kind {
        NodeKind::File | NodeKind::Directory | NodeKind::Metadata => true,
        NodeKind::Link => !is_short_link(volume, inode),
        // They have none, unless somebody put it there.
        NodeKind::Fifo | NodeKind::Socket | NodeKind::Device => inode.size > 0,
    };
    if !is_stored || inode.is_inline() {
        return None;
    }
    Some(if inode.has_extents() { extents::map(volume, inode) } else { pointers::map(volume, inode) })
}

/// Returns whether the target of a link lies in the place of the block map: then no block but one of attributes is its.
fn is_short_link(volume: &Volume, inode: &Inode) -> bool {
    let attributes = if inode.attributes == 0 { 0 } else { volume.cluster_sectors() };
    // Attributes in inodes of their own may be counted.
    let is_by_size = volume.superblock.features.has_incompatible(incompatible::ATTRIBUTE_INODES);
    inode.size < BLOCK_MAP && (is_by_size || inode.sectors == attributes)
}

fn content(
    volume: &Volume,
    inode: &Inode,
    kind: NodeKind,
    mapping: Option<Result<Mapping, Problem>>,
) -> Result<Content, Problem> {
    let is_file = matches!(kind, NodeKind::File | NodeKind::Link | NodeKind::Metadata);
    match mapping {
        // The sum covers all that tells where the content is.
        _ if !inode.is_intact => Err(Problem::Checksum("its inode")),
        _ if is_file && inode.is_encrypted() => Err(Problem::Encrypted("fscrypt")),
        Some(mapping) => Ok(Content::plain(mapping?.runs, inode.size)),
        None if inode.is_inline() => within(inode, inline::value(inode)),
        None if kind == NodeKind::Link && is_short_link(volume, inode) => within(inode, &[]),
        None => Ok(Content::empty()),
    }
}

/// Returns content that begins in the place of the block map.
fn within(inode: &Inode, rest: &[u8]) -> Result<Content, Problem> {
    let mut bytes = [&inode.block(), rest].concat();
    if inode.size > bytes.len() as u64 {
        return Err(Problem::Short);
    }
    bytes.truncate(inode.size as usize);
    Ok(Content::Inline(bytes.into()))
}

/// Returns how much of a deleted entry is left. Deletion makes the size zero and forgets the places, in ext3 and ext4
/// and since Linux 2.6 in ext2: then nothing is known of what it was.
fn recovery(
    volume: &Volume,
    inode: &Inode,
    kind: NodeKind,
    mapping: Option<&Result<Mapping, Problem>>,
) -> Recovery {
    match mapping {
        None if matches!(kind, NodeKind::Fifo | NodeKind::Socket | NodeKind::Device) => Recovery::Intact,
        _ if inode.size == 0 => Recovery::Partial,
        None => Recovery::Intact,
        Some(Err(_)) => Recovery::Partial,
        Some(Ok(mapping)) if is_known(volume, inode, mapping) => in_places(volume, mapping),
        Some(Ok(_)) => Recovery::Partial,
    }
}

/// Returns whether all blocks that the inode counts are known; of clusters, some blocks may be unused.
fn is_known(volume: &Volume, inode: &Inode, mapping: &Mapping) -> bool {
    let stored = stored(mapping).map(|run| run.length).fold(0, u64::saturating_add);
    let tree = (mapping.blocks.len() as u64).saturating_mul(volume.superblock.block_size);
    let attributes = if inode.attributes == 0 { 0 } else { volume.cluster_sectors() };
    let counted = inode.sectors.saturating_sub(attributes).saturating_mul(512);
    stored > 0 && (volume.superblock.cluster > 1 || stored.saturating_add(tree) >= counted)
}

fn in_places(volume: &Volume, mapping: &Mapping) -> Recovery {
    let size = volume.superblock.block_size;
    if stored(mapping).map(|run| run.length).fold(0, u64::saturating_add) > volume.superblock.size() {
        return Recovery::Overlapped;
    }
    let data = stored(mapping).filter_map(|run| {
        run.place.map(|place| place / size..place.saturating_add(run.length).div_ceil(size))
    });
    let tree = mapping.blocks.iter().map(|block| *block..block.saturating_add(1));
    let mut all = data.chain(tree);
    if all.all(|blocks| volume.are_free(blocks).unwrap_or(false)) {
        Recovery::Intact
    } else {
        Recovery::Overlapped
    }
}

fn stored(mapping: &Mapping) -> impl Iterator<Item = &ByteRun> {
    mapping.runs.as_slice().iter().filter(|run| run.place.is_some())
}
