//! The facts about a file system as a whole, and what is worth telling about it.

use super::features::{incompatible, read_only};
use super::volume::Volume;
use crate::{FileSystemInfo, Problem};

/// The bits of the state: it was unmounted, and an error was found.
const UNMOUNTED: u16 = 1;
const ERRONEOUS: u16 = 2;

/// Returns the facts about a volume.
pub(super) fn info(volume: &Volume) -> FileSystemInfo {
    let superblock = &volume.superblock;
    let label: Vec<u8> = superblock.label.iter().copied().take_while(|byte| *byte != 0).collect();
    FileSystemInfo {
        kind: superblock.kind(),
        label: Some(label).filter(|label| !label.is_empty()),
        identifier: Some(identifier(&superblock.uuid)),
        block: superblock.block_size as u32,
        size: superblock.size(),
        notes: notes(volume),
        doubts: doubts(volume),
    }
}

/// Returns a UUID in its usual form.
fn identifier(uuid: &[u8; 16]) -> String {
    let hex = |byte: &u8| format!("{byte:02x}");
    let parts = [0..4, 4..6, 6..8, 8..10, 10..16].map(|part| uuid.iter().take(part.end).skip(part.start));
    parts.map(|part| part.map(hex).collect::<String>()).join("-")
}

fn notes(volume: &Volume) -> Vec<String> {
    let superblock = &volume.superblock;
    let features = superblock.features;
    let beyond = superblock.size().saturating_sub(volume.medium.size());
    let told = [
        (superblock.state & UNMOUNTED == 0, "it was not unmounted cleanly".to_owned()),
        (superblock.state & ERRONEOUS != 0, "the system that used it found errors in it".to_owned()),
        (
            features.has_incompatible(incompatible::RECOVER),
            "its journal has changes that were not written back; they are not read".to_owned(),
        ),
        (
            superblock.last_orphan != 0 || features.has_read_only(read_only::ORPHANS_PRESENT),
            "files without a name were in use, or files were about to be shortened".to_owned(),
        ),
        (beyond > 0, format!("the last {beyond} bytes are missing")),
    ];
    told.into_iter().filter(|(is_told, _)| *is_told).map(|(_, note)| note).collect()
}

fn doubts(volume: &Volume) -> Vec<Problem> {
    let superblock = &volume.superblock;
    let (damaged, lost) = volume.damaged_descriptors();
    let told = [
        (
            volume.is_copy,
            format!("the superblock is damaged: its copy in group {} was used", superblock.group),
        ),
        (!superblock.is_intact, "the checksum of the superblock is wrong".to_owned()),
        (
            damaged > 0,
            format!("{damaged} group descriptors are damaged; of {} a copy was used", damaged - lost),
        ),
    ];
    told.into_iter().filter(|(is_told, _)| *is_told).map(|(_, what)| Problem::incomplete(what)).collect()
}
