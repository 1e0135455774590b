//! The file allocation table: which cluster follows which.

use crate::fields::{le16, le32};
use crate::{Medium, Problem};
use std::sync::Arc;

/// The number of bytes of the table that are read at once. A table of 12-bit entries is shorter, so that none of its
/// entries is cut in two.
const WINDOW: u64 = 8 << 10;

/// The size of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Twelve,
    Sixteen,
    /// FAT32: 28 bits of 32 count.
    TwentyEight,
    /// exFAT.
    ThirtyTwo,
}

/// The meaning of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// The cluster is in no chain.
    Free,
    /// This cluster is the next.
    Next(u32),
    /// The cluster is the last of its chain.
    End,
    /// The cluster is marked as damaged.
    Bad,
}

impl Width {
    /// Returns the position of an entry in its table.
    fn offset(self, cluster: u32) -> u64 {
        let cluster = u64::from(cluster);
        match self {
            Width::Twelve => cluster + cluster / 2,
            Width::Sixteen => cluster * 2,
            Width::TwentyEight | Width::ThirtyTwo => cluster * 4,
        }
    }

    /// Returns the number of entries in a table of that many bytes.
    pub fn entries(self, bytes: u64) -> u64 {
        match self {
            Width::Twelve => bytes.saturating_mul(2) / 3,
            Width::Sixteen => bytes / 2,
            Width::TwentyEight | Width::ThirtyTwo => bytes / 4,
        }
    }

    /// Returns the first cluster whose entry is in the next window.
    fn behind_window(self, cluster: u32) -> u32 {
        match self {
            Width::Twelve => u32::MAX,
            Width::Sixteen => (cluster / 4096).saturating_add(1).saturating_mul(4096),
            Width::TwentyEight | Width::ThirtyTwo => (cluster / 2048).saturating_add(1).saturating_mul(2048),
        }
    }

    /// Returns the largest value of an entry.
    fn most(self) -> u32 {
        match self {
            Width::Twelve => 0xfff,
            Width::Sixteen => 0xffff,
            Width::TwentyEight => 0x0fff_ffff,
            Width::ThirtyTwo => u32::MAX,
        }
    }

    fn value(self, bytes: &[u8], at: usize, cluster: u32) -> Option<u32> {
        let value = match self {
            Width::Twelve => {
                let pair = u32::from(le16(bytes, at)?);
                if cluster.is_multiple_of(2) { pair } else { pair >> 4 }
            }
            Width::Sixteen => u32::from(le16(bytes, at)?),
            Width::TwentyEight | Width::ThirtyTwo => le32(bytes, at)?,
        };
        Some(value & self.most())
    }

    fn link(self, value: u32) -> Link {
        match self.most() - value {
            _ if value == 0 => Link::Free,
            0..=7 => Link::End,
            8 => Link::Bad,
            _ => Link::Next(value),
        }
    }
}

/// A file allocation table and its copies.
#[derive(Debug)]
pub(crate) struct ClusterTable {
    medium: Arc<dyn Medium>,
    /// The positions of the copies; the first that can be read is used.
    copies: Vec<u64>,
    length: u64,
    width: Width,
}

/// A piece of the table that was read. Whoever asks for entries one after the other keeps one.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// The number of the piece, and its bytes.
    held: Option<(u64, Vec<u8>)>,
}

impl ClusterTable {
    /// Creates the table of `length` bytes at each of these positions.
    pub fn new(medium: Arc<dyn Medium>, copies: Vec<u64>, length: u64, width: Width) -> ClusterTable {
        ClusterTable { medium, copies, length, width }
    }

    /// Reads the meaning of the entry of a cluster.
    ///
    /// # Errors
    /// If it lies beyond the table, or no copy can be read there.
    pub fn link(&self, cluster: u32, window: &mut Window) -> Result<Link, Problem> {
        self.value(cluster, window).map(|value| self.width.link(value))
    }

