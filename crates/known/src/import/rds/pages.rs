//! Reads the tables of an SQLite file page by page, in the order of the file, from wherever it lies: alone,
//! or stored in an archive. Several times as fast as asking SQLite for each row.
//!
//! Written after "Database File Format" (sqlite.org/fileformat2.html). Files that need more than plain tables
//! (a write-ahead log, UTF-16, tables without row numbers) are left to SQLite itself.

use crate::error::{Error, Why};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"SQLite format 3\0";

/// Bytes read at once, at least.
const SPAN: usize = 1 << 20;

/// Pages between two that are wanted, of so many bytes, are read along instead of sought over.
const GAP: usize = 64 << 10;

/// A tree of more levels would hold more rows than there can be.
const DEEPEST: u32 = 20;

/// Columns of a table that are read; those of an RDS have at most ten.
const WIDEST: usize = 24;

const LEAF: u8 = 0x0d;
const INTERIOR: u8 = 0x05;

/// A value of a row. Real numbers and blobs are not among those of an RDS.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Integer(i64),
    Text(&'a [u8]),
    Other,
}

/// Takes a row: its number and its values.
pub(super) type TakeRow<'a> = &'a mut dyn FnMut(i64, &[Value<'_>]) -> Result<(), Error>;

/// An SQLite file, or one inside another file.
pub(super) struct Database {
    path: PathBuf,
    file: File,
    base: u64,
    page: usize,
    usable: usize,
    pages: u32,
}

/// A row of the schema.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub is_table: bool,
    pub name: String,
    pub root: u32,
    pub sql: String,
}

impl Database {
    /// The database that starts at byte `base` of a file and has so many bytes; none if this reader does
    /// not suit it.
    pub fn open(path: &Path, base: u64, length: u64) -> Result<Option<Self>, Error> {
        let mut file = File::open(path).map_err(Error::io(path, "open"))?;
        let mut header = [0; 100];
        let read = file.seek(SeekFrom::Start(base)).and_then(|_| file.read_exact(&mut header));
        read.map_err(Error::io(path, "read"))?;
        let size = usize::from(u16::from_be_bytes([header[16], header[17]]));
        let page = if size == 1 { 65_536 } else { size };
        let usable = page.wrapping_sub(usize::from(header[20]));
        let suits = header.starts_with(MAGIC)
            && page.is_power_of_two()
            && (512..=65_536).contains(&page)
            && (480..=page).contains(&usable)
            && header[18] <= 1
            && header[19] <= 1
            && header[56..60] == [0, 0, 0, 1];
        let pages = u32::try_from(length / page.max(1) as u64).unwrap_or(u32::MAX);
        Ok(suits.then(|| Database { path: path.to_path_buf(), file, base, page, usable, pages }))
    }

    fn bad(&self, page: u32) -> Error {
        Error::new(&self.path, Why::Page(page))
    }

    /// Reads so many pages from one on.
    fn read(&self, first: u32, bytes: &mut [u8]) -> Result<(), Error> {
        let end = u64::from(first) + (bytes.len() / self.page) as u64;
        if first == 0 || end > u64::from(self.pages) + 1 {
            return Err(self.bad(first));
        }
        let mut file = &self.file;
        let start = file.seek(SeekFrom::Start(self.base + u64::from(first - 1) * self.page as u64));
        start.and_then(|_| file.read_exact(bytes)).map_err(Error::io(&self.path, "read"))
    }

    /// The tables and views.
    pub fn schema(&self) -> Result<Vec<Item>, Error> {
        let mut items = Vec::new();
        self.rows(1, &mut |_, values| {
            let text = |at: usize| match values.get(at) {
                Some(Value::Text(text)) => String::from_utf8_lossy(text).into_owned(),
                _ => String::new(),
            };
            let root = match values.get(3) {
                Some(Value::Integer(root)) => u32::try_from(*root).unwrap_or(0),
                _ => 0,
            };
            items.push(Item { is_table: text(0) == "table", name: text(1), root, sql: text(4) });
            Ok(())
        })?;
        Ok(items)
    }

    /// Calls for each row of the table whose tree starts at a page, with its number and values. The order
    /// is that of the file.
    pub fn rows(&self, root: u32, take: TakeRow<'_>) -> Result<(), Error> {
        let mut leaves = self.leaves(root)?;
        leaves.sort_unstable();
        let mut buffer = Vec::new();
        let mut left = &leaves[..];
        while let Some(first) = left.first() {
            let count = self.span(left);
            let (now, later) = left.split_at(count);
            let length = (now[count - 1] - first + 1) as usize * self.page;
            buffer.resize(length, 0);
            self.read(*first, &mut buffer)?;
            for number in now {
                let at = (number - first) as usize * self.page;
                self.leaf(*number, &buffer[at..at + self.page], take)?;
            }
            left = later;
        }
        Ok(())
    }

    /// How many of these pages are read at once.
    fn span(&self, pages: &[u32]) -> usize {
        let near = |pair: &[u32]| (pair[1] - pair[0]) as usize * self.page <= GAP;
        let within = |last: &u32| ((last - pages[0]) as usize + 1) * self.page <= SPAN;
        let joined = pages.windows(2).take_while(|pair| near(pair) && within(&pair[1]));
        1 + joined.count()
    }

    /// The leaf pages of a tree. All have the same depth, so one of each parent tells of the others.
    fn leaves(&self, root: u32) -> Result<Vec<u32>, Error> {
        let mut level = vec![root];
        let mut page = vec![0; self.page];
        for _ in 0..DEEPEST {
            let first = *level.first().ok_or_else(|| self.bad(root))?;
            self.read(first, &mut page)?;
            if page[start_of(first)] == LEAF {
                return Ok(level);
            }
            let mut below = Vec::new();
            for number in &level {
                self.read(*number, &mut page)?;
                self.children(*number, &page, &mut below)?;
            }
            if below.len() > self.pages as usize {
                break;
            }
            level = below;
        }
        Err(self.bad(root))
    }

    fn children(&self, number: u32, page: &[u8], below: &mut Vec<u32>) -> Result<(), Error> {
        let start = start_of(number);
        if page[start] != INTERIOR {
            return Err(self.bad(number));
        }
        for cell in self.cells(page, start, 12) {
            let child = cell.and_then(|at| be32(page, at)).ok_or_else(|| self.bad(number))?;
            below.push(child);
        }
        below.push(be32(page, start + 8).ok_or_else(|| self.bad(number))?);
        Ok(())
    }

    /// Where the cells of a page start; none for one outside it.
    fn cells<'p>(
        &self,
        page: &'p [u8],
        start: usize,
        header: usize,
    ) -> impl Iterator<Item = Option<usize>> + 'p {
        let count = be16(page, start + 3).unwrap_or(0);
        let usable = self.usable;
        let place = move |cell| be16(page, start + header + 2 * cell).filter(|at| *at < usable);
        (0..count).map(place)
    }

    fn leaf(&self, number: u32, page: &[u8], take: TakeRow<'_>) -> Result<(), Error> {
        let start = start_of(number);
        if page[start] != LEAF {
            return Err(self.bad(number));
        }
        let mut whole = Vec::new();
        for cell in self.cells(page, start, 8) {
            let bad = || self.bad(number);
            let at = cell.ok_or_else(bad)?;
            let (length, at) = varint(page, at).ok_or_else(bad)?;
            let (row, at) = varint(page, at).ok_or_else(bad)?;
            let length = usize::try_from(length).map_err(|_| bad())?;
            let payload = self.payload(number, page, at, length, &mut whole)?;
            let mut values = [Value::Null; WIDEST];
            let count = record(payload, &mut values).ok_or_else(bad)?;
            take(row as i64, &values[..count])?;
        }
        Ok(())
    }

    /// The payload of a cell: in the page, or gathered from it and its overflow pages.
    fn payload<'p>(
        &self,
        number: u32,
        page: &'p [u8],
        at: usize,
        length: usize,
        whole: &'p mut Vec<u8>,
    ) -> Result<&'p [u8], Error> {
        let bad = || self.bad(number);
        let most = self.usable - 35;
        if length <= most {
            return page.get(at..at + length).ok_or_else(bad);
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let here = least + (length - least) % (self.usable - 4);
        let here = if here <= most { here } else { least };
        whole.clear();
        whole.extend_from_slice(page.get(at..at + here).ok_or_else(bad)?);
        let mut next = be32(page, at + here).ok_or_else(bad)?;
        if length > self.pages as usize * self.page {
            return Err(bad());
        }
        let mut overflow = vec![0; self.page];
        while whole.len() < length {
            self.read(next, &mut overflow)?;
            let part = (length - whole.len()).min(self.usable - 4);
            whole.extend_from_slice(&overflow[4..4 + part]);
            next = be32(&overflow, 0).ok_or_else(bad)?;
        }
        Ok(whole)
    }
}

