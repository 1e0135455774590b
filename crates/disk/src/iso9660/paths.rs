//! The tables of paths (ECMA-119 9.4): each names all directories of a volume once more.

use super::descriptors::Volume;
use crate::Medium;
use std::collections::BTreeMap;

/// The most bytes of a table that are read.
const MAX_BYTES: u64 = 16 << 20;

/// The most directories that are kept: a table has at most 65,535 that others may lie in. They take some 15 MB.
const MAX_DIRECTORIES: usize = 1 << 17;

/// The directories that tables of paths name.
#[derive(Debug, Default)]
pub(super) struct Tabled {
    /// Their places and names.
    pub(super) directories: BTreeMap<u64, Vec<u8>>,
    /// Whether there are more than are kept.
    pub(super) has_more: bool,
}

/// Returns the directories in all tables of a volume.
pub(super) fn tabled(medium: &dyn Medium, volume: &Volume) -> Tabled {
    let mut found = Tabled::default();
    let [little, other_little, big, other_big] = volume.tables;
    for (blocks, is_big) in [([little, other_little], false), ([big, other_big], true)] {
        for block in blocks.into_iter().filter(|block| *block > 0) {
            add(medium, volume, block, is_big, &mut found);
        }
    }
    found
}

/// Adds the directories of a table, as far as it can be read.
fn add(medium: &dyn Medium, volume: &Volume, block: u32, is_big: bool, found: &mut Tabled) {
    let start = u64::from(block) * u64::from(volume.block);
    let left = medium.size().saturating_sub(start).min(MAX_BYTES);
    let mut table = vec![0; u64::from(volume.table_bytes).min(left) as usize];
    if medium.read_at(start, &mut table).is_err() {
        return;
    }
    found.has_more |= table.len() as u64 == MAX_BYTES;
    let mut rest = &table[..];
    while let [length, attributes, one, two, three, four, _, _, behind @ ..] = rest {
        let extent = [*one, *two, *three, *four];
        let extent = if is_big { u32::from_be_bytes(extent) } else { u32::from_le_bytes(extent) };
        let length = usize::from(*length);
        let Some(name) = behind.get(..length).filter(|name| !name.is_empty()) else { break };
        let place = (u64::from(extent) + u64::from(*attributes)) * u64::from(volume.block);
        if found.directories.len() == MAX_DIRECTORIES && !found.directories.contains_key(&place) {
            found.has_more = true;
            return;
        }
        found.directories.entry(place).or_insert_with(|| name.to_vec());
        rest = behind.get(length + length % 2..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Record;
    use super::*;

    #[test]
    fn a_table_without_end_takes_no_memory_without_end() {
        let entry = |place: u32| [&[1, 0][..], &place.to_le_bytes(), &[1, 0, b'A', 0]].concat();
        let mut root = [0; 34];
        (root[0], root[32]) = (34, 1);
        let volume = |places: std::ops::Range<u32>| {
            let table: Vec<u8> = places.flat_map(entry).collect();
            let volume = Volume {
                sector: 16,
                is_joliet: false,
                label: Vec::new(),
                identifier: None,
                block: 1,
                size: 0,
                of_set: 1,
                sequence: 1,
                root: Record::parse(0, &root).unwrap(),
                tables: [1, 0, 0, 0],
                table_bytes: table.len() as u32,
            };
            ([vec![0], table].concat(), volume)
        };
        let most = MAX_DIRECTORIES as u32;
        for (places, has_more) in [(0..most, false), (0..most + 1, true)] {
            let (medium, volume) = volume(places);
            let found = tabled(&medium, &volume);
            assert_eq!((found.directories.len(), found.has_more), (MAX_DIRECTORIES, has_more));
        }
    }
}
