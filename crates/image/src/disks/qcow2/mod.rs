//! QCOW2 of QEMU, versions 2 and 3 (docs/interop/qcow2.txt of QEMU).
//!
//! The media are in clusters. The L1 table has the places of L2 tables, which have those of clusters.

mod bitmaps;
mod check;
mod extensions;
mod header;
mod map;
mod references;
mod snapshots;

use super::blocks::{DiskFile, Opening};
use crate::error::{Error, Problem, StatedBacking};
use crate::files::Files;
use crate::files::name::plain_beside;
use crate::files::opener::names_beside;
use crate::finding::{Findings, ImageLocation, ProblemKind};
use crate::format::{Fact, Format, Segment};
use crate::image::{Image, RAW_CHUNK};
use extensions::Extensions;
use header::{COMPRESSION_ZSTD, Header, incompatible};
use map::Clusters;
use std::io;
use std::sync::Arc;

/// The most bytes of a backing file's name.
const MOST_NAME: u64 = 1023;

/// Opens an image whose first bytes are those of QCOW.
pub(crate) fn open(opening: &Opening<'_>) -> Result<Image, Error> {
    let main = opening.file()?;
    let header = Header::parse(&main.bytes(0).map_err(|error| main.failed(error))?)
        .map_err(|problem| opening.refused(problem))?;
    refuse(opening, &header)?;
    let extensions = Extensions::read(&main, &header).map_err(|error| main.failed(error))?;
    let media_size = opening.media_size(Some(header.size))?;
    check_tables(opening, &header, &main)?;
    let backing = stated_backing(opening, &header, &extensions, &main)?;
    check_backing(opening, backing.as_ref())?;
    let data = data_file(opening, &header, &extensions)?;
    let mut findings = Findings::default();
    let place = || ImageLocation::file(&main.path);
    if header.incompatible & incompatible::DIRTY != 0 {
        findings.add(ProblemKind::NotClosed, place());
    }
    if header.incompatible & incompatible::CORRUPT != 0 {
        findings.add(ProblemKind::MarkedCorrupt, place());
    }
    let snapshots = snapshots::read(&main, &header, &mut findings);
    let facts = facts(&header, &extensions, backing.as_ref());
    let files = [Some(&main), data.as_ref()].into_iter().flatten();
    let segments =
        files.clone().zip(1..).map(|(file, number)| Segment { number, ..file.segment() }).collect();
    let files = Files::new(opening.opener, files.map(|file| Arc::clone(&file.path)).collect());
    let block_size = header.cluster_size();
    let map = Clusters {
        file_size: main.size,
        data: data.map(|data| data.size),
        backed: backing.is_some(),
        header,
        extensions,
        snapshots,
    };
    let disk = Image::of_disk(Format::Qcow2, files, segments, Box::new(map), media_size);
    Ok(Image { chunk_size: block_size.max(RAW_CHUNK), facts, findings, ..disk })
}

/// Refuses what can't be read.
fn refuse(opening: &Opening<'_>, header: &Header) -> Result<(), Error> {
    let feature = |what: String| Err(opening.refused(Problem::Feature(what.into())));
    match header.encryption {
        0 => {}
        1 => return Err(opening.refused(Problem::Encrypted("AES of QCOW2"))),
        2 => return Err(opening.refused(Problem::Encrypted("LUKS"))),
        other => return feature(format!("encryption method {other}")),
    }
    let unknown = header.incompatible & !incompatible::KNOWN;
    if unknown != 0 {
        return feature(format!("incompatible features of later versions (bits {unknown:#x})"));
    }
    match header.compression {
        0..=COMPRESSION_ZSTD => Ok(()),
        other => Err(opening.refused(Problem::unknown_method(other))),
    }
}

/// Refuses an L1 table that is too small for the media, or not in the file.
fn check_tables(opening: &Opening<'_>, header: &Header, main: &DiskFile) -> Result<(), Error> {
    let needed = header.size.div_ceil(header.bytes_per_l1());
    let bytes = u64::from(header.l1_entries) * 8;
    if needed > header.l1_entries.into() {
        return Err(opening.bad_header("its L1 table is too small for its size"));
    }
    if !main.holds(header.l1_offset, bytes) {
        return Err(opening.bad_header("its L1 table is outside the file"));
    }
    Ok(())
}

/// Reads what a layer states about its backing file.
fn stated_backing(
    opening: &Opening<'_>,
    header: &Header,
    extensions: &Extensions,
    main: &DiskFile,
) -> Result<Option<StatedBacking>, Error> {
    let (offset, length) = (header.backing_offset, u64::from(header.backing_length));
    if offset == 0 {
        return Ok(None);
    }
    // As in QEMU.
    if length > MOST_NAME || offset.saturating_add(length) > header.cluster_size() {
        return Err(
            opening.bad_header("the name of its backing file is too long, or not in the first cluster")
        );
    }
    let name = main.vec(offset, length).map_err(|error| main.failed(error))?.into();
    Ok(Some(StatedBacking { name, format: extensions.backing_format.as_deref().map(Box::from) }))
}

/// Refuses a layer over a backing file that was not given, and a backing file for an image without one.
fn check_backing(opening: &Opening<'_>, stated: Option<&StatedBacking>) -> Result<(), Error> {
    match (stated, opening.backing) {
        (None, Some(_)) => Err(opening.refused(Problem::NoBacking)),
        (Some(stated), None) => Err(opening.refused(Problem::Backing(stated.clone()))),
        _ => Ok(()),
    }
}

/// Opens the file with the data, if it is another one: only a plain name beside the image is followed.
fn data_file(
    opening: &Opening<'_>,
    header: &Header,
    extensions: &Extensions,
) -> Result<Option<DiskFile>, Error> {
    if header.incompatible & incompatible::DATA_FILE == 0 {
        return Ok(None);
    }
    let name = extensions.data_file.as_deref();
    let name = name.ok_or_else(|| opening.bad_header("its data file has no name"))?;
    let path = plain_beside(opening.first, name)
        .ok_or_else(|| opening.refused(Problem::FileName(String::from_utf8_lossy(name).into())))?;
    let open = || match names_beside(&**opening.opener, opening.first, name)?.contains(name) {
        true => DiskFile::open(&**opening.opener, &path).map(Some),
        false => Err(io::ErrorKind::NotFound.into()),
    };
    open().map_err(|error| Error::io(&path, error))
}

fn facts(header: &Header, extensions: &Extensions, backing: Option<&StatedBacking>) -> Vec<Fact> {
    let mut facts = vec![
        Fact::new("version", header.version),
        Fact::new("cluster size", header.cluster_size()),
        Fact::new("compression", if header.compression == COMPRESSION_ZSTD { "zstd" } else { "deflate" }),
    ];
    if header.is_extended() {
        facts.push(Fact::new("subclusters", "32 a cluster"));
    }
    facts.extend(backing.map(|stated| Fact::new("backing file", stated)));
    if let Some(format) = &extensions.backing_format {
        facts.push(Fact::new("backing format", String::from_utf8_lossy(format)));
    }
    facts
}
