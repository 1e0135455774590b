//! Members of ZIP archives.

use super::members::MemberBytes;
use crate::content::{EndsWindow, zip_names};
use crate::limits::END_BYTES;
use flate2::read::DeflateDecoder;
use std::io::Read;

/// A ZIP archive.
pub(super) struct Archive<'a> {
    file: EndsWindow<'a>,
    names: Vec<&'a [u8]>,
    /// The entries of the directory in the last bytes: names, and where the members are.
    places: Vec<Place<'a>>,
}

/// The place of a member.
struct Place<'a> {
    name: &'a [u8],
    method: u16,
    stored: u64,
    size: u64,
    at: u64,
}

/// The length of an entry of the directory, without its name.
const ENTRY: usize = 46;
/// The length of the header before a member, without its name.
const HEADER: u64 = 30;

impl<'a> Archive<'a> {
    /// Lists its members.
    pub(super) fn new(head: &'a [u8], tail: &'a [u8], size: u64) -> Archive<'a> {
        let (names, entries) = zip_names(head, tail, size);
        let mut places: Vec<Place<'a>> = entries.into_iter().filter_map(Place::new).collect();
        if places.is_empty() {
            // The directory is not there; the first members are.
            places = local_places(head);
        }
        Archive { file: EndsWindow::new(head, tail, size), names, places }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.names.contains(&path.as_bytes())
    }

    /// Returns the first bytes of a member that is stored or deflated.
    pub(super) fn bytes(&self, path: &str) -> Option<MemberBytes> {
        let place = self.places.iter().find(|place| place.name == path.as_bytes())?;
        let length = |at| Some(u64::from(number16(self.file.get(place.at + at, 2)?, 0)?));
        let start = place.at.checked_add(HEADER + length(26)? + length(28)?)?;
        let stored = self.file.get_up_to(start, usize::try_from(place.stored).unwrap_or(usize::MAX))?;
        let mut bytes = Vec::new();
        match place.method {
            0 => bytes.extend_from_slice(&stored[..stored.len().min(END_BYTES)]),
            // The bytes that were unpacked before a fault or the end of the known bytes count.
            8 => drop(DeflateDecoder::new(stored).take(END_BYTES as u64).read_to_end(&mut bytes)),
            _ => return None,
        }
        let is_whole = bytes.len() as u64 == place.size;
        Some(MemberBytes { bytes, is_whole })
    }
}

impl<'a> Place<'a> {
    fn new(entry: &'a [u8]) -> Option<Place<'a>> {
        let name = usize::from(number16(entry, 28)?);
        Some(Place {
            name: entry.get(ENTRY..ENTRY + name)?,
            method: number16(entry, 10)?,
            stored: number32(entry, 20)?,
            size: number32(entry, 24)?,
            at: number32(entry, 42)?,
        })
    }
}

/// Returns the places of the first members, whose headers have their sizes.
fn local_places(head: &[u8]) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(header) = head.get(at..).filter(|rest| rest.starts_with(b"PK\x03\x04")) {
        let place = || {
            let (name, extra) = (usize::from(number16(header, 26)?), usize::from(number16(header, 28)?));
            let stored = number32(header, 18)?;
            let is_open = number16(header, 6)? & 8 != 0;
            let place = Place {
                name: header.get(30..30 + name)?,
                method: number16(header, 8)?,
                stored: if is_open { u64::MAX } else { stored },
                size: number32(header, 22)?,
                at: at as u64,
            };
            let next = usize::try_from(stored).ok().filter(|_| !is_open)?.checked_add(at + 30 + name + extra);
            Some((place, next))
        };
        let Some((place, next)) = place() else { break };
        places.push(place);
        let Some(next) = next else { break };
        at = next;
    }
    places
}

fn number16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn number32(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}
