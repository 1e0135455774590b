//! The trees of an SQLite file: their pages, and the rows in a page.
//!
//! Trees of tables have rows only in their leaves, each with its number. Trees of indexes have rows in all pages; the
//! last value of each is the number of the table's row.

use super::limits::LONGEST_ROW;
use super::pages::Database;
use super::parallel_scan;
use super::record::varint;
use crate::error::{Error, Why};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The most levels of a tree: a deeper one would contain more rows than possible.
const DEEPEST: u32 = 20;

/// The types of pages, by their first byte.
const TABLE_LEAF: u8 = 0x0d;
const TABLE_INTERIOR: u8 = 0x05;
const INDEX_LEAF: u8 = 0x0a;
const INDEX_INTERIOR: u8 = 0x02;

/// The size in bytes of the header of a leaf, and of an interior page.
const LEAF_HEADER: usize = 8;
const INTERIOR_HEADER: usize = 12;

pub(super) struct TableTree {
    /// The pages with rows, in the order of the file.
    pub pages: Vec<u32>,
    is_index: bool,
    /// The number of overflow pages that may still be read: each belongs to one row.
    overflow: AtomicU32,
}

impl TableTree {
    /// Reads the tree of a table from its root.
    pub fn of_table(database: &Database, root: u32) -> Result<Self, Error> {
        Self::new(database, root, false)
    }

    /// Reads the tree of an index from its root.
    pub fn of_index(database: &Database, root: u32) -> Result<Self, Error> {
        Self::new(database, root, true)
    }

    /// Reads a tree. All leaves have the same depth, so the type of one page decides for its level.
    fn new(database: &Database, root: u32, is_index: bool) -> Result<Self, Error> {
        let (leaf, interior) =
            if is_index { (INDEX_LEAF, INDEX_INTERIOR) } else { (TABLE_LEAF, TABLE_INTERIOR) };
        let overflow = AtomicU32::new(database.pages);
        let mut tree = TableTree { pages: Vec::new(), is_index, overflow };
        let mut level = vec![root];
        let mut page = vec![0; database.page];
        for _ in 0..DEEPEST {
            let first = *level.first().ok_or_else(|| database.bad(root))?;
            database.read(first, &mut page)?;
            if page[start_of(first)] == leaf {
                tree.pages.append(&mut level);
                tree.pages.sort_unstable();
                return match tree.pages.windows(2).find(|pair| pair[0] == pair[1]) {
                    Some(twice) => Err(database.bad(twice[0])),
                    None => Ok(tree),
                };
            }
            let mut below = Vec::new();
            let work = |_: &Database, out: &mut Vec<u32>, number: u32, page: &[u8]| {
                let whole = page[start_of(number)] == interior && children(page, number, out).is_some();
                whole.then_some(()).ok_or_else(|| database.bad(number))
            };
            parallel_scan::scan(database, &level, &work, |mut numbers| {
                below.append(&mut numbers);
                if below.len() > database.pages as usize { Err(database.bad(root)) } else { Ok(()) }
            })?;
            below.sort_unstable();
            if is_index {
                tree.pages.append(&mut level);
            }
            level = below;
        }
        Err(database.bad(root))
    }

    /// Passes each row of a page, with its number and its record. Rows of an index have no number here.
    #[inline]
    pub fn cells(
        &self,
        database: &Database,
        number: u32,
        page: &[u8],
        mut take: impl FnMut(i64, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let start = start_of(number);
        let bad = || database.bad(number);
        let (header, before) = match (page[start], self.is_index) {
            (TABLE_LEAF, false) | (INDEX_LEAF, true) => (LEAF_HEADER, 0),
            // The number of the child page comes before the row.
            (INDEX_INTERIOR, true) => (INTERIOR_HEADER, 4),
            _ => return Err(bad()),
        };
        let most = self.most_in_page(database.usable);
        let mut whole = Vec::new();
        for cell in cells(page, start, header) {
            let at = cell.filter(|at| *at < database.usable).ok_or_else(bad)? + before;
            let (length, at) = varint(page, at).ok_or_else(bad)?;
            let (row, at) = if self.is_index { (0, at) } else { varint(page, at).ok_or_else(bad)? };
            let length = usize::try_from(length).map_err(|_| bad())?;
            if length > LONGEST_ROW {
                let what = format!("database page {number}").into();
                return Err(database.error(Why::LongRow { what, most: LONGEST_ROW }));
            }
            let payload = match length <= most {
                true => page.get(at..at + length).ok_or_else(bad)?,
                false => {
                    let start = page.get(at..).ok_or_else(bad)?;
                    self.gather(database, start, length, &mut whole)?.ok_or_else(bad)?;
                    &whole
                }
            };
            take(row as i64, payload)?;
        }
        Ok(())
    }

    /// Returns the length of the longest row that is stored in one page.
    fn most_in_page(&self, usable: usize) -> usize {
        if self.is_index { (usable - 12) * 64 / 255 - 23 } else { usable - 35 }
    }

    /// Collects a row from its first page and its overflow pages; `None` if a page is missing, or also belongs to
    /// another row.
    fn gather(
        &self,
        database: &Database,
        start: &[u8],
        length: usize,
        whole: &mut Vec<u8>,
    ) -> Result<Option<()>, Error> {
        let most = self.most_in_page(database.usable);
        let least = (database.usable - 12) * 32 / 255 - 23;
        let here = least + (length - least) % (database.usable - 4);
        let here = if here <= most { here } else { least };
        let (Some(first), Some(mut next)) = (start.get(..here), be32(start, here)) else { return Ok(None) };
        whole.clear();
        whole.extend_from_slice(first);
        let mut overflow = vec![0; database.page];
        while whole.len() < length {
            if self.overflow.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err() {
                return Ok(None);
            }
            database.read(next, &mut overflow)?;
            let part = (length - whole.len()).min(database.usable - 4);
            whole.extend_from_slice(&overflow[4..4 + part]);
            let Some(after) = be32(&overflow, 0) else { return Ok(None) };
            next = after;
        }
        Ok(Some(()))
    }
}

/// Adds the children of a page.
fn children(page: &[u8], number: u32, below: &mut Vec<u32>) -> Option<()> {
    let start = start_of(number);
    for cell in cells(page, start, INTERIOR_HEADER) {
        below.push(be32(page, cell?)?);
    }
    below.push(be32(page, start + 8)?);
    Some(())
}

/// Returns the positions of the cells of a page; `None` for a cell outside the page.
fn cells(page: &[u8], start: usize, header: usize) -> impl Iterator<Item = Option<usize>> + '_ {
    let count = be16(page, start + 3).unwrap_or(0);
    (0..count).map(move |cell| be16(page, start + header + 2 * cell))
}

/// Returns the position of a page's header. On the first page, the file header comes before it.
fn start_of(page: u32) -> usize {
    if page == 1 { 100 } else { 0 }
}

fn be16(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 2)?;
    Some(usize::from(bytes[0]) << 8 | usize::from(bytes[1]))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(bytes.iter().fold(0, |value, byte| value << 8 | u32::from(*byte)))
}
