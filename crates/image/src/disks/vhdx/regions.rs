//! The two region tables, which are alike.

use crate::bytes::checksums::crc32c_holds;
use crate::bytes::le::{array, u32_at, u64_at};
use crate::disks::blocks::DiskFile;
use crate::error::Problem;
use crate::finding::{Findings, ImageLocation, ProblemKind};

const OFFSETS: [u64; 2] = [192 << 10, 256 << 10];
const LENGTH: usize = 64 << 10;

/// The most entries of a table.
const MAX_REGIONS: usize = 2047;

/// Identifiers, as they are stored.
const TABLE: [u8; 16] = *b"\x66\x77\xc2\x2d\x23\xf6\x00\x42\x9d\x64\x11\x5e\x9b\xfd\x4a\x08";
const METADATA: [u8; 16] = *b"\x06\xa2\x7c\x8b\x90\x47\x9a\x4b\xb8\xfe\x57\x5f\x05\x0f\x88\x6e";

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) offset: u64,
    pub(super) length: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Regions {
    /// The table of blocks.
    pub(super) table: Region,
    pub(super) metadata: Region,
}

impl Regions {
    /// Reads the first table that is whole.
    pub(super) fn read(file: &DiskFile, findings: &mut Findings) -> Result<Regions, Problem> {
        let mut chosen = None;
        let mut add = |kind: ProblemKind, offset: u64| {
            findings.add(kind, ImageLocation::section(&file.path, "region table", offset));
        };
        for offset in OFFSETS {
            let bytes = file.vec(offset, LENGTH as u64).map_err(Problem::Io)?;
            let whole = bytes.len() == LENGTH && bytes.starts_with(b"regi") && crc32c_holds(&bytes, 4);
            match &chosen {
                _ if !whole => add(ProblemKind::TableCopyUsed, offset),
                None => chosen = Some(bytes),
                Some(first) if *first != bytes => add(ProblemKind::TableCopyDiffers { entry: 0 }, offset),
                Some(_) => {}
            }
        }
        let bytes = chosen.ok_or(Problem::Header("both of its region tables are damaged"))?;
        Regions::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Result<Regions, Problem> {
        let (mut table, mut metadata) = (None, None);
        let count = (u32_at(bytes, 8) as usize).min(MAX_REGIONS);
        for entry in bytes.get(16..).unwrap_or_default().chunks_exact(32).take(count) {
            let region = Region { offset: u64_at(entry, 16), length: u32_at(entry, 24).into() };
            let required = u32_at(entry, 28) & 1 == 1;
            match array(entry, 0) {
                TABLE => table = Some(region),
                METADATA => metadata = Some(region),
                _ if required => return Err(Problem::Feature("a region of a later version".into())),
                _ => {}
            }
        }
        match (table, metadata) {
            (Some(table), Some(metadata)) => Ok(Regions { table, metadata }),
            _ => Err(Problem::Header("its table of blocks or its metadata is in no region")),
        }
    }
}
