//! Checks the tables: every place is possible and used once, and is counted as used.

use super::bitmaps;
use super::header::OFFSET;
use super::map::{COPIED, Cluster, Clusters, Subclusters};
use super::references::References;
use crate::disks::blocks::{Report, Source, Structure, Used, fault};
use crate::finding::ProblemKind;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Checks an image.
pub(super) fn check(clusters: &Clusters, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
    let path = Arc::clone(source.files.path(0));
    let references = References { header: &clusters.header, source: *source };
    let mut check =
        Check { clusters, source, references, report, path, used: Used::default(), shared: Used::default() };
    check.structures();
    let (offset, entries) = (clusters.header.l1_offset, clusters.header.l1_entries.into());
    check.l1(L1Table { name: "L1 table", offset, entries }, Owner::Current)?;
    for snapshot in &clusters.snapshots {
        check.snapshot(snapshot.l1_offset, snapshot.l1_entries.into())?;
    }
    check.unused()?;
    if check.used.overflowed || check.shared.overflowed {
        check.add(ProblemKind::TooManyEntries, Structure::new("header", 0));
    }
    Some(())
}

/// Which state of the media a table belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// Each place belongs to one entry.
    Current,
    /// Snapshots share places with the current state and each other.
    Snapshot,
}

/// An L1 table.
struct L1Table<'a> {
    name: &'a str,
    offset: u64,
    entries: u64,
}

struct Check<'a, 'r> {
    clusters: &'a Clusters,
    source: &'a Source<'a>,
    references: References<'a>,
    report: &'a mut Report<'r>,
    path: Arc<Path>,
    /// Clusters with one user.
    used: Used,
    /// Clusters that several may use: those of compressed bytes, and those of snapshots.
    shared: Used,
}

impl Check<'_, '_> {
    fn add(&mut self, kind: ProblemKind, place: Structure<'_>) {
        self.report.add(kind, &self.path, place);
    }

    fn cluster_size(&self) -> u64 {
        self.clusters.header.cluster_size()
    }

    /// Uses the clusters of a range for one thing. Returns whether they are in the file, and none was in use.
    fn take(&mut self, offset: u64, length: u64, place: Structure<'_>) -> bool {
        if length == 0 {
            return true;
        }
        let size = self.cluster_size();
        if !offset.is_multiple_of(size) || offset.saturating_add(length) > self.end() {
            self.add(ProblemKind::BadEntry { target: offset }, place);
            return false;
        }
        let mut free = true;
        for cluster in offset / size..(offset + length).div_ceil(size) {
            if self.used.insert(cluster) || self.shared.contains(cluster) {
                self.add(ProblemKind::UsedTwice { target: cluster * size }, place);
                free = false;
            } else {
                self.counted(cluster, place);
            }
        }
        free
    }

    /// Uses the clusters of a range that others may use, too.
    fn share(&mut self, owner: Owner, offset: u64, length: u64, place: Structure<'_>) {
        let size = self.cluster_size();
        if length == 0 || offset >= self.end() {
            return self.add(ProblemKind::BadEntry { target: offset }, place);
        }
        // The length of compressed bytes is rounded up, also at the end of the file.
        for cluster in offset / size..(offset + length).min(self.end()).div_ceil(size) {
            if owner == Owner::Current && self.used.contains(cluster) {
                self.add(ProblemKind::UsedTwice { target: cluster * size }, place);
            } else if !self.used.contains(cluster) && !self.shared.insert(cluster) {
                self.counted(cluster, place);
            }
        }
    }

    /// Returns the end of the last cluster of the file.
    fn end(&self) -> u64 {
        self.clusters.file_size.div_ceil(self.cluster_size()).saturating_mul(self.cluster_size())
    }

    /// Checks that a cluster is counted.
    fn counted(&mut self, cluster: u64, place: Structure<'_>) {
        let target = cluster * self.cluster_size();
        match self.references.count(cluster) {
            Ok(0) => self.add(ProblemKind::NoReference { target }, place),
            Ok(_) => {}
            // Unreadable blocks are told where the table is checked.
            Err(_) => {}
        }
    }

    /// Uses what is neither media nor tables of media.
    fn structures(&mut self) {
        let (clusters, source) = (self.clusters, self.source);
        let header = &clusters.header;
        let size = header.cluster_size();
        let (l1, l1_offset) = (u64::from(header.l1_entries) * 8, header.l1_offset);
        let (table, table_offset) = (u64::from(header.references_clusters) * size, header.references_offset);
        self.take(0, size, Structure::new("header", 0));
        if self.take(table_offset, table, Structure::new("reference count table", table_offset)) {
            self.reference_blocks();
        }
        self.take(l1_offset, l1, Structure::new("L1 table", l1_offset));
        let (snapshots, offset) =
            (clusters.snapshots.last().map_or(0, |last| last.end), header.snapshots_offset);
        self.take(offset, snapshots, Structure::new("snapshot table", offset));
        if let Some(list) = clusters.extensions.bitmaps {
            let place = Structure::new("bitmaps", list.offset);
            let mut use_range = |offset, length| self.take(offset, length, place);
            if bitmaps::each_range(list, header, source, &mut use_range).is_err() {
                self.add(ProblemKind::Malformed, place);
            }
        }
    }

