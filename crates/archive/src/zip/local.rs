//! The header before a member (APPNOTE 6.3.10, 4.3.7), which must say what the directory says.

use super::entry::{self, ZipEntry, flag};
use super::extra::{Extra, WideNumbers};
use crate::fields::{u16_at, u32_at, u64_at};
use crate::{Medium, Problem};
use std::fmt::Display;

/// The signature of the header.
pub(super) const LOCAL: [u8; 4] = *b"PK\x03\x04";

/// The length of the header without its name and extra fields.
pub(super) const LENGTH: u64 = 30;

/// The system that is assumed, as the header does not have it: Unix, without attributes.
const MADE_BY: u16 = 3 << 8;

/// The header before a member.
#[derive(Debug)]
pub(super) struct LocalHeader {
    /// The facts that it states about the member.
    pub entry: ZipEntry,
    /// The position of the packed bytes.
    pub data: u64,
    /// Whether the name in UTF-8 is one of an extra field.
    has_path: bool,
}

impl LocalHeader {
    /// Reads the header at a position.
    ///
    /// # Errors
    /// If none is there.
    pub(super) fn read(medium: &dyn Medium, place: u64) -> Result<LocalHeader, Problem> {
        let mut fixed = [0; LENGTH as usize];
        medium.read_at(place, &mut fixed)?;
        if !fixed.starts_with(&LOCAL) {
            return Err(Problem::damaged(format!("no header of a member is at byte {place}")));
        }
        let (names, extras) = (u16_at(&fixed, 26)?, u16_at(&fixed, 28)?);
        let mut rest = vec![0; usize::from(names) + usize::from(extras)];
        let at = place.saturating_add(LENGTH);
        medium.read_at(at, &mut rest)?;
        let (name, extra) = rest.split_at_checked(names.into()).ok_or(Problem::Truncated)?;
        let extra = Extra::parse(extra, name);
        let (packed, size) = sizes(u32_at(&fixed, 18)?, u32_at(&fixed, 22)?, extra.wide)?;
        let flags = u16_at(&fixed, 6)?;
        let (path, other_path) = entry::path(name, MADE_BY, flags, &extra);
        let entry = ZipEntry {
            made_by: MADE_BY,
            flags,
            method: u16_at(&fixed, 8)?,
            crc: Some(u32_at(&fixed, 14)?),
            packed: Some(packed),
            size: Some(size),
            volume: 0,
            attributes: 0,
            place,
            name: name.to_vec(),
            path,
            other_path,
            times: entry::times(u16_at(&fixed, 10)?, u16_at(&fixed, 12)?, &extra),
            is_encrypted: entry::is_encrypted(flags, &extra),
        };
        Ok(LocalHeader { entry, data: at.saturating_add(rest.len() as u64), has_path: extra.path.is_some() })
    }

    /// Returns whether checksum and sizes follow the member.
    pub(super) fn is_deferred(&self) -> bool {
        self.entry.flags & flag::DEFERRED != 0
    }

    /// Compares the header with the directory.
    ///
    /// # Errors
    /// If they disagree, with both values.
    pub(super) fn compare(&self, listed: &ZipEntry) -> Result<(), Problem> {
        let local = &self.entry;
        let (name, listed_name) = (local.name.escape_ascii(), listed.name.escape_ascii());
        same("the name", local.name == listed.name, name, listed_name)?;
        let is_same = !self.has_path || local.path == listed.path;
        same("the name", is_same, local.path.escape_ascii(), listed.path.escape_ascii())?;
        equal("the method", local.method, listed.method)?;
        equal("the flags", local.flags & flag::COMPARED, listed.flags & flag::COMPARED)?;
        self.compare_number("the checksum", local.crc.map(u64::from), listed.crc.map(u64::from))?;
        self.compare_number("the packed size", local.packed, listed.packed)?;
        self.compare_number("the size", local.size, listed.size)
    }

    /// Compares a number, which may be left out here if it follows the member.
    fn compare_number(&self, of: &str, local: Option<u64>, listed: Option<u64>) -> Result<(), Problem> {
        let is_left_out = self.is_deferred() && matches!(local, Some(0 | 0xffff_ffff) | None);
        if is_left_out { Ok(()) } else { equal(of, local.unwrap_or(0), listed.unwrap_or(0)) }
    }
}

/// Returns the packed size and the size. The extra field has both if either needs it (4.5.3).
fn sizes(packed: u32, size: u32, wide: Option<&[u8]>) -> Result<(u64, u64), Problem> {
    let number = |narrow: u32, wide: u64| if narrow == u32::MAX { wide } else { narrow.into() };
    if let Some(field) = wide.filter(|field| field.len() >= 16) {
        return Ok((number(packed, u64_at(field, 8)?), number(size, u64_at(field, 0)?)));
    }
    let mut wide = WideNumbers::new(wide);
    let size = wide.number(size)?;
    Ok((wide.number(packed)?, size))
}

fn equal<T: PartialEq + Display>(of: &str, local: T, listed: T) -> Result<(), Problem> {
    same(of, local == listed, local, listed)
}

fn same(of: &str, is_same: bool, local: impl Display, listed: impl Display) -> Result<(), Problem> {
    let what = || format!("{of} is {local} in the header of the member and {listed} in the directory");
    if is_same { Ok(()) } else { Err(Problem::Ambiguous(what().into())) }
}
