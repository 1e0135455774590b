//! The two headers, of which the one with the higher number counts.

use crate::bytes::checksums::crc32c_holds;
use crate::bytes::le::{array, u16_at, u32_at, u64_at};
use crate::disks::blocks::DiskFile;
use crate::error::Problem;
use crate::finding::{Findings, ImageLocation, ProblemKind};

const OFFSETS: [u64; 2] = [64 << 10, 128 << 10];
const LENGTH: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    sequence: u64,
    version: u16,
    /// The identifier of the log's entries; zeros if it is empty.
    pub(super) log: [u8; 16],
    pub(super) log_version: u16,
    pub(super) log_offset: u64,
    pub(super) log_length: u64,
}

/// Chooses the current header. A damaged one is a finding.
pub(super) fn choose(file: &DiskFile, findings: &mut Findings) -> Result<Header, Problem> {
    let mut found: Option<Header> = None;
    let mut damaged = Vec::new();
    for offset in OFFSETS {
        let bytes: [u8; LENGTH] = file.bytes(offset).map_err(Problem::Io)?;
        match Header::parse(&bytes) {
            Some(header) if found.as_ref().is_none_or(|found| found.sequence < header.sequence) => {
                found = Some(header);
            }
            Some(_) => {}
            None => damaged.push(offset),
        }
    }
    let header = found.ok_or(Problem::Header("both of its headers are damaged"))?;
    // The other header may have been half written when the power failed: it is what the two are for.
    for offset in damaged {
        findings.add(ProblemKind::TableCopyUsed, ImageLocation::section(&file.path, "header", offset));
    }
    match header.version {
        1 => Ok(header),
        other => Err(Problem::Feature(format!("version {other} of VHDX").into())),
    }
}

impl Header {
    fn parse(bytes: &[u8; LENGTH]) -> Option<Header> {
        (bytes.starts_with(b"head") && crc32c_holds(bytes, 4)).then(|| Header {
            sequence: u64_at(bytes, 8),
            log: array(bytes, 48),
            log_version: u16_at(bytes, 64),
            version: u16_at(bytes, 66),
            log_length: u32_at(bytes, 68).into(),
            log_offset: u64_at(bytes, 72),
        })
    }
}
