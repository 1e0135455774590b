//! Findings: problems in an image, and their locations.

use serde::{Serialize, Serializer};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A problem of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind of problem.
    #[serde(flatten)]
    pub kind: ProblemKind,
    /// The location.
    #[serde(flatten)]
    pub place: ImageLocation,
}

/// A location in an image.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImageLocation {
    /// The file.
    #[serde(serialize_with = "lossy", skip_serializing_if = "Option::is_none")]
    pub segment: Option<Arc<Path>>,
    /// The section in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
    /// The chunks concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<Span>,
    /// The media bytes concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<Span>,
}

/// A section of a segment file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// The type, by its EWF1 name; EWF2's numbers have similar names.
    pub name: Box<str>,
    /// The offset of its descriptor in the file.
    pub offset: u64,
}

/// A range of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The first number.
    pub first: u64,
    /// The length of the range.
    pub count: u64,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// A note; all media bytes are there and intact.
    Note,
    /// Something other than media bytes is damaged; stored digests may still prove the media.
    Structure,
    /// Media bytes are damaged.
    Damage,
    /// Media bytes are missing.
    Missing,
    /// The media bytes are stored in an unsupported way.
    Unsupported,
}

/// The kinds of problems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// No file contains these segments.
    MissingSegments {
        /// The numbers of the segments.
        segments: Span,
    },
    /// A second file claims to be the same segment as another file.
    DuplicateSegment {
        /// The number of the segment.
        number: u64,
    },
    /// The file is named as another segment than it is, so it was renamed. Segments are read in the order of the
    /// numbers inside, but other changes can't be excluded.
    SwappedName {
        /// The number in the name.
        named: u64,
        /// The number inside, which is used.
        number: u64,
    },
    /// The number inside is impossible in this set, so the name was used.
    WrongNumber {
        /// The number in the name, which is used.
        named: u64,
        /// The number inside.
        number: u64,
    },
    /// The segment belongs to another image.
    ForeignSegment,
    /// The file is named like a segment, but lacks the signature.
    NotASegment,
    /// The segment follows the end of the image; it was left out.
    ExtraSegment,
    /// A segment claims to be the last, but more follow.
    EarlyEnd,
    /// There is no end mark.
    NoEnd {
        /// The name of the next segment, which is missing.
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<Box<str>>,
    },
    /// The writer marked the image as incomplete.
    Incomplete,
    /// A file could not be read.
    Unreadable {
        /// The reason.
        cause: Box<str>,
    },
    /// The checksum of a section descriptor is wrong.
    DescriptorChecksum,
    /// The type of a section is damaged. The only type that fits its descriptor's checksum was used.
    SectionType {
        /// The stored type.
        stored: Box<str>,
    },
    /// A fixed byte of the file header has another value.
    HeaderByte {
        /// The index of the byte, from 0.
        byte: u8,
        /// The correct value.
        wanted: u8,
        /// The actual value.
        found: u8,
    },
    /// There are more header texts than any program writes; this one was left out.
    ExtraText,
    /// The link of a section descriptor is invalid.
    BadLink {
        /// The target of the link.
        target: u64,
    },
    /// The size and the position of the next section disagree.
    SizeDisagrees {
        /// The stated size.
        size: u64,
        /// The distance to the next section.
        distance: u64,
    },
    /// The file ends before the section does.
    Truncated {
        /// The end of the section.
        end: u64,
        /// The end of the file.
        size: u64,
    },
    /// Bytes follow the last section.
    TrailingBytes {
        /// The number of bytes.
        bytes: u64,
    },
    /// The type of a section is undocumented.
    UnknownSection,
    /// The checksum of the section's content is wrong.
    ContentChecksum,
    /// The section's content has no checksum.
    NoChecksum,
    /// The MD5 of the section's content is wrong.
    ContentDigest,
    /// The content can't be understood.
    Malformed,
    /// The geometry differs from the one at the image's start.
    GeometryDisagrees,
    /// The checksum of a chunk table's header is wrong.
    TableHeader,
    /// The checksum of a chunk table's entries is wrong.
    TableEntries,
    /// A chunk table and its copy differ.
    TableCopyDiffers {
        /// The index of the first difference.
        entry: u64,
    },
    /// The copy of the chunk table was used because the table is damaged.
    TableCopyUsed,
    /// Two tables contain the same chunks; the first was used.
    TableOverlap,
    /// The stated number of chunks is not the number in the tables.
    ChunkCount {
        /// The stated number.
        stated: u64,
        /// The number in the tables.
        found: u64,
    },
    /// The tables contain more chunks than the media.
    ExtraChunks {
        /// The number of extra chunks.
        extra: u64,
    },
    /// The checksum of a chunk is wrong.
    ChunkChecksum,
    /// A chunk can't be decompressed.
    ChunkCorrupt,
    /// A chunk has too few or too many bytes.
    ChunkLength,
    /// A chunk lies outside its file.
    ChunkOutside,
    /// Chunks are in no table.
    ChunkMissing,
    /// A chunk is stored in an unsupported way.
    ChunkUnsupported,
    /// Stored digests also cover bytes of the last chunk past the end of the media.
    TailBytes {
        /// The number of bytes.
        bytes: u64,
    },
    /// Sectors that could not be read at acquisition.
    AcquisitionErrors {
        /// The sectors.
        sectors: Span,
    },
    /// A stored digest can't be understood.
    BadClaim,
    /// The content of a single file can't be read completely.
    ContentOutside,
    /// An entry of a virtual disk's table points to an impossible place.
    BadEntry {
        /// The place.
        target: u64,
    },
    /// Two entries of a virtual disk's tables use the same place.
    UsedTwice {
        /// The place.
        target: u64,
    },
    /// A place is in use, but counted as free.
    NoReference {
        /// The place.
        target: u64,
    },
    /// Clusters are counted as used, but nothing uses them.
    Unused {
        /// The number of clusters.
        extra: u64,
    },
    /// The tables are too large to check all of their entries against each other.
    TooManyEntries,
    /// The file is marked as in use, or was not closed by its writer.
    NotClosed,
    /// Its writer marked it as corrupt.
    MarkedCorrupt,
    /// A snapshot is stored. The media are those of the current state, not of the snapshot.
    Snapshot {
        /// The name of the snapshot.
        stored: Box<str>,
    },
    /// Changes in the log were applied in memory.
    LogReplayed {
        /// The number of entries of the log.
        number: u64,
    },
    /// The log is damaged, so changes may be lost.
    LogDamaged,
    /// Two stated sizes of the media differ; the larger one was used.
    SizesDiffer {
        /// The size that was not used.
        size: u64,
    },
    /// A sparse extent has no description: it may be one of several.
    NoDescriptor,
    /// Sectors are stored, but marked as never written; they were read as zeros.
    HiddenSectors {
        /// The number of sectors.
        extra: u64,
    },
    /// The directory of a zip file and the header before a segment of it disagree.
    HeadersDisagree,
    /// Two runs of a map state the same media bytes, which therefore can't be known.
    RunsOverlap,
    /// The map says that these media bytes were not acquired. They are read as the text that the format defines for them.
    NotAcquired,
    /// A stored digest of a part of the image does not match.
    PartDigest {
        /// The name of the digest.
        stored: Box<str>,
    },
}

