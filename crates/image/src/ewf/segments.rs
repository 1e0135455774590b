//! Finds the segment files of an Expert Witness image and their numbers.

use super::draft::{Draft, End};
use super::table::{Coding, unreadable};
use super::{ewf1, ewf2};
use crate::bytes::le::{array, u16_at, u32_at};
use crate::error::{Error, Problem};
use crate::files::name;
use crate::files::name::{Member, Series};
use crate::files::opener::{Opener, SharedFile, fill_at};
use crate::finding::{ImageLocation, ProblemKind, Span};
use crate::format::Segment;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The content of a segment's first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SegmentHead {
    /// Single files, not a device.
    pub(crate) logical: bool,
    number: u64,
    version: Version,
    /// A fixed byte with another value: its index, the correct value, the actual value.
    odd: Option<(u8, u8, u8)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two { coding: Coding, set: [u8; 16] },
}

impl SegmentHead {
    pub(crate) fn is_ewf2(&self) -> bool {
        self.version != Version::One
    }

    /// Returns the number of the segment that it states.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    fn is_kin_of(&self, other: &SegmentHead) -> bool {
        self.logical == other.logical && self.is_ewf2() == other.is_ewf2()
    }

    fn is_foreign_to(&self, other: &SegmentHead) -> bool {
        match (self.version, other.version) {
            (Version::Two { set: one, .. }, Version::Two { set: two, .. }) => one != two,
            _ => false,
        }
    }

    /// Reads the first bytes of a file; `None` if they are not those of a segment.
    fn parse(bytes: &[u8]) -> Result<Option<SegmentHead>, Problem> {
        match bytes {
            [b'A', b'D', b'C', b'R', b'Y', b'P', b'T', 0, ..] => {
                Err(Problem::Encrypted("AccessData ADCRYPT"))
            }
            [kind @ (b'E' | b'L'), b'V', b'F', 9, 13, 10, 255, 0, rest @ ..] if rest.len() >= 5 => {
                ewf1_head(*kind == b'L', rest).map(Some)
            }
            [b'E', b'V', b'F', b'2', 13, 10, 0x81, 0, ..]
            | [b'L', b'E' | b'V', b'F', b'2', 13, 10, 0x81, 0, ..]
                if bytes.len() >= ewf2::HEADER as usize =>
            {
                ewf2_head(bytes[0] == b'L', bytes).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Reads the head of EWF1. Byte 8 is 1; X-Ways uses other values for features that only it can read.
fn ewf1_head(logical: bool, rest: &[u8]) -> Result<SegmentHead, Problem> {
    match rest[0] {
        0x81 | 0xa1 => Err(Problem::Encrypted("X-Ways")),
        0x21 => Err(Problem::Compression("Zstandard (X-Ways), which is not supported".into())),
        start => {
            let fixed = [(8, 1, start), (11, 0, rest[3]), (12, 0, rest[4])];
            let number = u16_at(rest, 1).into();
            Ok(SegmentHead { logical, number, version: Version::One, odd: odd(&fixed) })
        }
    }
}

/// Returns the file header of a segment of EWF1 with this number.
pub(crate) fn ewf1_header(number: u16) -> [u8; 13] {
    let [low, high] = number.to_le_bytes();
    [b'E', b'V', b'F', 9, 13, 10, 255, 0, 1, low, high, 0, 0]
}

fn ewf2_head(logical: bool, bytes: &[u8]) -> Result<SegmentHead, Problem> {
    let coding = match u16_at(bytes, 10) {
        0 => Coding::Plain,
        1 => Coding::Zlib,
        2 => Coding::Bzip2,
        other => return Err(Problem::unknown_method(other)),
    };
    let version = Version::Two { coding, set: array(bytes, 16) };
    let number = u32_at(bytes, 12).into();
    Ok(SegmentHead { logical, number, version, odd: odd(&[(8, 2, bytes[8])]) })
}

/// Returns the first byte with another value.
fn odd(fixed: &[(u8, u8, u8)]) -> Option<(u8, u8, u8)> {
    fixed.iter().copied().find(|(_, wanted, found)| wanted != found)
}

/// Returns the head of a file, if it is a segment.
pub(crate) fn head(opener: &dyn Opener, path: &Path) -> Result<Option<SegmentHead>, Problem> {
    head_of(&*opener.open(path).map_err(Problem::Io)?)
}

/// Returns the head of a file; `None` if it is no segment.
pub(crate) fn head_of(file: &dyn SharedFile) -> Result<Option<SegmentHead>, Problem> {
    let mut bytes = [0; ewf2::HEADER as usize];
    let read = fill_at(file, 0, &mut bytes).map_err(Problem::Io)?;
    SegmentHead::parse(&bytes[..read])
}

/// Returns the first file and all others of its series.
pub(crate) fn find(opener: &dyn Opener, first: &Path, series: Option<Series>) -> Result<Vec<Member>, Error> {
    let alone = || vec![Member { ordinal: 1, path: first.to_path_buf() }];
    let Some(series) = series else { return Ok(alone()) };
    let found = name::members(opener, first, &series).map_err(|error| Error::io(first, error))?;
    Ok(if found.is_empty() { alone() } else { found })
}

/// Returns the path of the segment with a number.
pub(crate) type PathOf<'a> = &'a dyn Fn(u64) -> Option<PathBuf>;

/// Reads all segments into the draft, in the order of the numbers inside.
pub(crate) fn read_all(
    draft: &mut Draft,
    found: &[Member],
    first: SegmentHead,
    path_of: PathOf<'_>,
) -> Result<Vec<Segment>, (usize, Problem)> {
    let mut slots = arrange(draft, found, &first);
    slots.truncate(slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    report_missing(draft, &slots, path_of);
    let number = slots.len() as u64 + 1;
    let mut segments = Vec::new();
    let mut end = End::Next;
    for (slot, held) in slots.into_iter().enumerate() {
        let Some((file, head)) = held.filter(|(file, head)| belongs(draft, *file, head, end)) else {
            draft.mark_break();
            continue;
        };
        let read = read_one(draft, file, &head).map_err(|problem| (file, problem))?;
        let Some((size, its_end)) = read else { continue };
        end = its_end;
        segments.push(Segment {
            path: Some(Arc::clone(draft.files.path(file))),
            number: slot as u64 + 1,
            size,
        });
    }
    if end != End::Done {
        let next = path_of(number).filter(|_| end == End::Next);
        let next = next.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into());
        draft.findings.add(ProblemKind::NoEnd { next }, ImageLocation::default());
    }
    Ok(segments)
}

/// Whether a segment belongs to the image, given the end of the previous one. Segments after the last one are extra,
/// unless chunks are still missing: then the end mark is wrong.
fn belongs(draft: &mut Draft, file: usize, head: &SegmentHead, before: End) -> bool {
    if before != End::Done {
        return true;
    }
    let all_there = draft.volume.as_ref().is_some_and(|(volume, _)| volume.chunks <= draft.next_chunk);
    let extra = all_there && !head.is_ewf2();
    let kind = if extra { ProblemKind::ExtraSegment } else { ProblemKind::EarlyEnd };
    draft.findings.add(kind, ImageLocation::file(draft.files.path(file)));
    !extra
}

/// Reads one segment. Returns its size and its end, or `None` if the file can't be read at all.
fn read_one(draft: &mut Draft, file: usize, head: &SegmentHead) -> Result<Option<(u64, End)>, Problem> {
    let size = match draft.files.size(file) {
        Ok(size) => size,
        Err(error) => {
            let place = ImageLocation::file(draft.files.path(file));
            draft.findings.add(unreadable(&error), place);
            draft.mark_break();
            return Ok(None);
        }
    };
    let end = match head.version {
        Version::One => ewf1::read(draft, file, size),
        Version::Two { coding, .. } => ewf2::read(draft, ewf2::Segment { file, size, coding }),
    }?;
    if end == End::Broken {
        draft.mark_break();
    }
    Ok(Some((size, end)))
}

/// Reports the numbers for which there is no file.
fn report_missing(draft: &mut Draft, slots: &[Option<(usize, SegmentHead)>], path_of: PathOf<'_>) {
    let mut next = 0;
    while let Some(first) = slots[next..].iter().position(Option::is_none).map(|at| at + next) {
        let end = slots[first..].iter().position(Option::is_some).map_or(slots.len(), |at| at + first);
        let segments = Span::between(first as u64 + 1, end as u64 + 1);
        let place = path_of(segments.first)
            .map_or_else(ImageLocation::default, |path| ImageLocation::file(&path.into()));
        draft.findings.add(ProblemKind::MissingSegments { segments }, place);
        next = end;
    }
}

/// Assigns files to segments. The number inside is used, unless it is impossible in this set; then the name is.
fn arrange(draft: &mut Draft, found: &[Member], first: &SegmentHead) -> Vec<Option<(usize, SegmentHead)>> {
    let most = found.iter().map(|member| member.ordinal as usize).max().unwrap_or(1);
    let mut slots = vec![None; most];
    let mut odd = Vec::new();
    for (file, head) in heads(draft, found, first) {
        let named = found[file].ordinal as usize;
        let number = usize::try_from(head.number).ok().filter(|number| (1..=most).contains(number));
        match number.map(|number| (number, &mut slots[number - 1])) {
            Some((_, slot @ None)) => *slot = Some((file, head)),
            // The file with the same number inside and in its name takes precedence.
            Some((number, slot @ Some(_))) if number == named => {
                odd.extend(slot.replace((file, head)));
            }
            _ => odd.push((file, head)),
        }
    }
    for (file, head) in odd {
        let (named, number) = (u64::from(found[file].ordinal), head.number);
        let place = ImageLocation::file(draft.files.path(file));
        let possible = (1..=most as u64).contains(&number);
        let slot = &mut slots[named as usize - 1];
        if possible || slot.is_some() {
            draft.findings.add(ProblemKind::DuplicateSegment { number }, place);
        } else {
            draft.findings.add(ProblemKind::WrongNumber { named, number }, place);
            *slot = Some((file, SegmentHead { number: named, ..head }));
        }
    }
    report_names(draft, found, &slots);
    slots
}

/// Returns the heads of all files that are segments of the same kind as the first.
fn heads(draft: &mut Draft, found: &[Member], first: &SegmentHead) -> Vec<(usize, SegmentHead)> {
    let mut heads = Vec::new();
    for (file, member) in found.iter().enumerate() {
        let place = ImageLocation::file(draft.files.path(file));
        match head(draft.files.opener(), &member.path) {
            Ok(Some(head)) if head.is_kin_of(first) => {
                if let Some((byte, wanted, found)) = head.odd {
                    draft.findings.add(ProblemKind::HeaderByte { byte, wanted, found }, place.clone());
                }
                if head.is_foreign_to(first) {
                    draft.findings.add(ProblemKind::ForeignSegment, place);
                }
                heads.push((file, head));
            }
            Ok(_) => draft.findings.add(ProblemKind::NotASegment, place),
            Err(Problem::Io(error)) => draft.findings.add(unreadable(&error), place),
            Err(_) => draft.findings.add(ProblemKind::NotASegment, place),
        }
    }
    heads
}

/// Reports the files with different numbers inside and in their names.
fn report_names(draft: &mut Draft, found: &[Member], slots: &[Option<(usize, SegmentHead)>]) {
    for (slot, held) in slots.iter().enumerate() {
        let Some((file, _)) = held else { continue };
        let (named, number) = (u64::from(found[*file].ordinal), slot as u64 + 1);
        if named != number {
            let place = ImageLocation::file(draft.files.path(*file));
            draft.findings.add(ProblemKind::SwappedName { named, number }, place);
        }
    }
}
