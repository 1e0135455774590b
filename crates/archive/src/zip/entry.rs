//! The entries of the directory (APPNOTE 6.3.10, 4.3.12).

use super::end::{ENTRY, End};
use super::extra::{Extra, WideNumbers};
use super::method;
use super::window::Window;
use crate::fields::{u16_at, u32_at};
use crate::{Medium, Problem, Time, Times};
use hashmill_disk::code_page_437;
use std::sync::Arc;

/// The length of an entry without its name, extra fields and comment.
const LENGTH: usize = 46;

/// The signature of a digital signature, which may be the last record of a directory.
const SIGNATURE: &[u8] = b"PK\x05\x05";

/// Flags (4.4.4).
pub(super) mod flag {
    pub(crate) const ENCRYPTED: u16 = 1;
    pub(crate) const DEFERRED: u16 = 1 << 3;
    pub(crate) const PATCHED: u16 = 1 << 5;
    pub(crate) const STRONG: u16 = 1 << 6;
    pub(crate) const UTF8: u16 = 1 << 11;
    pub(crate) const MASKED: u16 = 1 << 13;
    /// Those that change how a member is read.
    pub(crate) const COMPARED: u16 = ENCRYPTED | PATCHED | STRONG | UTF8 | MASKED;
}

/// The facts about a member.
#[derive(Debug, Clone)]
pub(super) struct ZipEntry {
    /// The program and system that made it: the system is the upper byte.
    pub made_by: u16,
    pub flags: u16,
    pub method: u16,
    pub crc: Option<u32>,
    pub packed: Option<u64>,
    pub size: Option<u64>,
    pub volume: u32,
    pub attributes: u32,
    /// The position of its local header.
    pub place: u64,
    /// The name as it is in the archive.
    pub name: Vec<u8>,
    /// The name in UTF-8.
    pub path: Vec<u8>,
    /// Another name that an extra field states.
    pub other_path: Option<Vec<u8>>,
    pub times: Times,
    pub is_encrypted: bool,
}

impl ZipEntry {
    /// Reads an entry of `names` bytes of name and `extras` of extra fields.
    fn parse(bytes: &[u8], names: usize, extras: usize, places: &Places) -> Result<ZipEntry, Problem> {
        let (_, rest) = bytes.split_at_checked(LENGTH).ok_or(Problem::Truncated)?;
        let (name, rest) = rest.split_at_checked(names).ok_or(Problem::Truncated)?;
        let extra = Extra::parse(rest.get(..extras).ok_or(Problem::Truncated)?, name);
        let mut wide = WideNumbers::new(extra.wide);
        let size = wide.number(u32_at(bytes, 24)?)?;
        let packed = wide.number(u32_at(bytes, 20)?)?;
        let (place, volume) = places.of(wide.number(u32_at(bytes, 42)?)?, u16_at(bytes, 34)?.into());
        let flags = u16_at(bytes, 8)?;
        let made_by = u16_at(bytes, 4)?;
        let (path, other_path) = path(name, made_by, flags, &extra);
        Ok(ZipEntry {
            made_by,
            flags,
            method: u16_at(bytes, 10)?,
            crc: Some(u32_at(bytes, 16)?),
            packed: Some(packed),
            size: Some(size),
            volume,
            attributes: u32_at(bytes, 38)?,
            place: place.ok_or_else(|| Problem::damaged("a member beyond all bytes"))?,
            name: name.to_vec(),
            path,
            other_path,
            times: times(u16_at(bytes, 12)?, u16_at(bytes, 14)?, &extra),
            is_encrypted: is_encrypted(flags, &extra),
        })
    }

    /// Returns why its content can't be read, as far as the entry says.
    pub(super) fn problem(&self) -> Option<Problem> {
        if self.is_encrypted {
            return Some(Problem::Encrypted);
        }
        // 0xffff says that the number is in the extra field; there it is the first volume in an archive of one.
        if !matches!(self.volume, 0 | 0xffff) {
            return Some(Problem::Unsupported("a member in another volume".into()));
        }
        if self.flags & flag::PATCHED != 0 {
            return Some(Problem::Unsupported("patched data".into()));
        }
        if !method::is_known(self.method) {
            return Some(Problem::Unsupported(method::name(self.method)));
        }
        if let Some(other) = &self.other_path {
            let (name, other) = (self.path.escape_ascii(), other.escape_ascii());
            return Some(Problem::Ambiguous(format!("the name is {name} and {other}").into()));
        }
        let sizes = self.packed.zip(self.size).filter(|(packed, size)| packed != size);
        let (packed, size) = sizes.filter(|_| self.method == method::STORED)?;
        Some(Problem::Ambiguous(format!("{size} bytes are stored as {packed} bytes").into()))
    }
}

