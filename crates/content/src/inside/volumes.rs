//! The partitions on the media of an image, and the file system in each.

use super::medium::Outer;
use hashmill_disk::{
    DiskContent, FileSystem, Medium, Partition, Problem, Range, Volumes, file_system, other_file_systems,
    volumes,
};
use hashmill_image::{Finding, Image, ProblemKind, Severity};
use std::iter;
use std::sync::Arc;

/// The partitions and file systems on the media of an image.
#[derive(Debug)]
pub struct DiskLayout {
    /// The partition table, with its partitions.
    pub table: Volumes,
    /// The contents of the partitions; that of the whole medium comes first, if it is a file system.
    pub parts: Vec<DiskPart>,
}

/// A part of the media that may hold a file system: a partition, or all.
#[derive(Debug)]
pub struct DiskPart {
    /// The number of the partition; 0 for the whole medium.
    pub number: u32,
    /// The position of its first byte on the media.
    pub start: u64,
    /// The name of its format if its place holds another file system, too, which comes before it.
    pub other: Option<&'static str>,
    /// Its bytes.
    pub(super) range: Range,
    /// Its content.
    pub content: Result<DiskContent, Problem>,
}

impl DiskLayout {
    /// Looks for partitions, and opens their file systems.
    pub(super) fn read(medium: Arc<dyn Medium>) -> Result<DiskLayout, Problem> {
        let table = volumes(&medium)?;
        // The medium may be a file system as a whole beside its partitions, as a disc is.
        let is_whole = table.partitions.is_empty() || table.has_whole;
        let whole = is_whole.then_some((0, 0, medium.size()));
        let places =
            table.partitions.iter().map(|Partition { number, start, size, .. }| (*number, *start, *size));
        let part = |(number, start, size)| {
            let range = Range::new(Arc::clone(&medium), start, size);
            let bytes: Arc<dyn Medium> = Arc::new(range.clone());
            let found = iter::once((None, file_system(&bytes)));
            let named = |(name, system)| (Some(name), Ok(DiskContent::FileSystem(system)));
            let found = found.chain(other_file_systems(&bytes).into_iter().map(named));
            found.map(move |(other, content)| {
                let range = range.clone();
                DiskPart { number, start, other, range, content }
            })
        };
        let parts = whole.into_iter().chain(places).flat_map(part).collect();
        Ok(DiskLayout { table, parts })
    }

    /// Returns whether anything is known of the media: a partition, a file system, or another content.
    pub(super) fn is_known(&self) -> bool {
        let is_empty = |part: &DiskPart| matches!(part.content, Ok(DiskContent::Nothing));
        !self.table.partitions.is_empty() || !self.parts.iter().all(is_empty)
    }
}

impl DiskPart {
    /// Returns its size in bytes, as far as the media have them.
    pub fn size(&self) -> u64 {
        self.range.size()
    }

    /// Returns the path of its root below an image, as in `case.E01!/p1`, or `case.E01!/p1/iso9660` for another file system
    /// in the place of one.
    pub(super) fn root(&self, outer: &Outer) -> Vec<u8> {
        let name = if self.number > 0 { format!("!/p{}", self.number) } else { "!".into() };
        let other = self.other.map_or(String::new(), |name| format!("/{name}"));
        [&*outer.path, name.as_bytes(), other.as_bytes()].concat()
    }

    /// Returns its file system.
    ///
    /// # Errors
    /// If it has one that can't be read. A part without a file system is no error.
    pub(super) fn system(&self) -> Result<Option<&dyn FileSystem>, Problem> {
        match &self.content {
            Ok(DiskContent::FileSystem(system)) => Ok(Some(&**system)),
            Ok(DiskContent::Foreign { name, is_encrypted: true }) => Err(Problem::Encrypted(name)),
            Ok(DiskContent::Foreign { name, .. }) => Err(Problem::Unsupported((*name).into())),
            // The bytes of a partition without a file system are those of the medium.
            Ok(DiskContent::Nothing) => Ok(None),
            Err(problem) => Err(problem.clone()),
        }
    }
}

/// Returns the reasons why media bytes may be missing in an image, or files beside it are no part of it.
pub(super) fn image_doubts(image: &Image) -> impl Iterator<Item = Problem> + '_ {
    image.findings().iter().filter_map(|finding| {
        let text = || finding.to_string().into();
        match finding.kind {
            ProblemKind::ForeignSegment
            | ProblemKind::ExtraSegment
            | ProblemKind::DuplicateSegment { .. } => Some(Problem::Ambiguous(text())),
            ProblemKind::Snapshot { .. } => Some(Problem::Incomplete(text())),
            // The missing bytes were told.
            ProblemKind::ChunkMissing if missing(image).is_some() => None,
            _ if finding.kind.severity() >= Severity::Damage => Some(Problem::Incomplete(text())),
            _ => None,
        }
    })
}

/// Returns why media bytes are missing: the file of an image that is not there, or is too short.
pub(super) fn missing(image: &Image) -> Option<&Finding> {
    let rank = |finding: &Finding| match finding.kind {
        ProblemKind::MissingSegments { .. } => 0,
        ProblemKind::Truncated { .. } => 1,
        ProblemKind::NoEnd { next: Some(_) } => 2,
        _ => 3,
    };
    image.findings().iter().min_by_key(|finding| rank(finding)).filter(|finding| rank(finding) < 3)
}
