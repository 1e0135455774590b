//! The extensions after the header.

use super::header::Header;
use crate::bytes::be::{u32_at, u64_at};
use crate::disks::blocks::DiskFile;
use std::io;

const END: u32 = 0;
const BACKING_FORMAT: u32 = 0xe279_2aca;
const DATA_FILE: u32 = 0x4441_5441;
const BITMAPS: u32 = 0x2385_2875;

/// The most extensions that are read; QEMU writes up to five.
const MAX_EXTENSIONS: usize = 256;

/// The extensions that matter.
#[derive(Debug, Clone, Default)]
pub(super) struct Extensions {
    pub(super) backing_format: Option<Vec<u8>>,
    /// The name of the file with the data.
    pub(super) data_file: Option<Vec<u8>>,
    pub(super) bitmaps: Option<BitmapList>,
}

/// The list of dirty bitmaps.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitmapList {
    pub(super) count: u32,
    pub(super) size: u64,
    pub(super) offset: u64,
}

impl Extensions {
    /// Reads the extensions, which are all in the first cluster.
    pub(super) fn read(file: &DiskFile, header: &Header) -> io::Result<Extensions> {
        let cluster = file.vec(0, header.cluster_size())?;
        let mut found = Extensions::default();
        let mut rest = cluster.get(header.length as usize..).unwrap_or_default();
        for _ in 0..MAX_EXTENSIONS {
            let Some((head, body)) = rest.split_at_checked(8) else { break };
            let (kind, length) = (u32_at(head, 0), u32_at(head, 4) as usize);
            let Some(content) = body.get(..length) else { break };
            match kind {
                END => break,
                BACKING_FORMAT => found.backing_format = Some(content.to_vec()),
                DATA_FILE => found.data_file = Some(content.to_vec()),
                BITMAPS if content.len() >= 24 && header.bitmaps_valid => {
                    let (count, size, offset) = (u32_at(content, 0), u64_at(content, 8), u64_at(content, 16));
                    found.bitmaps = Some(BitmapList { count, size, offset });
                }
                _ => {}
            }
            rest = body.get(length.next_multiple_of(8)..).unwrap_or_default();
        }
        Ok(found)
    }
}