/// The systems with modes and with names in UTF-8 (APPNOTE 6.3.10, 4.4.2): Unix and macOS.
pub(super) const UNIX: [u16; 2] = [3, 19];

/// Returns the name in UTF-8, and another one if the extra field differs from a name that is in UTF-8 itself.
///
/// Names without the flag are in code page 437 (appendix D). Yet Info-ZIP and macOS write names as Unix has them, and
/// Info-ZIP, 7-Zip and libarchive read what was made on Unix so; here it is read so if it is UTF-8.
pub(super) fn path(name: &[u8], made_by: u16, flags: u16, extra: &Extra<'_>) -> (Vec<u8>, Option<Vec<u8>>) {
    let is_flagged = flags & flag::UTF8 != 0;
    let is_unix = UNIX.contains(&(made_by >> 8)) && std::str::from_utf8(name).is_ok();
    match extra.path {
        Some(path) if !is_flagged => (path.to_vec(), None),
        Some(path) if path != name => (name.to_vec(), Some(path.to_vec())),
        _ if is_flagged || is_unix => (name.to_vec(), None),
        _ => (code_page_437(name), None),
    }
}

/// Returns the times of extra fields, or the one of MS-DOS.
pub(super) fn times(time: u16, date: u16, extra: &Extra<'_>) -> Times {
    Times { modified: extra.times.modified.or_else(|| Time::from_dos(date, time)), ..extra.times }
}

pub(super) fn is_encrypted(flags: u16, extra: &Extra<'_>) -> bool {
    flags & (flag::ENCRYPTED | flag::STRONG | flag::MASKED) != 0 || extra.is_encrypted
}

/// The way from the places that entries state to positions.
#[derive(Debug)]
struct Places {
    /// The number of bytes before the archive.
    base: u64,
    /// The positions of the volumes, if they were joined.
    volumes: Vec<u64>,
}

impl Places {
    /// Returns the position of a place in a volume, and the volume as it is when all are joined.
    fn of(&self, place: u64, volume: u32) -> (Option<u64>, u32) {
        match self.volumes.get(volume as usize) {
            Some(start) => (place.checked_add(*start), 0),
            None => (place.checked_add(self.base), volume),
        }
    }
}

/// The entries of a directory, which is read in parts.
#[derive(Debug)]
pub(super) struct Entries {
    window: Window,
    places: Places,
    at: u64,
    end: u64,
}

impl Entries {
    pub(super) fn new(medium: Arc<dyn Medium>, end: &End) -> Entries {
        let stop = end.start.saturating_add(end.size);
        let places = Places { base: end.base, volumes: medium.volumes().to_vec() };
        Entries { window: Window::new(medium), places, at: end.start, end: stop }
    }

    /// Reads the entry at the place that was reached.
    fn entry(&mut self) -> Result<Option<ZipEntry>, Problem> {
        let fixed = self.window.bytes(self.at, LENGTH.min(self.left()))?;
        if fixed.starts_with(SIGNATURE) {
            return Ok(None);
        }
        if !fixed.starts_with(&ENTRY) || fixed.len() < LENGTH {
            return Err(Problem::damaged(format!("no entry of the directory is at byte {}", self.at)));
        }
        let [names, extras, comments] =
            [u16_at(fixed, 28)?, u16_at(fixed, 30)?, u16_at(fixed, 32)?].map(usize::from);
        let length = LENGTH + names + extras + comments;
        if length > self.left() {
            return Err(Problem::damaged("the last entry of the directory goes beyond its end"));
        }
        let entry = ZipEntry::parse(self.window.bytes(self.at, length)?, names, extras, &self.places)?;
        self.at += length as u64;
        Ok(Some(entry))
    }

    fn left(&self) -> usize {
        usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX)
    }
}

impl Iterator for Entries {
    type Item = Result<ZipEntry, Problem>;

    /// Returns the next entry. After an error there are no more.
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let entry = self.entry().transpose();
        if !matches!(entry, Some(Ok(_))) {
            self.at = self.end;
        }
        entry
    }
}
