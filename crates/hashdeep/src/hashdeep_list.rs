//! hashdeep's own lists of known files: two header lines that name the columns, then one row per file.

use crate::algorithm::{Algorithm, AlgorithmSet};
use crate::known::{Draft, Known};
use crate::lines::Lines;
use crate::number::leading;
use hashmill_manifest::unescape;
use std::io::{self, BufRead};

/// The first line.
const FIRST: &[u8] = b"%%%% HASHDEEP-1.0";

/// The start of the second line, in any case.
const SECOND: &[u8] = b"%%%% size,";

/// The columns of a list after the size.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The algorithms of the columns from the second on.
    digests: Vec<Algorithm>,
    /// The column of the name, which is the last one to be read; 0, the whole row, if the header has none.
    name: usize,
    /// The header as written; a list with other columns than the previous one causes a warning.
    pub text: Vec<u8>,
}

/// The result of reading the header.
#[derive(Debug, PartialEq, Eq)]
pub enum Head {
    /// A list with these columns.
    List(Columns),
    /// A list with a column that is not an algorithm.
    Unknown,
    /// Something else.
    Other,
}

/// A row with an invalid digest.
pub struct Bad {
    /// The line number, from 1.
    pub line: u64,
    /// The algorithm of the column.
    pub algorithm: Algorithm,
}

impl Columns {
    fn parse(text: &[u8]) -> Option<Columns> {
        let mut columns = Columns { text: text.to_vec(), ..Columns::default() };
        for name in split(text) {
            if name.eq_ignore_ascii_case(b"filename") {
                columns.name = columns.digests.len() + 1;
            } else {
                columns.digests.push(Algorithm::named(name)?);
            }
        }
        Some(columns)
    }

    /// Returns the algorithms of the columns.
    pub fn algorithms(&self) -> AlgorithmSet {
        let mut algorithms = AlgorithmSet::NONE;
        self.digests.iter().for_each(|algorithm| algorithms.insert(*algorithm));
        algorithms
    }

    /// Reads a row. One that starts with a backslash is hashmill's own, for a name that a line can't contain.
    fn row(&self, row: &[u8]) -> Result<Draft, Algorithm> {
        let Some(escaped) = row.strip_prefix(b"\\") else { return self.plain_row(row) };
        let mut draft = self.plain_row(escaped)?;
        let Some(name) = unescape(&draft.name) else { return self.plain_row(row) };
        draft.name = name;
        Ok(draft)
    }

    /// Reads a row without escapes. Missing columns stay empty.
    fn plain_row(&self, row: &[u8]) -> Result<Draft, Algorithm> {
        let mut draft = Draft::default();
        let mut offset = 0;
        for (column, word) in split(row).enumerate() {
            if column == self.name {
                // All further commas are part of the name.
                draft.name = row[offset..].to_vec();
                break;
            }
            offset += word.len() + 1;
            match column.checked_sub(1).and_then(|column| self.digests.get(column)) {
                None => draft.size = leading(word) as u64,
                Some(algorithm) => draft.digest(*algorithm, checked(*algorithm, word)?),
            }
        }
        Ok(draft)
    }
}

/// Splits a row at commas, ignoring one at the end.
fn split(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = row.strip_suffix(b",").unwrap_or(row);
    words.split(|byte| *byte == b',').filter(|_| !row.is_empty())
}

/// Checks a digest. It may be followed by other text; then it matches nothing.
fn checked(algorithm: Algorithm, word: &[u8]) -> Result<&[u8], Algorithm> {
    let start = word.get(..algorithm.digits()).ok_or(algorithm)?;
    start.iter().all(u8::is_ascii_hexdigit).then_some(word).ok_or(algorithm)
}