    /// Reads the entries of that many clusters from the first on. Those that can't be read are left out.
    pub fn each(&self, count: u32, take: &mut dyn FnMut(u32, Link)) {
        let mut window = Window::default();
        let end = count.saturating_add(2);
        let mut cluster = 2;
        while cluster < end {
            cluster = match self.link(cluster, &mut window) {
                Ok(link) => {
                    take(cluster, link);
                    cluster + 1
                }
                Err(_) => self.width.behind_window(cluster),
            };
        }
    }

    /// Reads an entry as a number.
    ///
    /// # Errors
    /// As [`ClusterTable::link`].
    pub fn value(&self, cluster: u32, window: &mut Window) -> Result<u32, Problem> {
        let offset = self.width.offset(cluster);
        let bytes = window.piece(self, offset / WINDOW)?;
        self.width.value(bytes, (offset % WINDOW) as usize, cluster).ok_or(Problem::Beyond)
    }

    /// Reads from the first copy that can be read; the number of the copy is returned.
    fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Problem> {
        let mut failed = Problem::Beyond;
        for (number, start) in self.copies.iter().enumerate() {
            match self.medium.read_at(start.saturating_add(offset), buffer) {
                Ok(()) => return Ok(number),
                Err(error) => failed = error.into(),
            }
        }
        Err(failed)
    }

    /// Compares the copies in their first `most` bytes. Returns whether the first has parts that can't be read, and
    /// whether they differ elsewhere.
    pub fn compare(&self, most: u64) -> Comparison {
        let mut told = Comparison::default();
        let (mut one, mut other) = (Vec::new(), Vec::new());
        // The first two entries belong to no cluster: systems note there how the last use ended, in one copy or in all.
        let mut offset = self.width.offset(2);
        while offset < self.length.min(most) {
            let length = (self.length - offset).min(STEP);
            let read = |start: &u64, into: &mut Vec<u8>| {
                into.resize(length as usize, 0);
                self.medium.read_at(start.saturating_add(offset), into).is_ok()
            };
            let [first, others @ ..] = &*self.copies else { break };
            if !read(first, &mut one) {
                told.is_first_unreadable = true;
            } else {
                told.is_different |= others.iter().any(|start| read(start, &mut other) && one != other);
            }
            offset += length;
        }
        told
    }
}

/// The bytes that are compared at once: more than are cached, as they are not needed again.
const STEP: u64 = 128 << 10;

/// How the copies of a table compare.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Comparison {
    pub is_first_unreadable: bool,
    pub is_different: bool,
}

impl Window {
    fn piece(&mut self, table: &ClusterTable, number: u64) -> Result<&[u8], Problem> {
        let kept = self.held.take().filter(|(held, _)| *held == number);
        let piece = match kept {
            Some(kept) => kept,
            None => {
                let start = number.saturating_mul(WINDOW);
                let length = table.length.checked_sub(start).ok_or(Problem::Beyond)?.min(WINDOW);
                let mut bytes = vec![0; length as usize];
                table.read(start, &mut bytes)?;
                (number, bytes)
            }
        };
        Ok(&self.held.insert(piece).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_each_width_are_read_and_end_with_the_table() {
        let bytes = [0xf8, 0xff, 0xff, 0x03, 0x40, 0x00, 0xf7, 0x0f, 0x00, 0x00, 0x00, 0x00];
        let table = |width| ClusterTable::new(Arc::new(bytes.to_vec()), vec![0], 12, width);
        let link = |width, cluster| table(width).link(cluster, &mut Window::default()).ok();
        let twelve = [2, 3, 4, 5, 8].map(|cluster| link(Width::Twelve, cluster));
        assert_eq!(
            twelve,
            [Some(Link::Next(3)), Some(Link::Next(4)), Some(Link::Bad), Some(Link::Free), None]
        );
        let sixteen = [0, 1, 2, 3, 6].map(|cluster| link(Width::Sixteen, cluster));
        let next = |to| Some(Link::Next(to));
        assert_eq!(sixteen, [Some(Link::End), next(0x3ff), next(0x40), next(0xff7), None]);
        assert_eq!(link(Width::TwentyEight, 0), Some(Link::Next(0x3ff_fff8)));
        assert_eq!(link(Width::ThirtyTwo, 3), None);
    }
}
