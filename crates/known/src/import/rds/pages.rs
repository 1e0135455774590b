//! The pages of an SQLite file, which may be stored inside an archive.
//!
//! Follows "Database File Format" (sqlite.org/fileformat2.html). Files that need more than plain tables (a write-ahead
//! log, UTF-16, tables without row numbers) are left to SQLite itself.

use super::limits::MOST_ITEMS;
use super::record::{Value, WIDEST, record};
use super::tree::TableTree;
use crate::error::{Error, Why};
use hashmill_os::SharedFile;
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"SQLite format 3\0";

/// The most bytes that are read at once: they stay in the cache of a core.
const SPAN: usize = 256 << 10;

/// Gaps of at most this many bytes between wanted pages are read as well, which is faster than a seek.
const GAP: usize = 64 << 10;

/// An SQLite file, or one inside another file.
pub(super) struct Database {
    path: PathBuf,
    file: SharedFile,
    base: u64,
    /// The size of a page in bytes.
    pub page: usize,
    /// The bytes of a page that SQLite uses.
    pub usable: usize,
    /// The number of pages.
    pub pages: u32,
}

/// The kind of an item of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaKind {
    Table,
    Index,
    View,
    Trigger,
    /// A table that a program generates as it is read.
    Virtual,
    Other,
}

impl SchemaKind {
    /// Returns the kind from SQLite's word for it, and the root page.
    pub fn from_word(word: &str, root: u32) -> Self {
        match word {
            "table" if root == 0 => SchemaKind::Virtual,
            "table" => SchemaKind::Table,
            "index" => SchemaKind::Index,
            "view" => SchemaKind::View,
            "trigger" => SchemaKind::Trigger,
            _ => SchemaKind::Other,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Item {
    pub kind: SchemaKind,
    pub name: String,
    pub root: u32,
    /// The statement that created it; empty for items that its table's statement created.
    pub sql: String,
}

impl Database {
    /// Opens the database that starts at byte `base` of a file and has `length` bytes; `None` if this reader does not
    /// support it. `path` is for messages.
    pub fn open(path: &Path, file: &SharedFile, base: u64, length: u64) -> Result<Option<Self>, Error> {
        let file = file.again();
        let mut header = [0; 100];
        file.read_exact_at(&mut header, base).map_err(Error::io(path, "read"))?;
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

    /// Creates an error about this database.
    pub fn error(&self, why: Why) -> Error {
        Error::new(&self.path, why)
    }

    /// Creates the error of a page that violates the format or contradicts others.
    pub fn bad(&self, page: u32) -> Error {
        Error::new(&self.path, Why::Page(page))
    }

    /// Reads pages from `first` on, as many as fit into the buffer.
    pub fn read(&self, first: u32, bytes: &mut [u8]) -> Result<(), Error> {
        let end = u64::from(first) + (bytes.len() / self.page) as u64;
        if first == 0 || end > u64::from(self.pages) + 1 {
            return Err(self.bad(first));
        }
        let start = self.base + u64::from(first - 1) * self.page as u64;
        self.file.read_exact_at(bytes, start).map_err(Error::io(&self.path, "read"))
    }

    /// Returns the number of pages that are read at once.
    pub fn pages_at_once(&self) -> usize {
        SPAN / self.page
    }

    /// Passes each of these pages, which are in ascending order, and its number. Neighbours are read at once.
    pub fn each(
        &self,
        pages: &[u32],
        buffer: &mut Vec<u8>,
        mut take: impl FnMut(u32, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut left = pages;
        while let Some(first) = left.first() {
            let count = self.span(left);
            let (now, later) = left.split_at(count);
            let length = (now[count - 1] - first + 1) as usize * self.page;
            buffer.resize(length, 0);
            self.read(*first, buffer)?;
            for number in now {
                let at = (number - first) as usize * self.page;
                take(*number, &buffer[at..at + self.page])?;
            }
            left = later;
        }
        Ok(())
    }

    /// Returns how many of these pages are read at once.
    fn span(&self, pages: &[u32]) -> usize {
        let near = |pair: &[u32]| (pair[1] - pair[0]) as usize * self.page <= GAP;
        let within = |last: &u32| ((last - pages[0]) as usize + 1) * self.page <= SPAN;
        let joined = pages.windows(2).take_while(|pair| near(pair) && within(&pair[1]));
        1 + joined.count()
    }

    /// Reads the tables, views and indexes of the schema.
    pub fn schema(&self) -> Result<Vec<Item>, Error> {
        let mut items = Vec::new();
        self.rows(1, |_, values| {
            let text = |at: usize| match values.get(at) {
                Some(Value::Text(text)) => String::from_utf8_lossy(text).into_owned(),
                _ => String::new(),
            };
            let root = values.get(3).and_then(Value::integer).and_then(|root| u32::try_from(root).ok());
            let root = root.unwrap_or(0);
            if items.len() == MOST_ITEMS {
                return Err(self.error(Why::Endless("the schema".into())));
            }
            items.push(Item {
                kind: SchemaKind::from_word(&text(0), root),
                name: text(1),
                root,
                sql: text(4),
            });
            Ok(())
        })?;
        Ok(items)
    }

    /// Passes each row of the table with this root page, with its number and values, in the order of the file.
    pub fn rows(
        &self,
        root: u32,
        mut take: impl FnMut(i64, &[Value<'_>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let tree = TableTree::of_table(self, root)?;
        self.each(&tree.pages, &mut Vec::new(), |number, page| {
            tree.cells(self, number, page, |row, payload| {
                let mut values = [Value::Null; WIDEST];
                let count = record(payload, &mut values).ok_or_else(|| self.bad(number))?;
                take(row, &values[..count])
            })
        })
    }
}

pub(super) fn find_item<'a>(schema: &'a [Item], name: &str) -> Option<&'a Item> {
    schema.iter().find(|item| item.name.eq_ignore_ascii_case(name))
}