/// Reads the two header lines.
///
/// # Errors
/// Those of reading.
pub fn head(lines: &mut Lines<impl BufRead>) -> io::Result<Head> {
    if lines.next_line()? != Some(FIRST) {
        return Ok(Head::Other);
    }
    let Some(second) = lines.next_line()? else { return Ok(Head::Other) };
    match second.split_at_checked(SECOND.len()) {
        Some((start, columns)) if start.eq_ignore_ascii_case(SECOND) => {
            Ok(Columns::parse(columns).map_or(Head::Unknown, Head::List))
        }
        _ => Ok(Head::Other),
    }
}

/// Reads the rows, and calls `bad` for those with an invalid digest.
///
/// # Errors
/// Those of reading.
pub fn rows(
    lines: &mut Lines<impl BufRead>,
    columns: &Columns,
    known: &mut Known,
    bad: &mut dyn FnMut(Bad),
) -> io::Result<()> {
    while let Some(line) = lines.next_line()? {
        if line.first() == Some(&b'#') {
            continue;
        }
        match columns.row(line) {
            Ok(draft) if draft.is_empty() => {
                let line = lines.last();
                known.add_loose_line(line.strip_suffix(b"\n").unwrap_or(line), draft);
            }
            Ok(draft) => known.add(draft),
            Err(algorithm) => bad(Bad { line: lines.number, algorithm }),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_testing::Random;

    const MD5: &str = "764efa883dda1e11db47671c4a3bbd9e";

    fn load(text: &str) -> (Known, Vec<u64>) {
        let mut lines = Lines::new(text.as_bytes());
        let Ok(Head::List(columns)) = head(&mut lines) else { panic!("no list") };
        let (mut known, mut bad) = (Known::default(), Vec::new());
        rows(&mut lines, &columns, &mut known, &mut |row| bad.push(row.line)).unwrap();
        known.index();
        (known, bad)
    }

    #[test]
    fn rows_become_known_files() {
        let head = "%%%% HASHDEEP-1.0\r\n%%%% SIZE,MD5,filename\n## comment\n";
        let (mut known, bad) = load(&format!("{head}3,{},a,b\r\n4,{MD5}\nx,y,z\n", MD5.to_uppercase()));
        assert_eq!(bad, [6]);
        let digest = hashmill_digest::Digest::from_hex(MD5.as_bytes()).unwrap();
        let found = known.find_and_mark(Algorithm::MD5, digest.as_bytes(), b"a,b").unwrap();
        assert_eq!((known.get(found).name(), known.get(found).size), (&b"a,b"[..], 3));
        assert_eq!(known.unmatched().next().unwrap().size, 4);
    }

    #[test]
    fn other_files_are_told_apart() {
        for text in ["", "x", "%%%% HASHDEEP-1.0", "%%%% HASHDEEP-1.0\n%%%% siz"] {
            assert_eq!(head(&mut Lines::new(text.as_bytes())).unwrap(), Head::Other);
        }
        let text = "%%%% HASHDEEP-1.0\n%%%% size,sha3,filename";
        assert_eq!(head(&mut Lines::new(text.as_bytes())).unwrap(), Head::Unknown);
    }

    #[test]
    fn no_row_is_too_strange() {
        let parts = [MD5, "a", ",", ",,", "12", "#", " ", "-", "\n", "\r\n", "\0", "filename", "%%%% "];
        let mut random = Random(1);
        for _ in 0..hashmill_testing::cases(20_000) {
            let mut text = String::from("%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,filename\n");
            for _ in 0..16 {
                text += *random.pick(&parts);
            }
            let (mut known, bad) = load(&text);
            let rows = known.len() + bad.len();
            assert!(rows < text.lines().count());
            let digest = hashmill_digest::Digest::from_hex(MD5.as_bytes()).unwrap();
            known.find_and_mark(Algorithm::MD5, digest.as_bytes(), b"a\n12");
        }
    }

    #[test]
    fn a_comma_at_the_end_makes_no_word() {
        assert_eq!(split(b"a,b,").count(), 2);
        assert_eq!(split(b"a,,b").count(), 3);
        assert_eq!(split(b",").count(), 1);
        assert_eq!(split(b"").count(), 0);
    }
}