impl ProblemKind {
    /// Returns the severity.
    pub fn severity(&self) -> Severity {
        match self {
            ProblemKind::DuplicateSegment { .. }
            | ProblemKind::ExtraSegment
            | ProblemKind::NotASegment
            | ProblemKind::TrailingBytes { .. }
            | ProblemKind::UnknownSection
            | ProblemKind::NoChecksum
            | ProblemKind::ExtraText
            | ProblemKind::ChunkCount { .. }
            | ProblemKind::TailBytes { .. }
            | ProblemKind::Unused { .. }
            | ProblemKind::TooManyEntries
            | ProblemKind::NotClosed
            | ProblemKind::Snapshot { .. }
            | ProblemKind::LogReplayed { .. }
            | ProblemKind::SizesDiffer { .. }
            | ProblemKind::HiddenSectors { .. }
            | ProblemKind::NotAcquired
            | ProblemKind::AcquisitionErrors { .. } => Severity::Note,
            ProblemKind::MissingSegments { .. }
            | ProblemKind::NoEnd { .. }
            | ProblemKind::Incomplete
            | ProblemKind::Unreadable { .. }
            | ProblemKind::Truncated { .. }
            | ProblemKind::ChunkMissing => Severity::Missing,
            ProblemKind::ChunkChecksum
            | ProblemKind::ChunkCorrupt
            | ProblemKind::ChunkLength
            | ProblemKind::ChunkOutside
            | ProblemKind::BadEntry { .. }
            | ProblemKind::LogDamaged
            | ProblemKind::RunsOverlap
            | ProblemKind::PartDigest { .. }
            | ProblemKind::ContentOutside => Severity::Damage,
            ProblemKind::ChunkUnsupported => Severity::Unsupported,
            _ => Severity::Structure,
        }
    }

