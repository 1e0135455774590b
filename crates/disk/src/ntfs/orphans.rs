//! Files that no directory names.

use super::Ntfs;
use super::attribute::{Attribute, DATA, FILE_NAME, INDEX_ALLOCATION, INDEX_ROOT};
use super::deleted::has_parent;
use super::file::File;
use super::index;
use super::record::Record;
use super::scan::Scan;
use super::table::{FIRST_FREE, RecordTable};
use crate::{Named, Problem};

/// The greatest number of a record of which is kept whether a directory names it: 256 Mi bits take 32 MiB. Those beyond
/// are taken for named.
const MAX_KEPT: u64 = 1 << 28;

/// The records that directories in use name: a bit each.
#[derive(Debug)]
struct NamedRecords(Vec<u64>);

impl NamedRecords {
    fn find(table: &RecordTable) -> NamedRecords {
        let mut named = NamedRecords(vec![0; table.count().min(MAX_KEPT).div_ceil(64) as usize]);
        for record in Scan::new(table).filter_map(|(_, record)| record.ok()) {
            if !record.is_in_use() || !record.is_directory() || record.base().is_some() {
                continue;
            }
            let own = record.number;
            let file = File::read(table, record);
            let names = index::names(&file, &*table.medium, table.boot.cluster);
            // The root names itself.
            names.found.iter().filter(|(to, _)| to.number != own).for_each(|(to, _)| named.add(to.number));
        }
        named
    }

    fn add(&mut self, number: u64) {
        let word = usize::try_from(number / 64).ok().and_then(|at| self.0.get_mut(at));
        word.into_iter().for_each(|word| *word |= 1 << (number % 64));
    }

    fn has(&self, number: u64) -> bool {
        let word = usize::try_from(number / 64).ok().and_then(|at| self.0.get(at));
        word.is_none_or(|word| word >> (number % 64) & 1 != 0)
    }
}

/// Returns what no directory leads to: first the files that no directory names, then all others, as those that are left
/// when directories were followed are in rings of directories that only name each other.
pub(super) fn find(system: &Ntfs) -> impl Iterator<Item = Result<Named, Problem>> + Send + '_ {
    let table = &system.table;
    let mut named = None;
    let first = Scan::new(table).filter_map(move |(number, record)| {
        let named = named.get_or_insert_with(|| NamedRecords::find(table));
        match record {
            Ok(record) => told(table, record, |file| is_alone(table, file, named)),
            // One that is named is told where it is.
            Err(Problem::Damaged(_)) if named.has(number) => None,
            Err(problem) => Some(Err(problem)),
        }
    });
    let rest = Scan::new(table).filter_map(|(_, record)| told(table, record.ok()?, |_| true));
    first.chain(rest)
}

/// Returns whether records of files in use are not among those that were met.
pub(super) fn are_left(system: &Ntfs, is_met: &dyn Fn(u64) -> bool) -> bool {
    let is_left = |record: Record| {
        let is_used = record.is_in_use() && record.base().is_none() && !is_met(record.number);
        is_used && has_something(&record)
    };
    Scan::new(&system.table).any(|(_, record)| record.is_ok_and(is_left))
}

fn is_alone(table: &RecordTable, file: &File<'_>, named: &NamedRecords) -> bool {
    let record = &file.base;
    if record.is_in_use() {
        return !named.has(record.number);
    }
    !file.names().iter().any(|name| has_parent(table, record, name.parent))
}

/// Returns the name of a file, if it is wanted.
fn told(
    table: &RecordTable,
    record: Record,
    is_wanted: impl Fn(&File<'_>) -> bool,
) -> Option<Result<Named, Problem>> {
    if record.base().is_some() || !has_something(&record) {
        return None;
    }
    let file = File::read(table, record);
    is_wanted(&file).then(|| Ok(name_of(&file)))
}

/// Returns whether a record has more than none has that was never used, or is kept for later.
fn has_something(record: &Record) -> bool {
    let is_used = |attribute: Attribute<'_>| match attribute.kind {
        FILE_NAME | INDEX_ROOT | INDEX_ALLOCATION => true,
        DATA => record.number >= FIRST_FREE || attribute.resident().is_none_or(|bytes| !bytes.is_empty()),
        _ => false,
    };
    record.number != super::table::ROOT && record.attributes().map_while(Result::ok).any(is_used)
}

fn name_of(file: &File<'_>) -> Named {
    let record = &file.base;
    let name = file.names().into_iter().next().map(|name| name.name);
    Named {
        name: name.unwrap_or_else(|| format!("OrphanFile-{}", record.number).into_bytes()),
        number: record.number,
        generation: record.sequence().into(),
        is_directory: Some(record.is_directory()),
        is_deleted: !record.is_in_use(),
    }
}
