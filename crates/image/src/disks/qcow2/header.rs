//! The header.

use crate::bytes::be::{u32_at, u64_at};
use crate::error::Problem;

/// The bytes to read: the header of version 3 with the fields that are known.
pub(super) const LENGTH: usize = 112;

/// The bits of entries of tables that are an offset.
pub(super) const OFFSET: u64 = 0x00ff_ffff_ffff_fe00;

/// The bits of incompatible features.
pub(super) mod incompatible {
    /// The reference counts may be wrong.
    pub(crate) const DIRTY: u64 = 1;
    /// Data structures may be corrupt.
    pub(crate) const CORRUPT: u64 = 2;
    /// The data are in another file.
    pub(crate) const DATA_FILE: u64 = 4;
    /// The compression type is not deflate.
    pub(crate) const COMPRESSION: u64 = 8;
    /// L2 entries have bitmaps of subclusters.
    pub(crate) const EXTENDED_L2: u64 = 16;
    pub(crate) const KNOWN: u64 = DIRTY | CORRUPT | DATA_FILE | COMPRESSION | EXTENDED_L2;
}

pub(super) const COMPRESSION_ZSTD: u8 = 1;

/// The automatic feature bit that says that bitmaps are valid.
const BITMAPS_VALID: u64 = 1;

/// Sizes of clusters that QEMU uses: 512 bytes to 2 MiB.
const CLUSTER_BITS: std::ops::RangeInclusive<u32> = 9..=21;

/// The most bytes of the L1 table and of the table of reference counts, as in QEMU.
const MOST_L1: u32 = 32 << 20;
const MOST_REFERENCES: u64 = 8 << 20;

#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) version: u32,
    /// The offset of the backing file's name; 0 without one.
    pub(super) backing_offset: u64,
    pub(super) backing_length: u32,
    pub(super) cluster_bits: u32,
    pub(super) size: u64,
    pub(super) encryption: u32,
    pub(super) l1_entries: u32,
    pub(super) l1_offset: u64,
    pub(super) references_offset: u64,
    pub(super) references_clusters: u32,
    pub(super) snapshots: u32,
    pub(super) snapshots_offset: u64,
    pub(super) incompatible: u64,
    pub(super) bitmaps_valid: bool,
    /// The bits of a reference count are two to this power.
    pub(super) reference_order: u32,
    /// The length of the header, after which extensions follow.
    pub(super) length: u32,
    pub(super) compression: u8,
}

impl Header {
    pub(super) fn parse(bytes: &[u8; LENGTH]) -> Result<Header, Problem> {
        let version = u32_at(bytes, 4);
        if !(2..=3).contains(&version) {
            return Err(Problem::Feature(format!("version {version} of QCOW").into()));
        }
        let later = version > 2;
        let incompatible = if later { u64_at(bytes, 72) } else { 0 };
        let length = if later { u32_at(bytes, 100) } else { 72 };
        let typed = incompatible & incompatible::COMPRESSION != 0 && length > 104;
        let header = Header {
            version,
            backing_offset: u64_at(bytes, 8),
            backing_length: u32_at(bytes, 16),
            cluster_bits: u32_at(bytes, 20),
            size: u64_at(bytes, 24),
            encryption: u32_at(bytes, 32),
            l1_entries: u32_at(bytes, 36),
            l1_offset: u64_at(bytes, 40),
            references_offset: u64_at(bytes, 48),
            references_clusters: u32_at(bytes, 56),
            snapshots: u32_at(bytes, 60),
            snapshots_offset: u64_at(bytes, 64),
            incompatible,
            bitmaps_valid: later && u64_at(bytes, 88) & BITMAPS_VALID != 0,
            reference_order: if later { u32_at(bytes, 96) } else { 4 },
            length,
            compression: if typed { bytes[104] } else { 0 },
        };
        header.check()
    }

    fn check(self) -> Result<Header, Problem> {
        if !CLUSTER_BITS.contains(&self.cluster_bits) {
            return Err(Problem::Header("the size of its clusters is impossible"));
        }
        if self.version > 2 && (self.length < 104 || u64::from(self.length) > self.cluster_size()) {
            return Err(Problem::Header("its length is impossible"));
        }
        if self.reference_order > 6 {
            return Err(Problem::Header("the width of its reference counts is impossible"));
        }
        if self.is_extended() && self.cluster_bits < 14 {
            return Err(Problem::Header("its clusters are too small for subclusters"));
        }
        if self.l1_entries > MOST_L1 / 8 {
            return Err(Problem::Header("its L1 table is too large"));
        }
        if u64::from(self.references_clusters) * self.cluster_size() > MOST_REFERENCES {
            return Err(Problem::Header("its table of reference counts is too large"));
        }
        Ok(self)
    }

    pub(super) fn cluster_size(&self) -> u64 {
        1 << self.cluster_bits
    }

    /// Whether L2 entries have bitmaps of subclusters.
    pub(super) fn is_extended(&self) -> bool {
        self.incompatible & incompatible::EXTENDED_L2 != 0
    }

    /// Returns the bytes of an L2 entry.
    pub(super) fn l2_width(&self) -> u64 {
        if self.is_extended() { 16 } else { 8 }
    }

    pub(super) fn l2_entries(&self) -> u64 {
        self.cluster_size() / self.l2_width()
    }

    /// Returns the media bytes that an entry of the L1 table is for.
    pub(super) fn bytes_per_l1(&self) -> u64 {
        self.l2_entries() << self.cluster_bits
    }

    /// Returns the width of a reference count in bits.
    pub(super) fn reference_bits(&self) -> u64 {
        1 << self.reference_order
    }
}
