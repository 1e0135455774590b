//! Images to start from (El Torito 1.0; UEFI Specification 2.10, 13.3.2.1), shown as metadata in the root directory.

use super::record::SECTOR;
use crate::fields::{array, le16, le32};
use crate::{ByteRuns, Content, Medium, Named, Node, NodeKind, Problem};

/// An image.
#[derive(Debug)]
pub(super) struct Boot {
    /// The position of its entry in the catalog.
    number: u64,
    name: String,
    start: u64,
    size: u64,
}

/// Reads the catalog: an entry that validates it, the first image, then sections with further ones. One sector is read.
pub(super) fn images(medium: &dyn Medium, catalog: u32, end: u64, doubts: &mut Vec<Problem>) -> Vec<Boot> {
    let position = u64::from(catalog) * SECTOR;
    let mut sector = [0; SECTOR as usize];
    if medium.read_at(position, &mut sector).is_err() || !is_valid(&sector) {
        doubts.push(Problem::incomplete("the catalog of boot images is damaged"));
        return Vec::new();
    }
    let mut images = Vec::new();
    let mut platform = sector[1];
    for (number, entry) in sector.chunks_exact(32).enumerate().skip(1) {
        match entry[0] {
            0x90 | 0x91 => platform = entry[1],
            0x88 => {
                images.extend(image(position + number as u64 * 32, entry, platform, images.len() + 1, end))
            }
            // An image that is not to be started from, or the continuation of an entry.
            0x00 | 0x44 => {}
            _ => break,
        }
    }
    images
}

/// Returns whether a catalog begins with the entry that validates it: its sixteen bits add up to zero.
fn is_valid(sector: &[u8]) -> bool {
    let sum = (0..16).filter_map(|word| le16(sector, word * 2)).fold(0_u16, u16::wrapping_add);
    sector.first() == Some(&1) && array(sector, 30) == Some([0x55, 0xaa]) && sum == 0
}

/// Returns an image.
fn image(number: u64, entry: &[u8], platform: u8, which: usize, end: u64) -> Option<Boot> {
    const KIB: u64 = 1024;
    let start = u64::from(le32(entry, 8)?) * SECTOR;
    let sectors = u64::from(le16(entry, 6)?);
    let size = match entry.get(1)? & 0xf {
        1 => 1200 * KIB,
        2 => 1440 * KIB,
        3 => 2880 * KIB,
        // For EFI, none or one means all up to the end of the volume.
        0 if platform == 0xef && sectors <= 1 => end.saturating_sub(start),
        _ => sectors * 512,
    };
    let platform = match platform {
        0 => "x86",
        1 => "PowerPC",
        2 => "Mac",
        0xef => "EFI",
        _ => "other",
    };
    Some(Boot { number, name: format!("$Boot{which}-{platform}"), start, size })
}

impl Boot {
    pub(super) fn named(&self) -> Named {
        let (name, number) = (self.name.clone().into_bytes(), self.number);
        Named { name, number, generation: 0, is_directory: Some(false), is_deleted: false }
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
