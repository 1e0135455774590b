//! Images to start from (El Torito 1.0; UEFI Specification 2.10, 13.3.2.1), shown as metadata in the root directory.

use super::record::SECTOR;
use crate::fields::{array, le16, le32};
use crate::{ByteRuns, Content, Medium, Named, Node, NodeKind, Problem};

/// An image.
#[derive(Debug)]
pub(super) struct Boot {
    /// The position of its entry in the catalog.
    number: u64,
    pub(super) name: String,
    pub(super) start: u64,
    size: u64,
    /// Whether that is the size of the image, and not only of the part that is loaded.
    pub(super) is_whole: bool,
}

/// The most sectors of a catalog.
const SECTORS: u64 = 64;

/// Reads a catalog: an entry that validates it, the first image, then sections with further ones.
pub(super) fn images(medium: &dyn Medium, catalog: u32, end: u64, doubts: &mut Vec<Problem>) -> Vec<Boot> {
    let position = u64::from(catalog) * SECTOR;
    let (mut images, mut platform) = (Vec::new(), 0);
    for place in (0..SECTORS).map(|number| position + number * SECTOR) {
        let mut sector = [0; SECTOR as usize];
        let is_read = medium.read_at(place, &mut sector).is_ok();
        if !is_read || place == position && !is_valid(&sector) {
            doubts.push(Problem::incomplete("the catalog of boot images is damaged"));
            break;
        }
        for (number, entry) in (0_u64..).zip(sector.chunks_exact(32)) {
            match entry[0] {
                0x01 if place == position && number == 0 => platform = entry[1],
                0x90 | 0x91 => platform = entry[1],
                // One that is not to be started from has bytes all the same.
                0x88 | 0x00 => images.extend(image(medium, place + number * 32, entry, platform, end)),
                // The continuation of an entry.
                0x44 => {}
                _ => return images,
            }
        }
        if matches!(sector.get(SECTOR as usize - 32), Some(0)) {
            return images;
        }
    }
    images
}

/// Returns whether a catalog begins with the entry that validates it: its sixteen bits add up to zero.
fn is_valid(sector: &[u8]) -> bool {
    let sum = (0..16).filter_map(|word| le16(sector, word * 2)).fold(0_u16, u16::wrapping_add);
    sector.first() == Some(&1) && array(sector, 30) == Some([0x55, 0xaa]) && sum == 0
}

/// Gives images their names.
pub(super) fn numbered(mut images: Vec<Boot>) -> Vec<Boot> {
    for (number, image) in (1..).zip(&mut images) {
        image.name = format!("$Boot{number}-{}", image.name);
    }
    images
}

/// Returns the image of an entry, with this number; none if the entry is empty.
fn image(medium: &dyn Medium, number: u64, entry: &[u8], platform: u8, end: u64) -> Option<Boot> {
    const KIB: u64 = 1024;
    let start = u64::from(le32(entry, 8).filter(|block| *block > 0)?) * SECTOR;
    let sectors = le16(entry, 6)?;
    let loaded = u64::from(sectors) * 512;
    let (size, is_whole) = match entry.get(1)? & 0xf {
        1 => (1200 * KIB, true),
        2 => (1440 * KIB, true),
        3 => (2880 * KIB, true),
        4 => disk_size(medium, start).map_or((loaded, false), |size| (size.max(loaded), true)),
        // For EFI, none or one means all up to the end of the volume.
        0 if platform == 0xef && sectors <= 1 => (end.saturating_sub(start), true),
        _ => (loaded, platform == 0xef && sectors < u16::MAX),
    };
    let platform = match platform {
        0 => "x86",
        1 => "PowerPC",
        2 => "Mac",
        0xef => "EFI",
        _ => "other",
    };
    Some(Boot { number, name: platform.into(), start, size, is_whole })
}

/// Returns the size of the image of a disk by its partition table.
fn disk_size(medium: &dyn Medium, start: u64) -> Option<u64> {
    let mut sector = [0; 512];
    medium.read_at(start, &mut sector).ok().filter(|()| sector.ends_with(&[0x55, 0xaa]))?;
    let end = |entry: &[u8]| Some(u64::from(le32(entry, 8)?) + u64::from(le32(entry, 12)?));
    let sectors = sector.get(446..510)?.chunks_exact(16).filter_map(end).max()?;
    (sectors > 0).then_some(sectors * 512)
}

impl Boot {
    pub(super) fn named(&self) -> Named {
        let (name, number) = (self.name.clone().into_bytes(), self.number);
        Named { name, number, generation: 0, is_directory: Some(false), is_deleted: false }
    }

    /// Returns the position of the first sector behind it.
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.size.next_multiple_of(SECTOR))
    }

    pub(super) fn node(&self, medium: u64) -> Node {
        Node::new(self.number, NodeKind::Metadata, self.size, self.content(medium))
    }

    fn content(&self, medium: u64) -> Result<Content, Problem> {
        let mut runs = ByteRuns::default();
        runs.push(Some(self.start), self.size, medium)?;
        Ok(Content::plain(runs, self.size))
    }
}
