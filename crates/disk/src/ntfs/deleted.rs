//! Deleted files, by the directory that they were in.

use super::file::File;
use super::record::{Record, Reference};
use super::scan::Scan;
use super::table::RecordTable;

/// The most names that are kept: 1 Mi, which take 16 MiB. The others are told as orphans.
const MAX_NAMES: usize = 1 << 20;

/// The deleted files by directory: pairs of a packed reference and the number of a record, in order.
#[derive(Debug)]
pub(super) struct Deleted(Vec<(u64, u64)>);

impl Deleted {
    /// Reads the whole table for records that are not in use and have names.
    pub(super) fn find(table: &RecordTable) -> Deleted {
        let mut found = Vec::new();
        for record in Scan::new(table).filter_map(|(_, record)| record.ok()) {
            if record.is_in_use() || record.base().is_some() || found.len() >= MAX_NAMES {
                continue;
            }
            let file = File::read(table, record);
            found.extend(file.names().iter().map(|name| (pack(name.parent), file.base.number)));
        }
        found.truncate(MAX_NAMES);
        found.sort_unstable();
        found.dedup();
        Deleted(found)
    }

    /// Returns the numbers of the records that were in a directory.
    pub(super) fn within(&self, directory: Reference) -> impl Iterator<Item = u64> + '_ {
        let wanted = pack(directory);
        let start = self.0.partition_point(|pair| pair.0 < wanted);
        self.0.iter().skip(start).take_while(move |pair| pair.0 == wanted).map(|pair| pair.1)
    }
}

fn pack(reference: Reference) -> u64 {
    reference.number | u64::from(reference.sequence) << 48
}

/// Returns whether the directory that a name is in is still there, in use or not.
pub(super) fn has_parent(table: &RecordTable, child: &Record, parent: Reference) -> bool {
    let record = table.read(parent.number).ok().filter(|record| record.base().is_none());
    record.is_some_and(|record| {
        record.is_directory()
            && record.number != child.number
            && record.reference() == parent
            && (record.is_in_use() || !child.is_in_use())
    })
}
