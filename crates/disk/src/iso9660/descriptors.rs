//! The volume descriptors (ECMA-119 8), one in each sector from the 17th on.

use super::record::{Record, SECTOR, both};
use crate::fields::{le16, le32};
use crate::name::utf16;
use crate::{Medium, Problem};

/// The sectors in which descriptors are looked for, as the Linux kernel does.
const SECTORS: std::ops::Range<u64> = 16..100;

/// The descriptors that matter.
#[derive(Debug)]
pub(super) struct Descriptors {
    /// The volumes, the first primary one first. Each has a tree of its own, unless its root is that of another.
    pub(super) volumes: Vec<Volume>,
    /// The blocks of the catalogs of things to start from.
    pub(super) catalogs: Vec<u32>,
    pub(super) notes: Vec<String>,
    pub(super) doubts: Vec<Problem>,
}

/// A volume, as a primary or supplementary descriptor states it.
#[derive(Debug)]
pub(super) struct Volume {
    /// The sector of the descriptor.
    pub(super) sector: u64,
    pub(super) is_joliet: bool,
    pub(super) label: Vec<u8>,
    /// The time of the last change, or else that of its creation, which others use as an identifier.
    pub(super) identifier: Option<String>,
    /// The bytes of a block, and of the volume.
    pub(super) block: u32,
    pub(super) size: u64,
    /// The number of volumes in the set, and that of this one.
    pub(super) of_set: u16,
    pub(super) sequence: u16,
    pub(super) root: Record,
    /// The blocks of its tables of paths: two with numbers in each order of bytes, and the bytes of each.
    pub(super) tables: [u32; 4],
    pub(super) table_bytes: u32,
}

impl Descriptors {
    /// Reads all descriptors up to their end, also behind a sector that has none, as other programs do.
    pub(super) fn read(medium: &dyn Medium) -> Result<Descriptors, Problem> {
        let (mut volumes, mut catalogs) = (Vec::<Volume>::new(), Vec::new());
        let (mut notes, mut doubts) = (Vec::new(), Vec::new());
        let (mut has_end, mut first) = (false, None);
        for number in SECTORS {
            let mut sector = [0; SECTOR as usize];
            let is_read = medium.read_at(number * SECTOR, &mut sector).is_ok();
            if !is_read || sector[1..6] != *b"CD001" {
                continue;
            }
            match sector[0] {
                0 if sector[7..].starts_with(b"EL TORITO SPECIFICATION") => {
                    catalogs.extend(le32(&sector, 71));
                }
                kind @ (1 | 2) => match Volume::parse(number, &sector, &mut doubts) {
                    Some(volume) => {
                        first = first.or((kind == 1).then_some(volumes.len()));
                        volumes.push(volume);
                    }
                    None => doubts.push(Problem::ambiguous(format!(
                        "the volume descriptor in sector {number} makes no sense"
                    ))),
                },
                255 => {
                    has_end = true;
                    break;
                }
                _ => {}
            }
        }
        if !has_end {
            notes.push("the list of volume descriptors has no end".into());
        }
        let first = first.ok_or_else(|| Problem::damaged("no primary volume descriptor makes sense"))?;
        volumes[..=first].rotate_right(1);
        Ok(Descriptors { volumes, catalogs, notes, doubts })
    }
}

/// Returns whether a supplementary descriptor has one of the three escape sequences of Joliet.
fn is_joliet(sector: &[u8]) -> bool {
    let escape = sector.get(88..91).unwrap_or_default();
    matches!(escape, b"%/@" | b"%/C" | b"%/E")
}

impl Volume {
    fn parse(number: u64, sector: &[u8], doubts: &mut Vec<Problem>) -> Option<Volume> {
        let is_joliet = sector[0] == 2 && is_joliet(sector);
        let (blocks, agrees) = both(sector, 80)?;
        let block = le16(sector, 128).filter(|block| block.is_power_of_two() && *block >= 512)?;
        let root = Record::parse(number * SECTOR + 156, sector.get(156..190)?)?;
        if !agrees || !root.agrees {
            doubts.push(Problem::ambiguous(format!(
                "the volume descriptor in sector {number} states numbers in two ways that differ"
            )));
        }
        let label = sector.get(40..72)?;
        let units = label.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        let label = if is_joliet { utf16(units) } else { label.to_vec() };
        let end = label.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
        Some(Volume {
            sector: number,
            is_joliet,
            label: label.get(..end)?.to_vec(),
            identifier: identifier(sector.get(830..846)?).or_else(|| identifier(sector.get(813..829)?)),
            block: block.into(),
            size: u64::from(blocks) * u64::from(block),
            of_set: le16(sector, 120)?,
            sequence: le16(sector, 124)?,
            root,
            table_bytes: le32(sector, 132)?,
            tables: [
                le32(sector, 140)?,
                le32(sector, 144)?,
                le32(sector, 148)?.swap_bytes(),
                le32(sector, 152)?.swap_bytes(),
            ],
        })
    }
}

/// Returns the sixteen digits of a time as `YYYY-MM-DD-HH-MM-SS-CC`; none if they are zeros, or others.
fn identifier(digits: &[u8]) -> Option<String> {
    let is_set = digits.iter().all(u8::is_ascii_digit) && digits.iter().any(|digit| *digit != b'0');
    let text = std::str::from_utf8(digits).ok().filter(|_| is_set)?;
    let (year, rest) = text.split_at_checked(4)?;
    let pairs = rest.as_bytes().chunks(2).map(|pair| String::from_utf8_lossy(pair));
    Some(std::iter::once(year.into()).chain(pairs).collect::<Vec<_>>().join("-"))
}
