//! The lists of known hashes for `md5deep` and its siblings: one hash per line, in a layout that is detected.

use crate::algorithm::Algorithm;
use crate::known::{Draft, Known};
use crate::lines::{Lines, chop};
use std::io::{self, BufRead, Read};

/// The layout of a list's lines.
#[derive(Debug, Clone, Copy)]
pub enum Layout {
    /// Digest, blank, name.
    Plain,
    /// Size in ten columns, two blanks, then as plain.
    Sized,
    /// `MD5 (name) = digest`.
    Bsd,
    /// Comma-separated columns with a header line.
    Columns(&'static ListLayout),
    /// Records of 18 bytes after a header, MD5 only.
    Encase {
        /// The number of records in the header.
        expected: u32,
    },
}

/// A layout with columns.
#[derive(Debug)]
pub struct ListLayout {
    header: &'static [u8],
    /// The column of the name, from 1.
    name: usize,
    /// The columns of MD5, SHA-1 and SHA-256, from 1; 0 if missing.
    digests: [usize; 3],
    names: Names,
}

/// The use of the names in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Kept,
    /// They are required but dropped, as in hashdeep 4.4.
    Lost,
}

static TABLES: &[ListLayout] = &[
    ListLayout {
        header: b"\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\",\"time_modified\",\"time_zone\",\"comments\",\"date_accessed\",\"time_accessed\"",
        name: 3,
        digests: [5, 0, 0],
        names: Names::Kept,
    },
    ListLayout {
        header: b"V1Hash,HashType,SetDescription,FileName,FilePath,FileSize",
        name: 4,
        digests: [1, 0, 0],
        names: Names::Kept,
    },
    ListLayout {
        header: b"\"SHA-1\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"MD4\",\"MD5\",\"CRC32\",\"SpecialCode\"",
        name: 2,
        digests: [7, 1, 0],
        names: Names::Lost,
    },
    ListLayout {
        header: b"\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"",
        name: 4,
        digests: [2, 1, 0],
        names: Names::Lost,
    },
    ListLayout {
        header: b"V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512",
        name: 3,
        digests: [1, 2, 6],
        names: Names::Lost,
    },
    ListLayout {
        header: b"V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime,ModTime,LastAccessTime",
        name: 3,
        digests: [1, 2, 6],
        names: Names::Lost,
    },
];

/// The start of an EnCase hash set.
const ENCASE: &[u8; 8] = b"HASH\r\n\xff\0";

/// The offset of the count in its header.
const ENCASE_COUNT: usize = 16;

/// The length of the relevant part of the header.
const ENCASE_HEAD: usize = 20;

/// The offset of its records.
const ENCASE_RECORDS: usize = 0x480;

/// The length of a record: a digest and two zero bytes.
const ENCASE_RECORD: usize = 18;

/// Detects the layout from the first lines; returns `None` if no line has a hash of this algorithm.
///
/// # Errors
/// Those of reading.
pub fn detect(algorithm: Algorithm, mut from: impl BufRead) -> io::Result<Option<Layout>> {
    if algorithm == Algorithm::MD5
        && let Some(expected) = encase_count(from.fill_buf()?)
    {
        return Ok(Some(Layout::Encase { expected }));
    }
    let mut lines = Lines::new(from);
    while let Some(line) = lines.next_line()? {
        let table = TABLES.iter().find(|table| line == table.header && table.column(algorithm).is_some());
        if let (1, Some(table)) = (lines.number, table) {
            return Ok(Some(Layout::Columns(table)));
        }
        let line = lines.last();
        let simple = [Layout::Bsd, Layout::Sized, Layout::Plain];
        if let Some(layout) = simple.into_iter().find(|layout| layout.find(algorithm, line).is_some()) {
            return Ok(Some(layout));
        }
    }
    Ok(None)
}

fn encase_count(start: &[u8]) -> Option<u32> {
    let head = start.get(..ENCASE_HEAD).filter(|head| head.starts_with(ENCASE))?;
    let count = head[ENCASE_COUNT..].try_into().ok()?;
    Some(u32::from_le_bytes(count))
}

/// Reads all lines, and calls `bad` with the numbers of those without a hash.
///
/// # Errors
/// Those of reading.
pub fn read(
    algorithm: Algorithm,
    layout: Layout,
    from: impl BufRead,
    known: &mut Known,
    bad: &mut dyn FnMut(u64),
) -> io::Result<()> {
    let mut lines = Lines::new(from);
    if let Layout::Columns(_) = layout {
        lines.next_line()?;
    }
    while lines.next_line()?.is_some() {
        let line = lines.last();
        let end = line.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(line.len());
        match layout.find(algorithm, &line[..end]) {
            Some(draft) => known.add(draft),
            None => bad(lines.number),
        }
    }
    Ok(())
}