    fn reference_blocks(&mut self) {
        let offset = self.clusters.header.references_offset;
        for index in 0..self.references.blocks() {
            match self.references.block(index) {
                Ok(0) => {}
                Ok(block) => {
                    self.take(block, self.cluster_size(), Structure::new("reference count table", offset));
                }
                Err(error) => {
                    return self.add(fault(&error), Structure::new("reference count table", offset));
                }
            }
        }
    }

    /// Checks the tables of a snapshot. Each has an L1 table of its own, so the check takes no longer than the file is.
    fn snapshot(&mut self, offset: u64, entries: u64) -> Option<()> {
        let name = "L1 table of a snapshot";
        match self.take(offset, entries * 8, Structure::new(name, offset)) {
            true => self.l1(L1Table { name, offset, entries }, Owner::Snapshot),
            false => Some(()),
        }
    }

    /// Checks an L1 table and its L2 tables.
    fn l1(&mut self, l1: L1Table<'_>, owner: Owner) -> Option<()> {
        let L1Table { name, offset, entries } = l1;
        let size = self.cluster_size();
        for index in 0..entries {
            let at = offset + index * 8;
            let table = match self.source.entry_be64(0, at) {
                Ok(entry) => {
                    // A reference to no table is nonsense, too.
                    if entry & !(OFFSET | COPIED) != 0 || entry == COPIED {
                        self.add(ProblemKind::Malformed, Structure::new(name, at));
                    }
                    entry & OFFSET
                }
                Err(error) => {
                    self.add(fault(&error), Structure::new(name, offset));
                    return Some(());
                }
            };
            if table == 0 {
                continue;
            }
            self.report.go_on()?;
            if !table.is_multiple_of(size) || table.saturating_add(size) > self.end() {
                self.add(ProblemKind::BadEntry { target: table }, Structure::new(name, at));
                continue;
            }
            // A table that was met needs no second look, and can't make the check longer.
            let cluster = table / size;
            let met = self.used.contains(cluster) || self.shared.contains(cluster);
            match owner {
                Owner::Current => {
                    self.take(table, size, Structure::new(name, at));
                }
                Owner::Snapshot => self.share(owner, table, size, Structure::new(name, at)),
            }
            if !met {
                self.l2(table, owner);
            }
        }
        Some(())
    }

    fn l2(&mut self, table: u64, owner: Owner) {
        let size = self.cluster_size();
        for index in 0..self.clusters.header.l2_entries() {
            let place = Structure::new("L2 table", table + index * self.clusters.header.l2_width());
            if self.clusters.is_reserved(self.source, table, index).unwrap_or(false) {
                self.add(ProblemKind::Malformed, place);
            }
            let (offset, length) = match self.clusters.entry(self.source, table, index) {
                Err(error) => return self.add(fault(&error), place),
                Ok(Cluster::Packed(offset, stored)) => {
                    self.share(owner, offset, stored, place);
                    continue;
                }
                Ok(Cluster::Parts(Subclusters { offset, stored, zeros })) if stored & zeros != 0 => {
                    self.add(ProblemKind::Malformed, place);
                    (offset, size)
                }
                Ok(
                    Cluster::Free
                    | Cluster::Zero { reserved: 0 }
                    | Cluster::Parts(Subclusters { offset: 0, .. }),
                ) => {
                    continue;
                }
                Ok(
                    Cluster::Zero { reserved: offset }
                    | Cluster::Plain(offset)
                    | Cluster::Parts(Subclusters { offset, .. }),
                ) => (offset, size),
            };
            match (self.clusters.data, owner) {
                // Another file has no reference counts.
                (Some(_), _) => {}
                (None, Owner::Current) => {
                    self.take(offset, length, place);
                }
                (None, Owner::Snapshot) => self.share(owner, offset, length, place),
            }
        }
    }

    /// Counts the clusters that nothing uses, but that are counted as used.
    fn unused(&mut self) -> Option<()> {
        let (mut extra, per_block) = (0, self.references.per_block());
        let clusters = self.end() / self.cluster_size();
        for index in 0..self.references.blocks().min(clusters.div_ceil(per_block)) {
            self.report.go_on()?;
            let Ok(block) = self.references.block(index) else { break };
            if block != 0 {
                extra += self.unused_in(block, index * per_block).unwrap_or(0);
            }
        }
        if extra > 0 {
            self.add(
                ProblemKind::Unused { extra },
                Structure::new("reference count table", self.clusters.header.references_offset),
            );
        }
        Some(())
    }

    fn unused_in(&self, block: u64, first: u64) -> io::Result<u64> {
        /// The counts that are read at once.
        const STEP: u64 = 4096;
        // Counts past the end of the file are of nothing.
        let clusters =
            (self.end() / self.cluster_size()).saturating_sub(first).min(self.references.per_block());
        let (mut extra, mut at) = (0, 0);
        while at < clusters {
            let end = (at + STEP).min(clusters);
            for (cluster, count) in (first + at..).zip(self.references.counts(block, at..end)?) {
                let is_used = || self.used.contains(cluster) || self.shared.contains(cluster);
                extra += u64::from(count > 0 && !is_used());
            }
            at = end;
        }
        Ok(extra)
    }
}
