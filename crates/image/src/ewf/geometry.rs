//! Sizes of chunks and media: the `volume`, `disk` and `data` sections, and EWF2's counterparts.

use crate::bytes::checksums::{add_adler, adler_holds};
use crate::bytes::le::{array, u32_at, u64_at};
use serde::Serialize;

/// The maximum size of a chunk: 32,768 sectors of 4,096 bytes are the most that any program offers.
pub(crate) const MOST_CHUNK: u64 = 128 << 20;

/// The content of a volume section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Geometry {
    /// The stated number of chunks.
    pub chunks: u64,
    /// Sectors per chunk.
    pub sectors_per_chunk: u32,
    /// Bytes per sector.
    pub bytes_per_sector: u32,
    /// Sectors of the media.
    pub sectors: u64,
    /// The kind of media.
    pub media: Media,
    /// A physical device was acquired, not a volume.
    pub physical: bool,
    /// The write blocker that was used.
    pub write_blocker: Option<WriteBlocker>,
    /// The stated compression level; only a hint, since many writers leave 0.
    pub level: Option<u8>,
    /// The number of sectors that one read error makes unreadable.
    pub error_granularity: Option<u32>,
    /// The identifier of the set of segments; zeros if there is none.
    #[serde(serialize_with = "hex")]
    pub set: [u8; 16],
}

/// Kinds of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Media {
    /// A removable disk.
    Removable,
    /// A fixed disk.
    Fixed,
    /// An optical disc.
    Optical,
    /// Single files.
    Logical,
    /// Memory of a computer.
    Memory,
    /// A handheld (EnCase's `p`).
    Handheld,
    /// An undocumented number or letter.
    Unknown(u8),
}

/// Write blockers that images name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteBlocker {
    /// FastBloc.
    FastBloc,
    /// Tableau.
    Tableau,
}

/// The trust in a volume section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The checksum is right.
    Whole,
    /// There is no checksum (Logicube).
    Unchecked,
    /// The checksum is wrong.
    Damaged,
}

pub(crate) const LONG: usize = 1052;
const SHORT: usize = 94;

impl Geometry {
    /// Reads the content of a volume section, long or short.
    pub(crate) fn ewf1(content: &[u8]) -> Option<(Geometry, Trust)> {
        match content.len() {
            LONG => Some((Geometry::long(content), trust(content, LONG - 4))),
            SHORT => Some((Geometry::short(content), trust(content, SHORT - 4))),
            _ => None,
        }
    }

    fn long(content: &[u8]) -> Geometry {
        let flags = content[36];
        let blocker = [(4, WriteBlocker::FastBloc), (8, WriteBlocker::Tableau)];
        Geometry {
            chunks: u64::from(u32_at(content, 4)),
            sectors_per_chunk: u32_at(content, 8),
            bytes_per_sector: u32_at(content, 12),
            sectors: u64_at(content, 16),
            media: Media::from(content[0]),
            physical: flags & 2 != 0,
            write_blocker: blocker.into_iter().find(|(bit, _)| flags & bit != 0).map(|(_, name)| name),
            level: Some(content[52]),
            error_granularity: Some(u32_at(content, 56)),
            set: array(content, 64),
        }
    }

    /// Returns the content of a `volume` or `data` section.
    pub(crate) fn to_ewf1(&self) -> Vec<u8> {
        let mut content = vec![0; LONG - 4];
        content[0] = self.media.number();
        // Chunks of images that state a number beyond 32 bits are found by their tables alone.
        content[4..8].copy_from_slice(&u32::try_from(self.chunks).unwrap_or(u32::MAX).to_le_bytes());
        content[8..12].copy_from_slice(&self.sectors_per_chunk.to_le_bytes());
        content[12..16].copy_from_slice(&self.bytes_per_sector.to_le_bytes());
        content[16..24].copy_from_slice(&self.sectors.to_le_bytes());
        content[36] = 1 | u8::from(self.physical) << 1;
        content[52] = self.level.unwrap_or(0);
        content[56..60].copy_from_slice(&self.error_granularity.unwrap_or(0).to_le_bytes());
        content[64..80].copy_from_slice(&self.set);
        add_adler(&mut content, 0);
        content
    }

    /// Reads the short form, of Expert Witness and SMART.
    fn short(content: &[u8]) -> Geometry {
        Geometry {
            chunks: u64::from(u32_at(content, 4)),
            sectors_per_chunk: u32_at(content, 8),
            bytes_per_sector: u32_at(content, 12),
            sectors: u64::from(u32_at(content, 16)),
            media: Media::Fixed,
            physical: false,
            write_blocker: None,
            level: None,
            error_granularity: None,
            set: [0; 16],
        }
    }

    /// Returns the bytes of a chunk, if they are in range.
    pub(crate) fn chunk_size(&self) -> Option<u64> {
        let size = u64::from(self.sectors_per_chunk) * u64::from(self.bytes_per_sector);
        (1..=MOST_CHUNK).contains(&size).then_some(size)
    }

    /// Returns the bytes of the media, if they are in range.
    pub(crate) fn media_size(&self) -> Option<u64> {
        // One bit is left for sums with chunk sizes.
        self.sectors.checked_mul(u64::from(self.bytes_per_sector)).filter(|size| *size < 1 << 62)
    }

    /// Whether both describe the same image.
    pub(crate) fn agrees(&self, other: &Geometry) -> bool {
        let sizes = |one: &Geometry| (one.sectors_per_chunk, one.bytes_per_sector, one.sectors, one.chunks);
        sizes(self) == sizes(other)
    }

    /// Whether they have different set identifiers.
    pub(crate) fn is_foreign_to(&self, other: &Geometry) -> bool {
        self.set != other.set
    }
}

fn trust(content: &[u8], at: usize) -> Trust {
    match (adler_holds(content, at), u32_at(content, at)) {
        (true, _) => Trust::Whole,
        (false, 0) => Trust::Unchecked,
        (false, _) => Trust::Damaged,
    }
}

/// Reads the numbers of EWF1.
impl From<u8> for Media {
    fn from(number: u8) -> Media {
        match number {
            0 => Media::Removable,
            1 => Media::Fixed,
            3 => Media::Optical,
            0x0e => Media::Logical,
            0x10 => Media::Memory,
            other => Media::Unknown(other),
        }
    }
}

impl Media {
    /// Returns the number of EWF1.
    fn number(self) -> u8 {
        match self {
            Media::Removable => 0,
            Media::Fixed => 1,
            Media::Optical => 3,
            Media::Logical => 0x0e,
            Media::Memory => 0x10,
            Media::Handheld => b'p',
            Media::Unknown(number) => number,
        }
    }

    /// Reads the letters of EWF2 and of header texts.
    pub(crate) fn of_letter(letter: &str) -> Media {
        match letter {
            "r" => Media::Removable,
            "f" => Media::Fixed,
            "c" => Media::Optical,
            "l" => Media::Logical,
            "m" => Media::Memory,
            "p" => Media::Handheld,
            other => Media::Unknown(other.bytes().next().unwrap_or(0)),
        }
    }
}

pub(crate) fn hex<S: serde::Serializer>(bytes: &[u8; 16], to: S) -> Result<S::Ok, S::Error> {
    hashmill_digest::Digest::new(bytes).to_string().serialize(to)
}