/// Reads an EnCase hash set; every hash has the name of the set. Returns the number of hashes.
///
/// # Errors
/// Those of reading.
pub fn read_encase(mut from: impl Read, name: &[u8], known: &mut Known) -> io::Result<u32> {
    let mut all = Vec::new();
    from.read_to_end(&mut all)?;
    let records = all.get(ENCASE_RECORDS..).unwrap_or_default().chunks_exact(ENCASE_RECORD);
    let count = records.len();
    for record in records {
        let digest = hashmill_digest::Digest::new(&record[..Algorithm::MD5.bytes()]);
        let mut draft = Draft::named(name);
        draft.digest(Algorithm::MD5, digest.to_string().as_bytes());
        known.add(draft);
    }
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

impl Layout {
    /// Returns the hash in a line.
    fn find(self, algorithm: Algorithm, line: &[u8]) -> Option<Draft> {
        match self {
            Layout::Plain => plain(algorithm, line),
            Layout::Sized => sized(algorithm, line),
            Layout::Bsd => bsd(algorithm, line),
            Layout::Columns(table) => {
                plain(algorithm, line).filter(|_| table.is_ilook_1()).or_else(|| table.find(algorithm, line))
            }
            Layout::Encase { .. } => None,
        }
    }
}

impl ListLayout {
    fn column(&self, algorithm: Algorithm) -> Option<usize> {
        self.digests.get(algorithm.index()).copied().filter(|column| *column > 0)
    }

    /// Returns whether this is the layout of iLook 1, with lines that hashdeep 4.4 reads as plain ones, which must
    /// work, too.
    fn is_ilook_1(&self) -> bool {
        self.header.starts_with(b"V1Hash")
    }

    fn find(&self, algorithm: Algorithm, line: &[u8]) -> Option<Draft> {
        let name = column(line, self.name)?;
        let text = column(line, self.column(algorithm)?)?;
        let name = if self.names == Names::Kept { name } else { b"" };
        starts_with_digest(algorithm, text).then(|| draft(algorithm, text, name))
    }
}

fn draft(algorithm: Algorithm, text: &[u8], name: &[u8]) -> Draft {
    let mut draft = Draft::named(name);
    draft.digest(algorithm, text);
    draft
}

fn starts_with_digest(algorithm: Algorithm, text: &[u8]) -> bool {
    text.get(..algorithm.digits()).is_some_and(|start| start.iter().all(u8::is_ascii_hexdigit))
}

fn plain(algorithm: Algorithm, line: &[u8]) -> Option<Draft> {
    let (text, rest) = line.split_at_checked(algorithm.digits())?;
    if rest.first() != Some(&b' ') || !starts_with_digest(algorithm, text) {
        return None;
    }
    let start = rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len());
    Some(draft(algorithm, text, chop(&rest[start..])))
}

