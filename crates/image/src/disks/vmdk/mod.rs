//! VMDK of VMware (Virtual Disk Format 5.0, VMware Technical Note; COWD as in QEMU's `block/vmdk.c`).
//!
//! A text describes the extents, one after the other: plain bytes, zeros, or grains that tables map to sectors. It is a
//! file of its own, or in the only extent.

mod check;
mod cowd;
mod descriptor;
mod kin;
mod map;
mod sparse;

pub(crate) use kin::descriptor_of;

use super::blocks::{DiskFile, Opening};
use crate::error::{Error, Problem};
use crate::ewf::draft::HeaderText;
use crate::files::Files;
use crate::files::name::plain_beside;
use crate::files::opener::names_beside;
use crate::finding::{Findings, ImageLocation, ProblemKind, Span};
use crate::format::{Fact, Format, Segment};
use crate::image::{Image, RAW_CHUNK};
use descriptor::{Descriptor, ExtentLine, LineKind, MOST_TEXT};
use map::{Extent, ExtentKind, Extents};
use sparse::{SECTOR, Sparse};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Opens a disk whose first file is a descriptor, or an extent that has one.
pub(crate) fn open(opening: &Opening<'_>) -> Result<Image, Error> {
    opening.alone()?;
    let file = opening.file()?;
    let head: [u8; 4] = file.bytes(0).map_err(|error| file.failed(error))?;
    match &head {
        b"KDMV" => monolithic(opening, file),
        b"COWD" => alone(opening, file, None),
        b"\xbe\xba\xfe\xca" => Err(opening.refused(Problem::Feature("SE sparse extents".into()))),
        _ => {
            let text = file.vec(0, MOST_TEXT).map_err(|error| file.failed(error))?;
            described(opening, &Descriptor::parse(&text), 2)
        }
    }
}

/// Opens an extent that should have the descriptor of the disk in it.
fn monolithic(opening: &Opening<'_>, file: DiskFile) -> Result<Image, Error> {
    match sparse::embedded(&file).map_err(|error| file.failed(error))? {
        None => alone(opening, file, None),
        Some(text) => {
            let descriptor = Descriptor::parse(&text);
            refuse(opening, &descriptor)?;
            match descriptor.extents.len() {
                0 | 1 => alone(opening, file, Some(&descriptor)),
                _ => described(opening, &descriptor, 1),
            }
        }
    }
}

/// Refuses what can't be read.
fn refuse(opening: &Opening<'_>, descriptor: &Descriptor) -> Result<(), Error> {
    if descriptor.encrypted {
        return Err(opening.refused(Problem::Encrypted("VMware")));
    }
    match &descriptor.parent {
        Some(parent) => Err(opening.refused(Problem::Parent(parent.as_str().into()))),
        None => Ok(()),
    }
}

/// Opens a disk that is one extent.
fn alone(opening: &Opening<'_>, file: DiskFile, descriptor: Option<&Descriptor>) -> Result<Image, Error> {
    let mut draft = Draft::new(opening);
    let sparse = draft.sparse(&file)?;
    if descriptor.is_none() {
        draft.findings.add(ProblemKind::NoDescriptor, ImageLocation::file(&file.path));
    }
    let size = sparse.capacity;
    draft.add_file(file, 1);
    draft.extents.push(Extent { start: 0, size, kind: ExtentKind::Sparse(0, sparse) });
    draft.finish(size, descriptor)
}

/// Opens a disk by its descriptor. The number of its first extent is 2 if the descriptor is a file of its own.
fn described(opening: &Opening<'_>, descriptor: &Descriptor, first: u64) -> Result<Image, Error> {
    refuse(opening, descriptor)?;
    if descriptor.extents.is_empty() {
        return Err(opening.bad_header("its descriptor has no extents"));
    }
    let mut draft = Draft::new(opening);
    let beside = names_beside(&**opening.opener, opening.first, common_start(&descriptor.extents));
    draft.beside = beside.map_err(|error| Error::io(opening.first, error))?;
    let mut start = 0_u64;
    for (line, number) in descriptor.extents.iter().zip(first..) {
        let size = line.sectors.checked_mul(SECTOR).filter(|size| *size < 1 << 60);
        let size = size.ok_or_else(|| opening.refused(Problem::Geometry))?;
        let kind = draft.extent(line, number)?;
        draft.extents.push(Extent { start, size, kind });
        start = opening.media_size(start.checked_add(size))?;
    }
    draft.finish(start, Some(descriptor))
}

/// Returns the start that the names of all extents have in common, so that one listing finds them.
fn common_start(extents: &[ExtentLine]) -> &[u8] {
    let mut names = extents.iter().map(|extent| &*extent.name).filter(|name| !name.is_empty());
    let first = names.next().unwrap_or_default();
    names.fold(first, |start, name| {
        let length = start.iter().zip(name).take_while(|(one, other)| one == other).count();
        &start[..length]
    })
}

