//! The tables of paths (ECMA-119 9.4): each names all directories of a volume once more.

use super::descriptors::Volume;
use crate::Medium;
use std::collections::BTreeMap;

/// The most bytes of a table that are read: it has at most 65,535 directories that others may lie in.
const MAX_BYTES: u64 = 16 << 20;

/// Returns the places of the directories in all tables of a volume, with their names.
pub(super) fn tabled(medium: &dyn Medium, volume: &Volume) -> BTreeMap<u64, Vec<u8>> {
    let mut found = BTreeMap::new();
    let [little, other_little, big, other_big] = volume.tables;
    for (blocks, is_big) in [([little, other_little], false), ([big, other_big], true)] {
        for block in blocks.into_iter().filter(|block| *block > 0) {
            add(medium, volume, (block, is_big), &mut found);
        }
    }
    found
}

/// Adds the directories of a table, as far as it can be read.
fn add(
    medium: &dyn Medium,
    volume: &Volume,
    (block, is_big): (u32, bool),
    found: &mut BTreeMap<u64, Vec<u8>>,
) {
    let start = u64::from(block) * u64::from(volume.block);
    let left = medium.size().saturating_sub(start).min(MAX_BYTES);
    let mut table = vec![0; u64::from(volume.table_bytes).min(left) as usize];
    if medium.read_at(start, &mut table).is_err() {
        return;
    }
    let mut rest = &table[..];
    while let [length, attributes, one, two, three, four, _, _, behind @ ..] = rest {
        let extent = [*one, *two, *three, *four];
        let extent = if is_big { u32::from_be_bytes(extent) } else { u32::from_le_bytes(extent) };
        let length = usize::from(*length);
        let Some(name) = behind.get(..length).filter(|name| !name.is_empty()) else { break };
        let place = (u64::from(extent) + u64::from(*attributes)) * u64::from(volume.block);
        found.entry(place).or_insert_with(|| name.to_vec());
        rest = behind.get(length + length % 2..).unwrap_or_default();
    }
}
