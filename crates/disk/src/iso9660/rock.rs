//! Rock Ridge (RRIP 1.12): names, modes, links and times of POSIX, in entries of the system use sharing protocol (SUSP
//! 1.12) behind each record.

use super::descriptors::Volume;
use super::moment::{long_moment, moment};
use super::record::{Record, both};
use crate::{Medium, NodeKind, Problem, Times};

/// The most continuation areas of a record, and the most bytes of one.
const AREAS: usize = 32;
const AREA: u32 = 16 << 10;

/// The facts in the entries of one record.
#[derive(Debug, Default)]
pub(super) struct Rock {
    pub(super) name: Option<Vec<u8>>,
    mode: Option<u32>,
    pub(super) links: Option<u32>,
    /// The target of a symbolic link.
    pub(super) target: Option<Vec<u8>>,
    /// Whether the last part of the target goes on in the next component.
    is_open: bool,
    pub(super) times: Times,
    /// The block of the directory that belongs here, but was moved up.
    pub(super) child: Option<u32>,
    /// Whether it is a directory that was moved here.
    pub(super) is_moved: bool,
    pub(super) is_sparse: bool,
    pub(super) is_compressed: bool,
    /// Whether anything of Rock Ridge is there.
    is_rock: bool,
    /// Why not all entries could be read.
    pub(super) fault: Option<Problem>,
}

/// Returns the number of bytes before the entries of each record, if the volume has Rock Ridge: the first record of the root
/// directory tells.
pub(super) fn is_used(medium: &dyn Medium, volume: &Volume) -> Option<usize> {
    let record = Record::read(medium, volume.root.start(volume.block)).ok()?;
    let marked = |at: usize| record.system.get(at..)?.strip_prefix(b"SP\x07\x01\xbe\xef")?.first().copied();
    // Discs of CD-ROM XA have 14 bytes of their own first.
    let skip = marked(0).or_else(|| marked(14))?;
    let start = if marked(0).is_some() { 0 } else { 14 };
    Rock::read(medium, &record.system, start, volume.block).is_rock.then_some(skip.into())
}

impl Rock {
    /// Reads the entries of a record and of its continuation areas.
    pub(super) fn read(medium: &dyn Medium, system: &[u8], skip: usize, block: u32) -> Rock {
        let mut rock = Rock::default();
        let mut area = system.get(skip..).unwrap_or_default().to_vec();
        for _ in 0..AREAS {
            let next = match rock.add_area(&area) {
                None => return rock,
                Some(next) => next,
            };
            match continued(medium, &next, block) {
                Ok(bytes) => area = bytes,
                Err(fault) => {
                    rock.fault = Some(fault);
                    return rock;
                }
            }
        }
        rock.fault = Some(Problem::TooMany("continuation areas"));
        rock
    }

    /// Adds the entries of an area. Returns the entry that leads to the next one.
    fn add_area(&mut self, area: &[u8]) -> Option<Vec<u8>> {
        let (mut rest, mut next) = (area, None);
        // Less than four bytes are padding.
        while let [one, other, length, _version, ..] = *rest {
            let length = usize::from(length);
            if length < 4 || [one, other] == *b"ST" {
                break;
            }
            let Some((entry, behind)) = rest.split_at_checked(length) else { break };
            rest = behind;
            if [one, other] == *b"CE" {
                next = Some(entry.to_vec());
            } else if self.add(entry).is_none() {
                self.fault = Some(Problem::damaged("an entry of Rock Ridge that is too short"));
            }
        }
        next
    }

    /// Adds an entry; none if it is too short.
    fn add(&mut self, entry: &[u8]) -> Option<()> {
        let number = |at: usize| both(entry, at).map(|(number, _)| number);
        let kind = entry.get(..2)?;
        self.is_rock |= matches!(kind, b"RR" | b"PX" | b"NM");
        match kind {
            b"NM" => self.add_name(*entry.get(4)?, entry.get(5..)?),
            b"PX" => (self.mode, self.links) = (Some(number(4)?), Some(number(12)?)),
            b"SL" => self.add_target(entry.get(5..)?)?,
            b"TF" => self.add_times(*entry.get(4)?, entry.get(5..)?)?,
            b"CL" => self.child = Some(number(4)?),
            b"RE" => self.is_moved = true,
            b"SF" => self.is_sparse = true,
            b"ZF" => self.is_compressed = true,
            _ => {}
        }
        Some(())
    }

    /// Adds a part of the name (RRIP 4.1.4).
    fn add_name(&mut self, flags: u8, part: &[u8]) {
        let part: &[u8] = match flags {
            _ if flags & 2 != 0 => b".",
            _ if flags & 4 != 0 => b"..",
            _ => part,
        };
        self.name.get_or_insert_default().extend_from_slice(part);
    }

    /// Adds components to the target of a symbolic link (RRIP 4.1.3).
    fn add_target(&mut self, mut components: &[u8]) -> Option<()> {
        let target = self.target.get_or_insert_default();
        while let [flags, length, rest @ ..] = components {
            let (text, behind) = rest.split_at_checked((*length).into())?;
            components = behind;
            if !self.is_open && !target.is_empty() && !target.ends_with(b"/") {
                target.push(b'/');
            }
            target.extend_from_slice(match flags {
                _ if flags & 2 != 0 => b".",
                _ if flags & 4 != 0 => b"..",
                _ if flags & 8 != 0 => b"/",
                _ => text,
            });
            self.is_open = flags & 1 != 0;
        }
        Some(())
    }

    /// Adds the times that flags tell to be there, each of 7 or of 17 bytes (RRIP 4.1.6).
    fn add_times(&mut self, flags: u8, stamps: &[u8]) -> Option<()> {
        let is_long = flags & 0x80 != 0;
        let mut stamps = stamps.chunks_exact(if is_long { 17 } else { 7 });
        let places = [
            &mut self.times.created,
            &mut self.times.modified,
            &mut self.times.accessed,
            &mut self.times.changed,
        ];
        for (bit, place) in places.into_iter().enumerate() {
            if flags >> bit & 1 == 1 {
                let stamp = stamps.next()?;
                *place = if is_long { long_moment(stamp) } else { moment(stamp) };
            }
        }
        Some(())
    }

    /// Returns the kind of entry that is no directory.
    pub(super) fn kind(&self) -> NodeKind {
        match self.mode.unwrap_or_default() & 0o170_000 {
            0o120_000 => NodeKind::Link,
            0o010_000 => NodeKind::Fifo,
            0o140_000 => NodeKind::Socket,
            0o020_000 | 0o060_000 => NodeKind::Device,
            _ => NodeKind::File,
        }
    }
}

/// Reads the continuation area that an entry leads to: its block, its offset and its length.
fn continued(medium: &dyn Medium, entry: &[u8], block: u32) -> Result<Vec<u8>, Problem> {
    let number = |at: usize| both(entry, at).map(|(number, _)| number);
    let (Some(start), Some(offset), Some(length)) = (number(4), number(12), number(20)) else {
        return Err(Problem::damaged("an entry of Rock Ridge that is too short"));
    };
    if length > AREA {
        return Err(Problem::damaged(format!("a continuation area of {length} bytes")));
    }
    let mut area = vec![0; length as usize];
    medium.read_at(u64::from(start) * u64::from(block) + u64::from(offset), &mut area)?;
    Ok(area)
}