/// Where in a page its header starts: the first page has the file's header before it.
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

/// A number of seven bits a byte, and where it ends.
#[inline]
fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for place in at..at + 8 {
        let byte = *bytes.get(place)?;
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value, place + 1));
        }
    }
    let last = *bytes.get(at + 8)?;
    Some((value << 8 | u64::from(last), at + 9))
}

/// Takes a record apart; says how many values it has. More than [`WIDEST`] are left.
#[inline]
fn record<'a>(payload: &'a [u8], values: &mut [Value<'a>; WIDEST]) -> Option<usize> {
    let (header, mut at) = varint(payload, 0)?;
    let header = usize::try_from(header).ok().filter(|header| *header <= payload.len())?;
    let (mut body, mut count) = (header, 0);
    while at < header && count < WIDEST {
        let (kind, next) = varint(payload, at)?;
        let length = length(kind)?;
        let bytes = payload.get(body..body.checked_add(length)?)?;
        values[count] = value(kind, bytes);
        (at, body, count) = (next, body + length, count + 1);
    }
    Some(count)
}

fn length(kind: u64) -> Option<usize> {
    Some(match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind as usize,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return None,
        _ => usize::try_from((kind - 12) / 2).ok()?,
    })
}

fn value(kind: u64, bytes: &[u8]) -> Value<'_> {
    match kind {
        0 => Value::Null,
        1..=6 => Value::Integer(integer(bytes)),
        8 | 9 => Value::Integer(kind as i64 - 8),
        13.. if kind % 2 == 1 => Value::Text(bytes),
        _ => Value::Other,
    }
}

/// A two's complement number, most significant byte first.
fn integer(bytes: &[u8]) -> i64 {
    let sign = bytes.first().map_or(0, |first| i64::from(*first as i8) >> 7);
    bytes.iter().fold(sign, |value, byte| value << 8 | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_sqlite_writes_them() {
        assert_eq!(varint(&[0x05], 0), Some((5, 1)));
        assert_eq!(varint(&[0x81, 0x00], 0), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9], 0), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0x80, 0x80], 0), None);
        assert_eq!(integer(&[0xff]), -1);
        assert_eq!(integer(&[0x01, 0x00]), 256);
        assert_eq!(integer(&[]), 0);
    }

    #[test]
    fn records_are_taken_apart() {
        let mut values = [Value::Null; WIDEST];
        assert_eq!(record(&[4, 19, 1, 9, b'a', b'b', b'c', 0xfe], &mut values), Some(3));
        assert_eq!(values[..3], [Value::Text(b"abc"), Value::Integer(-2), Value::Integer(1)]);
        assert!(record(&[9, 19], &mut values).is_none());
    }
}
