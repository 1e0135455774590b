//! Single files inside logical images (L01, Lx01): the tree of entries.

use hashmill_digest::Digest;
use hashmill_disk::utf16;
use serde::{Serialize, Serializer};
use std::io::{self, BufRead};
use std::sync::Arc;

/// A file or folder of a logical image.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Names from the root, joined by `/`; bytes, since names need not be valid Unicode.
    #[serde(serialize_with = "lossy")]
    pub path: Arc<[u8]>,
    /// The size of the content in bytes.
    pub size: u64,
    /// It is a folder, without content.
    pub folder: bool,
    /// The location of the content in the media.
    pub extents: Vec<Extent>,
    /// The content is one byte, repeated.
    pub sparse: bool,
    /// The stored MD5 of the content.
    #[serde(serialize_with = "digest")]
    pub md5: Option<Digest>,
    /// The stored SHA-1 of the content.
    #[serde(serialize_with = "digest")]
    pub sha1: Option<Digest>,
    /// The times.
    pub times: Times,
    /// The identifier in the source file system.
    pub id: Option<u64>,
}

/// A range of the media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
}

/// Times of an entry, in seconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// The creation.
    pub created: Option<i64>,
    /// The last access.
    pub accessed: Option<i64>,
    /// The last write.
    pub written: Option<i64>,
    /// The last change of metadata.
    pub changed: Option<i64>,
    /// The deletion.
    pub deleted: Option<i64>,
}

/// The content of a tree of entries.
#[derive(Debug, Default)]
pub(crate) struct LogicalTree {
    pub(crate) entries: Vec<Entry>,
    pub(crate) total: Option<u64>,
    /// The tree was read to its end.
    pub(crate) whole: bool,
}

/// Longer lines are damaged: a path has at most some 64 KiB, and there are few extents.
const LONGEST_LINE: usize = 64 << 20;

/// More columns are damage: EnCase writes about forty.
const MOST_COLUMNS: usize = 1024;

/// Memory that entries may take in addition to `GROWTH` times the bytes of their text. A short line in a deep folder,
/// or one without columns, would take hundreds of times its own size.
const SLACK: u64 = 64 << 20;
const GROWTH: u64 = 4;

pub(crate) fn lossy<S: Serializer>(path: &Arc<[u8]>, to: S) -> Result<S::Ok, S::Error> {
    String::from_utf8_lossy(path).serialize(to)
}

fn digest<S: Serializer>(digest: &Option<Digest>, to: S) -> Result<S::Ok, S::Error> {
    digest.map(|digest| digest.to_string()).serialize(to)
}

/// Lines of UTF-16, little-endian.
struct Lines<R> {
    bytes: R,
    units: Vec<u16>,
    read: u64,
}

