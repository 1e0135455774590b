//! VDI of VirtualBox, version 1.1 (`VDICore.h` of VirtualBox describes the header).
//!
//! A table has the number of the stored block for each block of the media.

mod map;

use super::blocks::Opening;
use crate::bytes::le::{array, u32_at, u64_at};
use crate::error::{Error, Problem};
use crate::files::Files;
use crate::format::{Fact, Format};
use crate::image::Image;
use map::Table;
use std::sync::Arc;

/// The header, with the text before it.
const LENGTH: usize = 0x1c8;

const VERSION: u32 = 0x0001_0001;
const MOST_BLOCK: u64 = 256 << 20;

/// The types of images: those that begin empty, those that are allocated at once, and those that need a parent.
const DYNAMIC: u32 = 1;
const FIXED: u32 = 2;
const UNDO: u32 = 3;
const DIFFERENCING: u32 = 4;

/// Opens a disk whose header has the mark of VDI.
pub(crate) fn open(opening: &Opening<'_>) -> Result<Image, Error> {
    opening.alone()?;
    let file = opening.file()?;
    let header: [u8; LENGTH] = file.bytes(0).map_err(|error| file.failed(error))?;
    let (version, kind) = (u32_at(&header, 0x44), u32_at(&header, 0x4c));
    if version != VERSION {
        let what = format!("version {}.{} of VDI", version >> 16, version & 0xffff);
        return Err(opening.refused(Problem::Feature(what.into())));
    }
    let parent: [u8; 16] = array(&header, 0x1a8);
    if matches!(kind, UNDO | DIFFERENCING) || (matches!(kind, DYNAMIC | FIXED) && parent != [0; 16]) {
        let name = hashmill_digest::Digest::new(&parent).to_string();
        return Err(opening.refused(Problem::Parent(name.into())));
    }
    if !matches!(kind, DYNAMIC | FIXED) {
        return Err(opening.bad_header("its type of disk is unknown"));
    }
    let table = Table {
        file_size: file.size,
        table: u32_at(&header, 0x154).into(),
        data: u32_at(&header, 0x158).into(),
        block_size: u32_at(&header, 0x178).into(),
        extra: u32_at(&header, 0x17c).into(),
        blocks: u32_at(&header, 0x180).into(),
        stated: u32_at(&header, 0x184).into(),
    };
    let media_size = opening.media_size(Some(u64_at(&header, 0x170)))?;
    if !table.block_size.is_power_of_two() || !(512..=MOST_BLOCK).contains(&table.block_size) {
        return Err(opening.bad_header("the size of its blocks is impossible"));
    }
    if table.extra > MOST_BLOCK {
        return Err(opening.bad_header("the size of what is before its blocks is impossible"));
    }
    if table.blocks < media_size.div_ceil(table.block_size) {
        return Err(opening.bad_header("its table of blocks is too small for its size"));
    }
    if !file.holds(table.table, table.blocks * 4) {
        return Err(opening.bad_header("its table of blocks is outside the file"));
    }
    let kind = if kind == FIXED { "fixed" } else { "dynamic" };
    let facts = vec![Fact::new("kind of disk", kind), Fact::new("block size", u32_at(&header, 0x178))];
    let files = Files::new(opening.opener, vec![Arc::clone(&file.path)]);
    let disk = Image::of_disk(Format::Vdi, files, vec![file.segment()], Box::new(table), media_size);
    Ok(Image { facts, ..disk })
}