/// Returns whether a byte is white space of C.
fn is_space(byte: u8) -> bool {
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

fn sized(algorithm: Algorithm, line: &[u8]) -> Option<Draft> {
    let (size, rest) = line.split_at_checked(10)?;
    let (gap, rest) = rest.split_at_checked(2)?;
    let is_size = size.iter().all(|byte| byte.is_ascii_digit() || *byte == b' ');
    if is_size && gap.contains(&b' ') { plain(algorithm, rest) } else { None }
}

/// Parses a BSD line. The digest is the first run of hexadecimal digits after the equals sign.
fn bsd(algorithm: Algorithm, line: &[u8]) -> Option<Draft> {
    let at = |wanted| line.iter().position(|byte| *byte == wanted);
    let (open, close, equal) = (at(b'(')?, at(b')')?, at(b'=')?);
    if line.len() < algorithm.digits() {
        return None;
    }
    // The name ends at the first closing bracket, and so does any text before it.
    let until_close = |start: usize| if start <= close { &line[start..close] } else { &line[start..] };
    let name = until_close(open + 1);
    let behind = until_close(equal + 1);
    let start = behind.iter().position(u8::is_ascii_hexdigit).unwrap_or(behind.len());
    let digits = behind[start..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    Some(draft(algorithm, &behind[start..start + digits], name))
}

/// Returns a column by its number from 1, without quotes. Commas inside quotes are text.
fn column(line: &[u8], number: usize) -> Option<&[u8]> {
    let mut quoted = false;
    let mut columns = line.split(|byte| {
        quoted ^= *byte == b'"';
        *byte == b',' && !quoted
    });
    let text = columns.nth(number - 1)?;
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    Some(text.strip_suffix(b"\"").unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_testing::Random;

    const MD5: &str = "764efa883dda1e11db47671c4a3bbd9e";

    fn names(text: &str) -> (Vec<String>, Vec<u64>) {
        let layout = detect(Algorithm::MD5, text.as_bytes()).unwrap().unwrap();
        let (mut known, mut bad) = (Known::default(), Vec::new());
        read(Algorithm::MD5, layout, text.as_bytes(), &mut known, &mut |line| bad.push(line)).unwrap();
        known.index();
        let names = known.unmatched().map(|file| String::from_utf8_lossy(file.name()).into()).collect();
        (names, bad)
    }

    #[test]
    fn each_layout_is_told_apart_and_read() {
        let plain = format!("# list\n{MD5}  a b\r\n{MD5} *c\n");
        assert_eq!(names(&plain), (vec!["a b".into(), "*c".into()], vec![1]));
        let sized = format!("         3  {MD5}  x\n");
        assert_eq!(names(&sized), (vec!["x".into()], vec![]));
        let bsd = format!("MD5 (x y) = {MD5}\nMD5 (z)\n");
        assert_eq!(names(&bsd), (vec!["x y".into()], vec![2]));
        let keeper = String::from_utf8_lossy(TABLES[0].header);
        let keeper = format!("{keeper}\n1,2,\"a,b\",\"d\",\"{MD5}\",3\n1,2,x\n");
        assert_eq!(names(&keeper), (vec!["a,b".into()], vec![3]));
        let nsrl = String::from_utf8_lossy(TABLES[3].header);
        let nsrl = format!("{nsrl}\n\"x\",\"{MD5}\",\"c\",\"name\",3\n");
        assert_eq!(names(&nsrl), (vec![String::new()], vec![]));
    }

    #[test]
    fn a_file_without_hashes_has_no_layout() {
        for text in ["", "hello\n", MD5, "%%%% HASHDEEP-1.0\n"] {
            assert!(detect(Algorithm::MD5, text.as_bytes()).unwrap().is_none());
        }
        let sha256 = Algorithm::named(b"sha256").unwrap();
        assert!(detect(sha256, TABLES[3].header).unwrap().is_none());
    }

    /// Lines composed of parts of the layouts, in any order.
    #[test]
    fn no_line_is_too_strange() {
        let digest = &MD5.as_bytes()[..31];
        let parts: [&[u8]; 14] =
            [digest, b"a", b" ", b"  ", b"(", b")", b"=", b"\"", b",", b"12", b"\r", b"\n", b"\0", b"\xff"];
        let mut random = Random(1);
        for _ in 0..hashmill_testing::cases(20_000) {
            let mut text = Vec::new();
            for _ in 0..12 {
                text.extend_from_slice(random.pick::<&[u8]>(&parts));
            }
            for (algorithm, layout) in
                Algorithm::all().flat_map(|algorithm| LAYOUTS.map(|layout| (algorithm, layout)))
            {
                let mut known = Known::default();
                read(algorithm, layout, &text[..], &mut known, &mut |_| {}).unwrap();
                known.index();
                assert_eq!(known.unmatched().count(), known.len());
            }
            let _ = detect(Algorithm::MD5, &text[..]).unwrap();
        }
    }

    const LAYOUTS: [Layout; 5] =
        [Layout::Plain, Layout::Sized, Layout::Bsd, Layout::Columns(&TABLES[0]), Layout::Columns(&TABLES[4])];

    #[test]
    fn an_encase_set_is_read() {
        let mut set = vec![0; ENCASE_RECORDS + 2 * ENCASE_RECORD + 5];
        set[..8].copy_from_slice(ENCASE);
        set[ENCASE_COUNT] = 2;
        let layout = detect(Algorithm::MD5, &set[..]).unwrap();
        assert!(matches!(layout, Some(Layout::Encase { expected: 2 })));
        let mut known = Known::default();
        assert_eq!(read_encase(&set[..], b"set", &mut known).unwrap(), 2);
        assert_eq!(known.len(), 2);
    }

    #[test]
    fn columns_may_be_quoted() {
        assert_eq!(column(b"a,\"b,c\",d", 2), Some(&b"b,c"[..]));
        assert_eq!(column(b"a,", 2), Some(&b""[..]));
        assert_eq!(column(b"a", 2), None);
    }
}