impl<R: BufRead> Lines<R> {
    /// Returns the next line without its end, or `None` at the end.
    fn next(&mut self) -> io::Result<Option<&[u16]>> {
        self.units.clear();
        let mut low = None;
        loop {
            let block = self.bytes.fill_buf()?;
            if block.is_empty() {
                return Ok((!self.units.is_empty()).then_some(&self.units));
            }
            let mut used = 0;
            let mut ended = false;
            for byte in block {
                used += 1;
                let Some(first) = low.take() else {
                    low = Some(*byte);
                    continue;
                };
                match u16::from_le_bytes([first, *byte]) {
                    0x0a => ended = true,
                    unit => self.units.push(unit),
                }
                if ended {
                    break;
                }
            }
            self.bytes.consume(used);
            self.read += used as u64;
            if ended {
                return Ok(Some(&self.units));
            }
            if self.units.len() > LONGEST_LINE {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
    }

    fn text(&mut self) -> io::Result<Option<String>> {
        Ok(self.next()?.map(|units| String::from_utf16_lossy(units.strip_suffix(&[0x0d]).unwrap_or(units))))
    }

    /// Skips to the empty line that ends a category.
    fn skip(&mut self) -> io::Result<()> {
        while self.next()?.is_some_and(|line| !line.is_empty()) {}
        Ok(())
    }
}

/// Reads the text of an `ltree` section or of EWF2's single files. Categories may come in any number and order.
pub(crate) fn read(bytes: impl BufRead) -> LogicalTree {
    let mut lines = Lines { bytes, units: Vec::new(), read: 0 };
    let whole = lines.text().is_ok_and(|count| count.is_some());
    let mut tree = LogicalTree { whole, ..LogicalTree::default() };
    while let Ok(Some(category)) = lines.text() {
        let read = match category.trim_start_matches('\u{feff}') {
            "" => Ok(()),
            "rec" => read_totals(&mut lines, &mut tree),
            "entry" => read_entries(&mut lines, &mut tree),
            _ => lines.skip(),
        };
        tree.whole &= read.is_ok();
    }
    tree
}

fn read_totals<R: BufRead>(lines: &mut Lines<R>, tree: &mut LogicalTree) -> io::Result<()> {
    let tags = lines.text()?.unwrap_or_default();
    let values = lines.text()?.unwrap_or_default();
    let total = tags.split('\t').zip(values.split('\t')).find(|(tag, _)| *tag == "tb");
    tree.total = total.and_then(|(_, value)| value.parse().ok());
    if values.is_empty() { Ok(()) } else { lines.skip() }
}

fn read_entries<R: BufRead>(lines: &mut Lines<R>, tree: &mut LogicalTree) -> io::Result<()> {
    lines.text()?;
    let columns = Columns::parse(&lines.text()?.unwrap_or_default())?;
    let mut taken = 0;
    // For each parent folder: the length of its path, and the number of its remaining entries.
    let mut above: Vec<(usize, u64)> = Vec::new();
    let mut path = Vec::new();
    while let Some(node) = lines.text()?.filter(|line| !line.is_empty()) {
        let children = node.split('\t').nth(1).and_then(|count| count.parse().ok()).unwrap_or(0);
        while above.last().is_some_and(|(_, left)| *left == 0) {
            above.pop();
        }
        path.truncate(above.last().map_or(0, |(length, _)| *length));
        if let Some((_, left)) = above.last_mut() {
            *left -= 1;
        }
        let Some(values) = lines.next()? else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        let entry = columns.entry(values, &mut path);
        above.push((path.len(), children));
        taken += (size_of::<Entry>() + entry.path.len()) as u64;
        if taken > SLACK + GROWTH * lines.read {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if !entry.path.is_empty() {
            tree.entries.push(entry);
        }
    }
    match above.iter().all(|(_, left)| *left == 0) {
        true => Ok(()),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// The tags of the columns, in order.
struct Columns(Vec<String>);

/// Bits of the column `opr`.
const IS_FOLDER: u64 = 0x0200_0000;
const IS_SPARSE: u64 = 0x0400_0000;

impl Columns {
    fn parse(line: &str) -> io::Result<Columns> {
        let columns: Vec<String> = line.split('\t').take(MOST_COLUMNS + 1).map(str::to_string).collect();
        if columns.len() > MOST_COLUMNS {
            Err(io::ErrorKind::InvalidData.into())
        } else {
            Ok(Columns(columns))
        }
    }

    fn entry(&self, line: &[u16], path: &mut Vec<u8>) -> Entry {
        let values: Vec<&[u16]> = line.split(|unit| *unit == 0x09).take(self.0.len()).collect();
        let units = |tag: &str| {
            let column = self.0.iter().position(|name| name == tag);
            column.and_then(|column| values.get(column)).copied().unwrap_or_default()
        };
        let text = |tag: &str| String::from_utf16_lossy(units(tag)).trim().to_string();
        let time = |tag: &str| text(tag).parse().ok();
        let name = utf16(units("n").iter().copied());
        if !name.is_empty() {
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(&name);
        }
        let flags: u64 = text("opr").parse().unwrap_or(0);
        let sparse = flags & IS_SPARSE != 0;
        let mut extents = extents(&text("be"));
        if let (true, Ok(offset)) = (sparse && extents.is_empty(), text("du").parse()) {
            extents.push(Extent { offset, size: 1 });
        }
        Entry {
            path: path.as_slice().into(),
            size: text("ls").parse().unwrap_or(0),
            folder: text("p") == "1" || flags & IS_FOLDER != 0,
            extents,
            sparse,
            md5: stored(&text("ha"), 128),
            sha1: stored(&text("sha"), 160),
            times: Times {
                created: time("cr"),
                accessed: time("ac"),
                written: time("wr"),
                changed: time("mo"),
                deleted: time("dl"),
            },
            id: text("id").parse().ok(),
        }
    }
}

/// Reads `<count> <offset> <size> …`, hexadecimal; other marks are skipped.
fn extents(text: &str) -> Vec<Extent> {
    let numbers = text.split_ascii_whitespace().filter_map(|word| u64::from_str_radix(word, 16).ok());
    let numbers: Vec<u64> = numbers.skip(1).collect();
    numbers.chunks_exact(2).map(|pair| Extent { offset: pair[0], size: pair[1] }).collect()
}

/// Reads a digest; zeros mean that it is unset.
fn stored(text: &str, bits: u32) -> Option<Digest> {
    let digest = Digest::from_hex(text.as_bytes()).ok()?;
    let set = digest.bits() == bits && digest.as_bytes().iter().any(|byte| *byte != 0);
    set.then_some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> LogicalTree {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        read(&bytes[..])
    }

    #[test]
    fn categories_come_in_any_order() {
        let text = "3\nsub\n0\t1\np\n0\t0\n1\n\nentry\n3\t1\nn\tp\tls\tbe\n26\t2\n\t1\t0\t\n26\t1\na\t1\t\t\n26\t0\nb\t\t10\t2 0 8 ff 2\n\
            26\t0\nc\t\t0\t\n\nrec\ntb\n10\n\n";
        let tree = tree(text);
        assert!(tree.whole);
        assert_eq!(tree.total, Some(10));
        let paths: Vec<_> = tree.entries.iter().map(|entry| String::from_utf8_lossy(&entry.path)).collect();
        assert_eq!(paths, ["a", "a/b", "c"]);
        let extents = [Extent { offset: 0, size: 8 }, Extent { offset: 255, size: 2 }];
        assert_eq!(tree.entries[1].extents, extents);
    }

    #[test]
    fn entries_that_grow_far_beyond_their_text_end_the_tree() {
        // Nested folders: each path is as long as all names above it.
        let deep = "1\nentry\n1\t1\nn\n".to_string() + &"26\t1\na\n".repeat(40_000);
        let read = tree(&deep);
        assert!(!read.whole);
        let bytes: usize = read.entries.iter().map(|entry| entry.path.len() + size_of::<Entry>()).sum();
        assert!(bytes as u64 <= SLACK + GROWTH * 2 * deep.len() as u64, "{bytes}");
        assert!(read.entries.len() > 5000, "what was read before stays");
        // Lines without any value.
        let short = "1\nentry\n1\t1\nn\n26\t1000000\na\n".to_string() + &"26\t0\nb\n".repeat(1_000_000);
        assert!(!tree(&short).whole);
    }

    #[test]
    fn columns_without_end_are_no_columns() {
        let text = "1\nentry\n1\t1\n".to_string() + &"n\t".repeat(5000) + "\n26\t0\na\n\n";
        let read = tree(&text);
        assert!(!read.whole);
        assert!(read.entries.is_empty());
        let text = "1\nentry\n1\t1\nn\n26\t0\na".to_string() + &"\t".repeat(5000) + "\n\n";
        assert!(tree(&text).whole);
    }

    #[test]
    fn a_cut_tree_is_not_whole() {
        assert!(!tree("1\nentry\n1\t1\nn\n26\t1\na\n").whole);
        assert!(!tree("").whole);
    }
}