/// A disk that is being opened.
struct Draft<'a> {
    opening: &'a Opening<'a>,
    files: Vec<DiskFile>,
    /// The indexes of files by their paths: several extents may be in one.
    indexes: BTreeMap<Arc<Path>, usize>,
    /// The names of files that may be extents.
    beside: BTreeSet<Vec<u8>>,
    segments: Vec<Segment>,
    extents: Vec<Extent>,
    findings: Findings,
}

impl<'a> Draft<'a> {
    fn new(opening: &'a Opening<'a>) -> Self {
        Draft {
            opening,
            files: Vec::new(),
            indexes: BTreeMap::new(),
            beside: BTreeSet::new(),
            segments: Vec::new(),
            extents: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// Adds a file unless it is there, and returns its index.
    fn add_file(&mut self, file: DiskFile, number: u64) -> usize {
        if let Some(index) = self.indexes.get(&file.path) {
            return *index;
        }
        let index = self.files.len();
        self.indexes.insert(Arc::clone(&file.path), index);
        self.segments.push(Segment { number, ..file.segment() });
        self.files.push(file);
        index
    }

    /// Reads the header of a sparse extent.
    fn sparse(&mut self, file: &DiskFile) -> Result<Sparse, Error> {
        let head: [u8; 512] = file.bytes(0).map_err(|error| file.failed(error))?;
        let read = if head.starts_with(b"COWD") { cowd::parse(&head) } else { Sparse::read(file, &head) };
        let sparse = read.map_err(|problem| Error::new(&file.path, problem))?;
        if sparse.unclean {
            self.findings.add(ProblemKind::NotClosed, ImageLocation::file(&file.path));
        }
        Ok(sparse)
    }

    /// Opens an extent of a descriptor.
    fn extent(&mut self, line: &ExtentLine, number: u64) -> Result<ExtentKind, Error> {
        let refused = |problem| Err(self.opening.refused(problem));
        match &line.kind {
            LineKind::Zero => return Ok(ExtentKind::Zero),
            LineKind::Other(kind) => return refused(Problem::Feature(format!("{kind} extents").into())),
            LineKind::Flat | LineKind::Sparse => {}
        }
        let name = String::from_utf8_lossy(&line.name);
        let path = plain_beside(self.opening.first, &line.name);
        let Some(path) = path else { return refused(Problem::FileName(name.into())) };
        let opened = match self.beside.contains(&*line.name) {
            true => DiskFile::open(&**self.opening.opener, &path),
            false => Err(io::ErrorKind::NotFound.into()),
        };
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let segments = Span { first: number, count: 1 };
                let place = ImageLocation::file(&path.into());
                self.findings.add(ProblemKind::MissingSegments { segments }, place);
                return Ok(ExtentKind::Missing);
            }
            Err(error) => return Err(Error::io(&path, error)),
        };
        if line.kind == LineKind::Flat {
            let offset = line.offset.checked_mul(SECTOR).filter(|offset| *offset < 1 << 62);
            let offset = offset.ok_or_else(|| self.opening.refused(Problem::Geometry))?;
            return Ok(ExtentKind::Flat { file: self.add_file(file, number), offset });
        }
        let sparse = self.sparse(&file)?;
        if sparse.capacity != line.sectors * SECTOR {
            self.findings
                .add(ProblemKind::SizesDiffer { size: sparse.capacity }, ImageLocation::file(&file.path));
        }
        Ok(ExtentKind::Sparse(self.add_file(file, number), sparse))
    }

    fn finish(self, size: u64, descriptor: Option<&Descriptor>) -> Result<Image, Error> {
        let media_size = self.opening.media_size(Some(size))?;
        let packed = self.extents.iter().filter_map(Extent::packed_size).max();
        let text =
            descriptor.map(|descriptor| HeaderText { section: "descriptor", text: descriptor.text.clone() });
        let kind = descriptor.and_then(|descriptor| descriptor.kind.as_ref());
        // Without any extent's file, the descriptor is the image.
        let mut paths: Vec<_> = self.files.iter().map(|file| Arc::clone(&file.path)).collect();
        let mut segments = self.segments;
        if paths.first().is_none_or(|path| &**path != self.opening.first) {
            let file = self.opening.file()?;
            segments.insert(0, file.segment());
            paths.push(file.path);
        }
        let files = Files::new(self.opening.opener, paths);
        let map = Box::new(Extents(self.extents));
        Ok(Image {
            chunk_size: packed.unwrap_or(1).max(RAW_CHUNK),
            texts: text.into_iter().collect(),
            facts: kind.map(|kind| Fact::new("kind of disk", kind)).into_iter().collect(),
            findings: self.findings,
            ..Image::of_disk(Format::Vmdk, files, segments, map, media_size)
        })
    }
}
