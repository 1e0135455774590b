//! VHDX of Hyper-V (\[MS-VHDX\]: Virtual Hard Disk v2 File Format).
//!
//! Regions hold a table of blocks and the metadata. A log may hold changes of them that were not yet made: they are
//! applied in memory, never to the file.

mod header;
mod log;
mod map;
mod metadata;
mod overlay;
mod regions;

use super::blocks::{DiskFile, Opening};
use crate::error::{Error, Problem};
use crate::files::Files;
use crate::finding::{Findings, ImageLocation, ProblemKind};
use crate::format::{Fact, Format};
use crate::image::Image;
use header::Header;
use map::Table;
use metadata::Metadata;
use overlay::{Changed, Changes};
use regions::Regions;
use std::sync::Arc;

/// Opens a disk whose first bytes are those of VHDX.
pub(crate) fn open(opening: &Opening<'_>) -> Result<Image, Error> {
    opening.alone()?;
    let mut file = opening.file()?;
    let segment = file.segment();
    let mut findings = Findings::default();
    let refused = |problem: Problem| opening.refused(problem);
    let header = header::choose(&file, &mut findings).map_err(refused)?;
    let changes = changes(opening, &file, &header, &mut findings)?;
    let mut opener = Arc::clone(opening.opener);
    if let Some(changes) = changes {
        let changed = Changed::new(Arc::clone(&opener), Arc::clone(&file.path), changes);
        opener = Arc::new(changed);
        file = DiskFile::open(&*opener, &file.path).map_err(|error| file.failed(error))?;
    }
    let regions = Regions::read(&file, &mut findings).map_err(refused)?;
    let metadata = Metadata::read(&file, &regions.metadata).map_err(refused)?;
    if metadata.has_parent {
        return Err(opening.refused(Problem::Parent(metadata.parent(&file).into())));
    }
    let media_size = opening.media_size(Some(metadata.size))?;
    let table = Table::new(&file, &regions.table, &metadata);
    if table.needed() > regions.table.length / 8 {
        return Err(opening.bad_header("its table of blocks is too small for its size"));
    }
    if !file.holds(regions.table.offset, table.needed() * 8) {
        return Err(opening.bad_header("its table of blocks is outside the file"));
    }
    let files = Files::new(&opener, vec![Arc::clone(&file.path)]);
    let disk = Image::of_disk(Format::Vhdx, files, vec![segment], Box::new(table), media_size);
    Ok(Image { facts: facts(&metadata), findings, ..disk })
}

/// Returns the changes in the log, if there are any.
fn changes(
    opening: &Opening<'_>,
    file: &DiskFile,
    header: &Header,
    findings: &mut Findings,
) -> Result<Option<Changes>, Error> {
    if header.log == [0; 16] {
        return Ok(None);
    }
    let place = || ImageLocation::file(&file.path);
    let replayed = log::replay(file, header).map_err(|problem| opening.refused(problem))?;
    match replayed {
        None => {
            findings.add(ProblemKind::LogDamaged, place());
            Ok(None)
        }
        Some((changes, number)) => {
            findings.add(ProblemKind::LogReplayed { number }, place());
            Ok(Some(changes))
        }
    }
}

fn facts(metadata: &Metadata) -> Vec<Fact> {
    vec![
        Fact::new("block size", metadata.block_size),
        Fact::new("bytes per logical sector", metadata.sector_size),
        Fact::new("disk identifier", hashmill_digest::Digest::new(&metadata.identifier)),
    ]
}