    /// Makes a finding at a place.
    pub fn at(self, place: ImageLocation) -> Finding {
        Finding { kind: self, place }
    }
}

impl ImageLocation {
    /// Makes the place of a whole file.
    pub(crate) fn file(segment: &Arc<Path>) -> Self {
        ImageLocation { segment: Some(Arc::clone(segment)), ..ImageLocation::default() }
    }

    /// Makes the place of a structure in a file.
    pub(crate) fn section(segment: &Arc<Path>, name: &str, offset: u64) -> Self {
        let section = Some(Section { name: name.into(), offset });
        ImageLocation { section, ..ImageLocation::file(segment) }
    }
}

impl Span {
    /// Makes the span from `first` to just before `end`.
    pub(crate) fn between(first: u64, end: u64) -> Self {
        Span { first, count: end.saturating_sub(first) }
    }

    /// Returns the first number after the span.
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.count)
    }
}

/// Serialises a path as text. Bytes that are not UTF-8 are replaced.
pub(crate) fn lossy<S: Serializer>(path: &Option<Arc<Path>>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(to)
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.place, self.kind)
    }
}

/// Ends with a colon and a space unless it is empty.
impl fmt::Display for ImageLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let segment = self.segment.as_ref().map(|path| path.display().to_string());
        let section = self.section.as_ref().map(|section| format!("{} at {}", section.name, section.offset));
        let chunks = self.chunks.map(|chunks| format!("{} {chunks}", plural("chunk", chunks.count)));
        let media = self.media.map(|media| format!("media bytes {media}"));
        for part in [segment, section, chunks, media].into_iter().flatten() {
            write!(f, "{part}: ")?;
        }
        Ok(())
    }
}

fn plural(noun: &str, count: u64) -> String {
    format!("{noun}{}", if count == 1 { "" } else { "s" })
}

