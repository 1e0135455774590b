//! Members as they are listed and opened.

use super::checked::{Checked, Expected};
use super::descriptor;
use super::entry::{UNIX, ZipEntry};
use super::local::LocalHeader;
use super::method;
use super::survey::Survey;
use crate::member::part::{Faults, Part};
use crate::{DirectoryMember, Limits, Medium, Member, MemberBytes, MemberKind, Problem};
use std::io::{self, Read};
use std::sync::Arc;

/// The longest target of a symbolic link; a longer one is a file. Systems have 4,096 bytes at most.
const TARGET: u64 = 64 << 10;

/// The bytes that extra fields of a header may have beyond those in the directory, with what follows the content, as far as programs
/// write such.
const EXTRAS: u64 = 256;

/// The most bytes that no content is compressed to: Java deflates that of directories.
const EMPTY: u64 = 2;

/// The systems with attributes of MS-DOS: its own, NTFS and VFAT.
const DOS: [u16; 3] = [0, 10, 14];

/// The bytes of a member.
#[derive(Debug)]
pub(super) struct StoredMember {
    pub medium: Arc<dyn Medium>,
    pub limits: Limits,
    pub entry: ZipEntry,
    /// The places of other members; none in an archive without a directory.
    pub survey: Option<Arc<Survey>>,
}

impl StoredMember {
    /// Returns the member for a list. Targets of links are read for it.
    pub(super) fn listed(self) -> DirectoryMember {
        let entry = &self.entry;
        let mut member = Member {
            path: entry.path.clone(),
            kind: kind(entry),
            size: entry.size,
            stored: entry.packed,
            holes: 0,
            times: entry.times,
            mode: mode(entry).map(|mode| mode & 0o7777),
            problem: self.problem(),
        };
        if member.kind == MemberKind::Link(Vec::new()) && member.problem.is_none() {
            match self.target() {
                Ok(target) => member.kind = target.map_or(MemberKind::File, MemberKind::Link),
                Err(problem) => member.problem = Some(problem),
            }
        }
        let has_content =
            entry.size.is_some_and(|size| size > 0) || entry.packed.is_some_and(|size| size > EMPTY);
        if member.kind == MemberKind::Directory && has_content {
            member.problem.get_or_insert(Problem::Ambiguous(
                "its name is that of a directory, and it has content".into(),
            ));
        }
        let place = entry.place;
        DirectoryMember { member, place, bytes: Arc::new(self) }
    }

    fn problem(&self) -> Option<Problem> {
        let overlap = || self.survey.as_ref()?.check(self.entry.place, self.entry.least_end()).err();
        self.entry.problem().or_else(overlap)
    }

    /// Returns the target of a link; none if it is too long for one.
    fn target(&self) -> Result<Option<Vec<u8>>, Problem> {
        if self.entry.size.is_some_and(|size| size > TARGET) {
            return Ok(None);
        }
        let mut target = Vec::new();
        self.reader()?.take(TARGET + 1).read_to_end(&mut target)?;
        Ok(Some(target).filter(|target| target.len() as u64 <= TARGET))
    }

    fn reader(&self) -> Result<Checked, Problem> {
        if let Some(problem) = self.problem() {
            return Err(problem);
        }
        let entry = &self.entry;
        let (header, medium) = self.header()?;
        // Only its decoder finds the end of content of an unknown length.
        let end = entry.packed.map_or(Some(u64::MAX), |packed| header.data.checked_add(packed));
        let end = end.ok_or(Problem::Truncated)?;
        if let Some(survey) = &self.survey {
            header.compare(entry)?;
            self.compare_descriptor(&*medium, &header, end)?;
            survey.check(entry.place, end)?;
        }
        let faults = Faults::default();
        let part = Part::new(medium, header.data, end.saturating_sub(header.data), &faults);
        let expected = Expected { size: entry.size, crc: entry.crc, has_end: method::has_end(entry.method) };
        Ok(Checked::new(method::decoder(entry.method, part, entry.size, &self.limits)?, faults, expected))
    }

    /// Reads the header before the member. Returns it with the bytes of the archive for a reader of this member alone.
    fn header(&self) -> Result<(LocalHeader, Arc<dyn Medium>), Problem> {
        let ZipEntry { place, packed, .. } = self.entry;
        let until = self.entry.least_end().saturating_add(EXTRAS).min(self.medium.size());
        // The directory may be wrong, and extra fields longer. Then it is read as if nothing were known.
        let limited = packed.and_then(|_| self.medium.limited_to(place..until));
        let header = limited.as_ref().and_then(|medium| LocalHeader::read(&**medium, place).ok());
        if let (Some(header), Some(medium), Some(packed)) = (header, limited, packed)
            && header.data.saturating_add(packed).saturating_add(descriptor::MAX_LENGTH) <= until
        {
            return Ok((header, medium));
        }
        Ok((LocalHeader::read(&*self.medium, place)?, Arc::clone(&self.medium)))
    }

    /// Compares the record after a member with the directory.
    fn compare_descriptor(&self, medium: &dyn Medium, header: &LocalHeader, end: u64) -> Result<(), Problem> {
        let local = &header.entry;
        // Some set the flag and state the numbers nevertheless, with no record.
        let is_stated = local.crc == self.entry.crc && local.packed == self.entry.packed;
        if !header.is_deferred()
            || is_stated
            || end > medium.size()
            || descriptor::of_entry(medium, end, &self.entry).is_some()
        {
            return Ok(());
        }
        let what = "checksum and sizes after the member are not those in the directory";
        Err(Problem::Ambiguous(what.into()))
    }
}

impl MemberBytes for StoredMember {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(self.reader()?))
    }
}

/// Returns the whole mode of a member, if its system has modes.
fn mode(entry: &ZipEntry) -> Option<u32> {
    let mode = entry.attributes >> 16;
    (UNIX.contains(&(entry.made_by >> 8)) && mode != 0).then_some(mode)
}

/// Returns the kind of a member: by its name, its mode, or its attributes of MS-DOS. A link has no target yet. Without
/// content, programs write an empty file for links and all that is special.
fn kind(entry: &ZipEntry) -> MemberKind {
    let is_dos_directory = entry.attributes & 0x10 != 0 && DOS.contains(&(entry.made_by >> 8));
    let is_empty = entry.size == Some(0);
    match mode(entry).map_or(0, |mode| mode & 0o170_000) {
        _ if entry.path.ends_with(b"/") => MemberKind::Directory,
        0o040_000 if is_empty => MemberKind::Directory,
        _ if is_dos_directory && is_empty => MemberKind::Directory,
        _ if is_empty => MemberKind::File,
        0o120_000 => MemberKind::Link(Vec::new()),
        0o010_000 => MemberKind::Fifo,
        0o140_000 => MemberKind::Socket,
        0o020_000 | 0o060_000 => MemberKind::Device,
        _ => MemberKind::File,
    }
}
