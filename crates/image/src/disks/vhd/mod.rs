//! VHD of Virtual PC and Hyper-V (Virtual Hard Disk Image Format Specification 1.0, Microsoft, 2006).
//!
//! A fixed disk is raw media before a footer. A dynamic one has a table with the sectors of its blocks; a bitmap before
//! each block says which of its sectors were ever written.

mod check;
mod footer;
mod map;

use super::blocks::{DiskFile, Opening};
use crate::bytes::be::{u32_at, u64_at};
use crate::error::{Error, Problem};
use crate::files::Files;
use crate::finding::{Findings, ImageLocation, ProblemKind};
use crate::format::{Fact, Format};
use crate::image::Image;
use footer::{DiskType, Footer};
use map::{Dynamic, Fixed};
use std::sync::Arc;

/// The header of a dynamic disk.
const HEADER: usize = 1024;

/// Blocks of Microsoft's programs have 512 KiB or 2 MiB.
const MOST_BLOCK: u64 = 256 << 20;

/// Opens a disk that has the mark of a footer at its start or end.
pub(crate) fn open(opening: &Opening<'_>) -> Result<Image, Error> {
    opening.alone()?;
    let file = opening.file()?;
    let mut findings = Findings::default();
    let footer = footer::find(&file, &mut findings).map_err(|error| file.failed(error))?;
    let footer = footer.ok_or_else(|| opening.bad_header("its footer is damaged"))?;
    let media_size = opening.media_size(Some(footer.size))?;
    if footer.geometry != 0 && footer.geometry < media_size {
        let place = ImageLocation::section(&file.path, "footer", footer.offset);
        findings.add(ProblemKind::SizesDiffer { size: footer.geometry }, place);
    }
    let map: Box<dyn super::blocks::BlockMap> = match footer.kind {
        DiskType::Fixed => Box::new(Fixed { end: footer.offset }),
        DiskType::Dynamic => Box::new(dynamic(opening, &file, &footer, &mut findings)?),
        DiskType::Differencing => return Err(parent(opening, &file, &footer)),
        DiskType::Other(_) => return Err(opening.bad_header("its type of disk is unknown")),
    };
    let files = Files::new(opening.opener, vec![Arc::clone(&file.path)]);
    let disk = Image::of_disk(Format::Vhd, files, vec![file.segment()], map, media_size);
    Ok(Image { facts: facts(&footer), findings, ..disk })
}

fn facts(footer: &Footer) -> Vec<Fact> {
    let kind = if footer.kind == DiskType::Fixed { "fixed" } else { "dynamic" };
    vec![Fact::new("kind of disk", kind), Fact::new("creator", String::from_utf8_lossy(&footer.creator))]
}

/// Reads the header of a dynamic or differencing disk.
fn header(opening: &Opening<'_>, file: &DiskFile, footer: &Footer) -> Result<[u8; HEADER], Error> {
    if !file.holds(footer.data, HEADER as u64) {
        return Err(opening.bad_header("the header of its dynamic part is outside the file"));
    }
    let header: [u8; HEADER] = file.bytes(footer.data).map_err(|error| file.failed(error))?;
    if header.starts_with(b"cxsparse") {
        Ok(header)
    } else {
        Err(opening.bad_header("the header of its dynamic part is damaged"))
    }
}

/// Refuses a differencing disk by the name of its parent.
fn parent(opening: &Opening<'_>, file: &DiskFile, footer: &Footer) -> Error {
    match header(opening, file, footer) {
        Ok(header) => {
            let units = header[64..576].chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
            let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
            opening.refused(Problem::Parent(format!("'{}'", String::from_utf16_lossy(&units)).into()))
        }
        Err(error) => error,
    }
}

fn dynamic(
    opening: &Opening<'_>,
    file: &DiskFile,
    footer: &Footer,
    findings: &mut Findings,
) -> Result<Dynamic, Error> {
    let header = header(opening, file, footer)?;
    if footer::sum(&header, 36) != u32_at(&header, 36) {
        let place = ImageLocation::section(&file.path, "dynamic header", footer.data);
        findings.add(ProblemKind::ContentChecksum, place);
    }
    let map = Dynamic {
        media_size: footer.size,
        table: u64_at(&header, 16),
        entries: u32_at(&header, 28).into(),
        block_size: u32_at(&header, 32).into(),
        // Data end where the footer begins.
        end: footer.offset,
    };
    if !map.block_size.is_power_of_two() || !(512..=MOST_BLOCK).contains(&map.block_size) {
        return Err(opening.bad_header("the size of its blocks is impossible"));
    }
    if map.entries < map.media_size.div_ceil(map.block_size) {
        return Err(opening.bad_header("its table of blocks is too small for its size"));
    }
    if !file.holds(map.table, map.media_size.div_ceil(map.block_size) * 4) {
        return Err(opening.bad_header("its table of blocks is outside the file"));
    }
    Ok(map)
}