/// `7`, or `7-9`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            0 | 1 => write!(f, "{}", self.first),
            _ => write!(f, "{}-{}", self.first, self.end() - 1),
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::MissingSegments { segments } => {
                write!(
                    f,
                    "no file holds {} {segments}: put what is missing beside the others",
                    plural("segment", segments.count)
                )
            }
            ProblemKind::NoEnd { next: None } => f.write_str("the image has no end mark"),
            ProblemKind::NoEnd { next: Some(next) } => {
                write!(f, "the image has no end mark: {next} is missing, and perhaps others")
            }
            ProblemKind::DuplicateSegment { number } => write!(f, "repeats segment {number}; left out"),
            ProblemKind::SwappedName { named, number } => {
                write!(f, "is segment {number}, but named as {named}")
            }
            ProblemKind::WrongNumber { named, number } => {
                write!(f, "says that it is segment {number}; read as {named}, like its name")
            }
            ProblemKind::Unreadable { cause } => write!(f, "cannot be read: {cause}"),
            ProblemKind::SectionType { stored } => {
                write!(f, "its type says '{stored}'; read as the type that fits its checksum")
            }
            ProblemKind::HeaderByte { byte, wanted, found } => {
                write!(f, "byte {byte} of the file header is {found}, and should be {wanted}")
            }
            ProblemKind::BadLink { target } => {
                write!(f, "points to {target} as the next section, which is impossible")
            }
            ProblemKind::SizeDisagrees { size, distance } => {
                write!(f, "states {size} bytes, but the next section follows after {distance}")
            }
            ProblemKind::Truncated { end, size } => {
                let missing = end.saturating_sub(*size);
                write!(f, "should end at {end}, but the file ends at {size}: {missing} bytes are missing")
            }
            ProblemKind::TrailingBytes { bytes } => write!(f, "{bytes} bytes follow the last section"),
            ProblemKind::TableCopyDiffers { entry } => {
                write!(f, "differs from its copy from entry {entry} on")
            }
            ProblemKind::ChunkCount { stated, found } => {
                write!(f, "the image states {stated} chunks, its tables hold {found}")
            }
            ProblemKind::ExtraChunks { extra } => {
                write!(f, "the tables hold {extra} more chunks than the media")
            }
            ProblemKind::TailBytes { bytes } => {
                write!(f, "stored digests also cover {bytes} bytes past the end of the media")
            }
            ProblemKind::AcquisitionErrors { sectors } => {
                write!(f, "{} {sectors} could not be read at acquisition", plural("sector", sectors.count))
            }
            ProblemKind::BadEntry { target } => {
                write!(f, "an entry points to {target}, which is impossible")
            }
            ProblemKind::UsedTwice { target } => write!(f, "the place at {target} is used twice"),
            ProblemKind::NoReference { target } => {
                write!(f, "the place at {target} is used, but counted as free")
            }
            ProblemKind::Unused { extra } => {
                write!(f, "{extra} {} counted as used, but nothing uses them", plural("cluster", *extra))
            }
            ProblemKind::Snapshot { stored } => write!(f, "holds the snapshot '{stored}', which is not read"),
            ProblemKind::LogReplayed { number } => {
                let entries = if *number == 1 { "entry" } else { "entries" };
                write!(f, "its log holds {number} {entries}, which were applied in memory")
            }
            ProblemKind::SizesDiffer { size } => write!(f, "states a size of {size} bytes elsewhere"),
            ProblemKind::HiddenSectors { extra } => {
                write!(f, "{extra} {} stored, but marked as never written", plural("sector", *extra))
            }
            ProblemKind::PartDigest { stored } => write!(f, "the stored {stored} does not match"),
            fixed => f.write_str(fixed.fixed_text()),
        }
    }
}

impl ProblemKind {
    fn fixed_text(&self) -> &'static str {
        match self {
            ProblemKind::ForeignSegment => "belongs to another image",
            ProblemKind::NotASegment => "is not a segment file",
            ProblemKind::ExtraSegment => "follows the end of the image; left out",
            ProblemKind::EarlyEnd => "says that the image ends here, but more follows",
            ProblemKind::Incomplete => "is marked as incomplete",
            ProblemKind::DescriptorChecksum => "wrong checksum of the section descriptor",
            ProblemKind::UnknownSection => "unknown section",
            ProblemKind::ContentChecksum => "wrong checksum of the content",
            ProblemKind::ExtraText => "one header text too many; left out",
            ProblemKind::NoChecksum => "no checksum of the content",
            ProblemKind::ContentDigest => "wrong MD5 of the content",
            ProblemKind::Malformed => "can't be understood",
            ProblemKind::GeometryDisagrees => "geometry differs from the image's",
            ProblemKind::TableHeader => "wrong checksum of the table's header",
            ProblemKind::TableEntries => "wrong checksum of the table's entries",
            ProblemKind::TableCopyUsed => "is damaged; its copy was used",
            ProblemKind::TableOverlap => "holds chunks that an earlier table holds",
            ProblemKind::ChunkChecksum => "wrong checksum",
            ProblemKind::ChunkCorrupt => "can't be decompressed",
            ProblemKind::ChunkLength => "wrong length",
            ProblemKind::ChunkOutside => "outside its file",
            ProblemKind::ChunkMissing => "not in any table",
            ProblemKind::ChunkUnsupported => "stored in an unsupported way",
            ProblemKind::BadClaim => "stored digest can't be understood",
            ProblemKind::ContentOutside => "single files lie outside the media or on damaged chunks",
            ProblemKind::TooManyEntries => "has more places than can be checked for a double use",
            ProblemKind::NotClosed => "is marked as in use, or was not closed",
            ProblemKind::MarkedCorrupt => "is marked as corrupt by its writer",
            ProblemKind::LogDamaged => "its log is damaged; changes may be lost",
            ProblemKind::NoDescriptor => "has no description: it may be one extent of a larger disk",
            ProblemKind::HeadersDisagree => "its header and the directory of the zip file disagree",
            ProblemKind::RunsOverlap => "two runs of the map overlap here",
            ProblemKind::NotAcquired => "not acquired, as the image states",
            _ => "",
        }
    }
}

