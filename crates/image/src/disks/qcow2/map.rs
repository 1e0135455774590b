//! The map of clusters: the L1 table, and L2 tables.

use super::extensions::Extensions;
use super::header::{COMPRESSION_ZSTD, Header, OFFSET};
use super::snapshots::Snapshot;
use crate::disks::blocks::{BlockMap, Packed, Packing, Place, Report, Source, Stretch, fault};
use crate::finding::ProblemKind;
use std::io;

const ZERO: u64 = 1;
/// The bits of an L2 entry that are neither flags nor an offset.
const RESERVED: u64 = !(OFFSET | ZERO | COMPRESSED | COPIED);
const COMPRESSED: u64 = 1 << 62;
/// The flag of places with one reference.
pub(super) const COPIED: u64 = 1 << 63;

/// The number of parts of a cluster that an extended entry has two bits for.
const SUBCLUSTERS: u64 = 32;

/// The clusters of an open image.
#[derive(Debug)]
pub(super) struct Clusters {
    pub(super) header: Header,
    pub(super) extensions: Extensions,
    pub(super) snapshots: Vec<Snapshot>,
    pub(super) file_size: u64,
    /// The size of the file with the data, if it is another one.
    pub(super) data: Option<u64>,
    /// Clusters that are not allocated are those of the backing file.
    pub(super) backed: bool,
}

/// An L2 entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cluster {
    Free,
    Zero {
        /// The offset of the cluster that is reserved for it, or 0.
        reserved: u64,
    },
    Plain(u64),
    /// Offset and length of the compressed bytes; the length is rounded up to sectors.
    Packed(u64, u64),
    Parts(Subclusters),
}

/// The parts of a cluster, each with a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Subclusters {
    /// The offset of the cluster.
    pub(super) offset: u64,
    /// Those that are stored.
    pub(super) stored: u32,
    /// Those that are zeros.
    pub(super) zeros: u32,
}

impl Clusters {
    /// Reads an L2 entry of the table at an offset.
    pub(super) fn entry(&self, source: &Source<'_>, table: u64, index: u64) -> io::Result<Cluster> {
        let mut bytes = [0; 16];
        let width = self.header.l2_width();
        let at = table.checked_add(index * width).ok_or(io::ErrorKind::UnexpectedEof)?;
        source.table(0, at, &mut bytes[..width as usize])?;
        let value = u128::from_be_bytes(bytes);
        Ok(self.decode((value >> 64) as u64, value as u64))
    }

    /// Whether bits of an L2 entry are set that must not be.
    pub(super) fn is_reserved(&self, source: &Source<'_>, table: u64, index: u64) -> io::Result<bool> {
        let at = table.checked_add(index * self.header.l2_width()).ok_or(io::ErrorKind::UnexpectedEof)?;
        let entry = source.entry_be64(0, at)?;
        Ok(entry & COMPRESSED == 0 && entry & RESERVED != 0)
    }

    fn decode(&self, entry: u64, parts: u64) -> Cluster {
        let (offset, extended) = (entry & OFFSET, self.header.is_extended());
        let placed = offset != 0 || (self.data.is_some() && entry & COPIED != 0);
        if entry & COMPRESSED != 0 {
            let bits = 62 - (self.header.cluster_bits - 8);
            let (offset, more) = (entry & ((1 << bits) - 1), (entry & !COPIED & !COMPRESSED) >> bits);
            return Cluster::Packed(offset, (more + 1) * 512 - offset % 512);
        }
        if extended {
            let (stored, zeros) = (parts as u32, (parts >> 32) as u32);
            return match (placed, zeros) {
                (false, 0) if stored == 0 => Cluster::Free,
                _ => Cluster::Parts(Subclusters { offset, stored, zeros }),
            };
        }
        match (self.header.version > 2 && entry & ZERO != 0, placed) {
            (true, _) => Cluster::Zero { reserved: offset },
            (false, true) => Cluster::Plain(offset),
            (false, false) => Cluster::Free,
        }
    }

    /// Returns the place of media that no cluster is allocated for.
    fn free(&self) -> Place {
        if self.backed { Place::Backing } else { Place::Zeros }
    }

    /// Returns the place of plain bytes in a cluster.
    fn plain(&self, offset: u64, within: u64) -> Place {
        if !offset.is_multiple_of(self.header.cluster_size()) {
            return Place::Fault(ProblemKind::BadEntry { target: offset });
        }
        Place::Plain { file: usize::from(self.data.is_some()), offset: offset + within }
    }

    fn packing(&self) -> Packing {
        if self.header.compression == COMPRESSION_ZSTD { Packing::Zstd } else { Packing::Deflate }
    }

    /// Returns the place of a byte in a cluster, and how many bytes from there on are alike.
    fn place(&self, cluster: Cluster, within: u64) -> Stretch {
        let size = self.header.cluster_size();
        let left = size - within;
        Stretch::new(
            left,
            match cluster {
                Cluster::Free => self.free(),
                Cluster::Zero { .. } => Place::Zeros,
                Cluster::Plain(offset) => self.plain(offset, within),
                // Compressed clusters are never in another file.
                Cluster::Packed(offset, stored) => {
                    let packing = self.packing();
                    Place::Packed(Packed { file: 0, offset, stored, packing, skip: within, size })
                }
                Cluster::Parts(parts) => return self.part(parts, within),
            },
        )
    }

    /// Returns the place of a byte in a cluster with subclusters.
    fn part(&self, parts: Subclusters, within: u64) -> Stretch {
        let Subclusters { offset, stored, zeros } = parts;
        let size = self.header.cluster_size() / SUBCLUSTERS;
        let index = within / size;
        let left = size - within % size;
        let is = |bits: u32| bits >> index & 1 == 1;
        match (is(stored), is(zeros)) {
            (true, true) => Stretch::fault(left, ProblemKind::Malformed),
            (true, false) if offset == 0 && self.data.is_none() => {
                Stretch::fault(left, ProblemKind::BadEntry { target: 0 })
            }
            (true, false) => Stretch::new(left, self.plain(offset, within)),
            (false, true) => Stretch::new(left, Place::Zeros),
            (false, false) => Stretch::new(left, self.free()),
        }
    }

    /// Returns the offset of the L2 table in an L1 entry; 0 if there is none.
    fn l2_offset(&self, source: &Source<'_>, index: u64) -> Result<u64, ProblemKind> {
        let at = self.header.l1_offset.saturating_add(index * 8);
        let offset = source.entry_be64(0, at).map_err(|error| fault(&error))? & OFFSET;
        let aligned = offset.is_multiple_of(self.header.cluster_size());
        if aligned { Ok(offset) } else { Err(ProblemKind::BadEntry { target: offset }) }
    }
}

impl BlockMap for Clusters {
    fn locate(&self, source: &Source<'_>, offset: u64) -> Stretch {
        let per_l1 = self.header.bytes_per_l1();
        let (l1, within) = (offset / per_l1, offset % per_l1);
        let size = self.header.cluster_size();
        let table = match self.l2_offset(source, l1) {
            Err(kind) => return Stretch::fault(per_l1 - within, kind),
            Ok(0) => return Stretch::new(per_l1 - within, self.free()),
            Ok(table) => table,
        };
        let (index, within) = (within / size, within % size);
        match self.entry(source, table, index) {
            Ok(cluster) => self.place(cluster, within),
            // The rest of the table is as unreadable.
            Err(error) => Stretch::fault((self.header.l2_entries() - index) * size - within, fault(&error)),
        }
    }

    fn check(&self, source: &Source<'_>, report: &mut Report<'_>) -> Option<()> {
        super::check::check(self, source, report)
    }
}
