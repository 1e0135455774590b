//! Checks the tables of a sparse extent: each grain is in the file, in a place of its own, and both copies of the
//! tables agree.

use super::map::{Grain, stated_sector};
use super::sparse::{SECTOR, Sparse};
use crate::disks::blocks::{Report, Source, Structure, Used, fault};
use crate::finding::ProblemKind;
use std::path::Path;
use std::sync::Arc;

pub(super) fn check(
    sparse: &Sparse,
    source: &Source<'_>,
    file: usize,
    report: &mut Report<'_>,
) -> Option<()> {
    let path = Arc::clone(source.files.path(file));
    let mut check =
        Check { sparse, source, file, report, path, used: Used::default(), tables: Used::default() };
    for index in 0..sparse.tables() {
        check.report.go_on()?;
        if check.table(index).is_none() {
            break;
        }
    }
    if check.used.overflowed || check.tables.overflowed {
        check.add(ProblemKind::TooManyEntries, Structure::new("grain directory", sparse.directory));
    }
    Some(())
}

struct Check<'a, 'r> {
    sparse: &'a Sparse,
    source: &'a Source<'a>,
    file: usize,
    report: &'a mut Report<'r>,
    path: Arc<Path>,
    /// Grains by their first sector, or by their number where they are not compressed.
    used: Used,
    tables: Used,
}

impl Check<'_, '_> {
    fn add(&mut self, kind: ProblemKind, place: Structure<'_>) {
        self.report.add(kind, &self.path, place);
    }

    /// Checks a grain table. Returns `None` if the directory can't be read.
    fn table(&mut self, index: u64) -> Option<()> {
        let (sparse, source) = (self.sparse, self.source);
        let place = Structure::new("grain directory", sparse.directory + index * 4);
        let table = match sparse.table(source, self.file, sparse.directory, index) {
            Ok(table) => table,
            Err(error) => {
                self.add(fault(&error), place);
                return None;
            }
        };
        self.compare_copy(index, table);
        if table == 0 {
            return Some(());
        }
        if self.tables.insert(table / SECTOR) {
            self.add(ProblemKind::UsedTwice { target: table }, place);
            return Some(());
        }
        let grains = sparse.capacity.div_ceil(sparse.grain) - index * sparse.entries;
        for entry in 0..sparse.entries.min(grains) {
            match sparse.entry(source, self.file, table, entry) {
                Ok(Grain::Free | Grain::Zero) => {}
                Ok(Grain::At(offset)) => {
                    let place = Structure::new("grain table", table + entry * 4);
                    self.grain(offset, index * sparse.entries + entry, place);
                }
                Err(error) => {
                    self.add(fault(&error), place);
                    break;
                }
            }
        }
        Some(())
    }

    fn grain(&mut self, offset: u64, number: u64, place: Structure<'_>) {
        let sparse = self.sparse;
        if offset >= sparse.file_size {
            return self.add(ProblemKind::BadEntry { target: offset }, place);
        }
        // Grains that don't overlap never begin in the same part of the file.
        let part = if sparse.compressed { SECTOR } else { sparse.grain };
        if self.used.insert(offset / part) {
            return self.add(ProblemKind::UsedTwice { target: offset }, place);
        }
        if sparse.compressed {
            // A grain of another place is not this one.
            let sector = number * (sparse.grain / SECTOR);
            let stated = stated_sector(self.source, self.file, offset);
            if stated.is_ok_and(|stated| stated != sector) {
                self.add(ProblemKind::BadEntry { target: offset }, place);
            }
        }
    }

    /// Compares a grain table with its copy.
    fn compare_copy(&mut self, index: u64, table: u64) {
        let Some(directory) = self.sparse.copy else { return };
        let (sparse, source, file) = (self.sparse, self.source, self.file);
        let place = Structure::new("grain directory", directory);
        let copy = match sparse.table(source, file, directory, index) {
            Ok(copy) => copy,
            Err(error) => return self.add(fault(&error), place),
        };
        let read = |table: u64| {
            let mut bytes = vec![0; (sparse.entries * 4) as usize];
            source.table(file, table, &mut bytes).map(|()| bytes)
        };
        let alike = match (table, copy) {
            (0, 0) => true,
            (0, _) | (_, 0) => false,
            (table, copy) => match (read(table), read(copy)) {
                (Ok(one), Ok(other)) => one == other,
                _ => false,
            },
        };
        if !alike {
            self.add(ProblemKind::TableCopyDiffers { entry: index * sparse.entries }, place);
        }
    }
}