/// Findings: the first of each severity are kept, and the rest are counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    /// The number of kept findings by severity.
    kept: [usize; SEVERITIES],
    omitted: u64,
}

/// The maximum number of findings of one severity, so that a ruined image can't fill the memory. Because each severity
/// has its own limit, many notes can't displace the finding that decides the verdict.
const MAX_FINDINGS: usize = 10_000;

const SEVERITIES: usize = Severity::Unsupported as usize + 1;

impl Findings {
    pub(crate) fn add(&mut self, kind: ProblemKind, place: ImageLocation) {
        self.push(kind.at(place));
    }

    /// Adds a finding. If it is like the last one and continues it, extends the last one.
    pub(crate) fn push(&mut self, finding: Finding) {
        if self.list.last_mut().is_some_and(|last| extend(last, &finding)) {
            return;
        }
        let kept = &mut self.kept[finding.kind.severity() as usize];
        if *kept == MAX_FINDINGS {
            self.omitted += 1;
            return;
        }
        *kept += 1;
        self.list.push(finding);
    }

    pub(crate) fn extend(&mut self, others: impl IntoIterator<Item = Finding>) {
        others.into_iter().for_each(|finding| self.push(finding));
    }

    pub(crate) fn list(&self) -> &[Finding] {
        &self.list
    }

    pub(crate) fn into_parts(self) -> (Vec<Finding>, u64) {
        (self.list, self.omitted)
    }
}

fn extend(last: &mut Finding, next: &Finding) -> bool {
    let alike = last.kind == next.kind && last.place.segment == next.place.segment;
    if let (ImageLocation { chunks: None, section: None, media: Some(media), .. }, None, Some(more)) =
        (&mut last.place, next.place.chunks, next.place.media)
    {
        let follows = alike && next.place.section.is_none() && media.end() == more.first;
        media.count += if follows { more.count } else { 0 };
        return follows;
    }
    let (Some(chunks), Some(more)) = (&mut last.place.chunks, next.place.chunks) else { return false };
    if !alike || chunks.end() != more.first {
        return false;
    }
    chunks.count += more.count;
    if let (Some(media), Some(more)) = (&mut last.place.media, next.place.media) {
        media.count += more.count;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_do_not_crowd_out_what_is_worse() {
        let mut findings = Findings::default();
        for _ in 0..MAX_FINDINGS + 5 {
            findings.add(ProblemKind::UnknownSection, ImageLocation::default());
        }
        findings.add(ProblemKind::NoEnd { next: None }, ImageLocation::default());
        let (list, omitted) = findings.into_parts();
        assert_eq!((list.len(), omitted), (MAX_FINDINGS + 1, 5));
        assert_eq!(list.last().map(|finding| &finding.kind), Some(&ProblemKind::NoEnd { next: None }));
    }
}
