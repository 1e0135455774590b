//! Tables with any columns, separated by commas, tabs, semicolons, bars, colons or blanks.
//!
//! Digests are in the columns that the header names after algorithms, in those whose kind another column tells (as in
//! exports of MISP and OTX), in the one that the user names, or, in a table without a header, in those where most
//! cells look like digests. The header may be a comment. All that was taken is told, and so is each row of which
//! something can't be read.

use super::beginning::beginning;
use super::cell::{Bad, Cell, NamedDigest, Untagged, clean, is_absent, is_shaped, named};
use super::input::Notice;
use super::intake::Intake;
use super::left_out::is_digest;
use super::meaning::{Meaning, algorithm, behind_bar};
use super::separator::Separator;
use super::taken::{Taken, add_name};
use crate::build::Annotation;
use crate::error::{Error, Why};
use hashmill_manifest::format::{self, Hint, Lines, Malformed};
use std::io::Read;

/// The most columns of which cells are counted.
const MAX_COUNTED: usize = 256;

/// A column of a table.
#[derive(Debug, Clone)]
struct Column {
    meaning: Meaning,
    /// The title, or the number of the column.
    title: Box<str>,
    /// The numbers of cells that have a value, and of those that look like a digest.
    filled: u64,
    shaped: u64,
}

impl Column {
    fn new(meaning: Meaning, title: &str) -> Column {
        Column { meaning, title: title.into(), filled: 0, shaped: 0 }
    }

    /// Returns whether most cells look like digests, but none were taken.
    fn seems_left(&self) -> bool {
        self.meaning == Meaning::Other && self.shaped > 0 && 2 * self.shaped >= self.filled
    }
}

/// The place of a table's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    FirstLine,
    Comment,
    None,
}

/// The structure of a table, determined from its first bytes.
struct Shape {
    cut: Separator,
    columns: Vec<Column>,
    header: Header,
    /// Lines may have more fields than columns: names with blanks before or after the digests.
    loose: Option<DigestSide>,
}

/// The side of a line, in relation to other fields, where its digests are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DigestSide {
    Front,
    Back,
}

/// Returns whether a file is a table with digests that only this module reads.
pub(super) fn is_table(first: &[u8]) -> bool {
    shape(first, None).is_some()
}

/// Returns whether a file is a table with a column of this name.
#[cfg(any(feature = "archives", test))]
pub(super) fn has_column(first: &[u8], column: &str) -> bool {
    shape(first, Some(column)).is_some()
}

/// Returns the complete lines.
fn lines(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    // The last line of the first bytes may be incomplete.
    let whole = match first.len() >= format::SNIFFED - 3 {
        true => first.iter().rposition(|byte| *byte == b'\n').unwrap_or(first.len()),
        false => first.len(),
    };
    first[..whole].split(|byte| *byte == b'\n')
}

/// Returns the complete lines that are not comments.
fn content(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines(first).filter(|line| !is_comment(line))
}

fn is_comment(line: &[u8]) -> bool {
    // Excel writes and reads a first line that names the separator.
    matches!(line.trim_ascii().first(), None | Some(b'#')) || line.starts_with(b"sep=")
}

/// Determines the structure of a table from its first bytes. `wanted` names the column that the user requested.
fn shape(first: &[u8], wanted: Option<&str>) -> Option<Shape> {
    if wanted.is_some() {
        return headed(first, wanted);
    }
    match format::sniff(first) {
        None => headed(first, None).or_else(|| voted(first)).or_else(|| alone(first)),
        // Lines of a digest followed by anything else could be lists of checksums.
        Some(list) if list.loose => {
            let table = || if list.name == "plain" { voted(first) } else { None };
            headed(first, None).or_else(|| bare(first)).or_else(table).or_else(|| alone(first))
        }
        // hashmill's own CSV says which digests are of pieces, and which files were not read whole.
        Some(list) if list.name == "csv" && !is_own(first) => headed(first, None),
        Some(_) => None,
    }
}

/// Returns whether a header has titles that only hashmill's own CSV has.
fn is_own(first: &[u8]) -> bool {
    let header = content(first).next().unwrap_or_default();
    let fields = Separator::At(b',').fields(header);
    let has = |title: &[u8]| fields.iter().any(|field| clean(field) == title);
    has(b"path") && (has(b"status") || has(b"offset"))
}

/// Determines the structure from a header: the first line, or a comment before it that fits it.
fn headed(first: &[u8], wanted: Option<&str>) -> Option<Shape> {
    let mut rows = content(first);
    let (line, next) = (rows.next(), rows.next());
    let by_line = |header| Separator::ALL.iter().find_map(|cut| by_header(*cut, header, next, wanted));
    if let Some(shape) = line.and_then(by_line).or_else(|| line.and_then(|line| by_title(line, next))) {
        return Some(shape);
    }
    let row = line?;
    let comments: Vec<&[u8]> = lines(first).take_while(|line| is_comment(line)).collect();
    comments.iter().rev().find_map(|comment| {
        let comment = comment.trim_ascii().trim_ascii_start();
        let header = comment.strip_prefix(b"#")?.trim_ascii();
        let shape = Separator::ALL.iter().find_map(|cut| by_header(*cut, header, Some(row), wanted))?;
        shape.fits(row).then_some(Shape { header: Header::Comment, ..shape })
    })
}

/// Determines the structure from a header and these separators.
fn by_header(cut: Separator, header: &[u8], row: Option<&[u8]>, wanted: Option<&str>) -> Option<Shape> {
    let titles = cut.fields(header);
    let columns = columns(&titles, wanted)?;
    let plain = |column: &Column| column.meaning != Meaning::Other || is_plain(&column.title);
    let fits = match (wanted, cut) {
        (Some(_), Separator::At(b',')) => true,
        // The words could be those of a sentence.
        (None, Separator::Blanks) => titles.len() > 1 && columns.iter().all(plain),
        _ => titles.len() > 1,
    };
    // The cells of a row of digests are no titles.
    let is_row = titles.iter().any(|title| is_shaped(clean(title)));
    let shape = Shape { cut, columns, header: Header::FirstLine, loose: None };
    // Values of any kind could be anything, if there is no row that has a digest.
    let vague =
        wanted.is_none() && !shape.columns.iter().any(|column| matches!(column.meaning, Meaning::Of(_)));
    let is_vague = vague && !shape.has_kinds() && row.is_none_or(|row| !shape.fits(row));
    (fits && !is_row && !is_vague && shape.has_digests()).then_some(shape)
}

/// Determines the structure of a list of digests below the name of their algorithm.
fn by_title(header: &[u8], row: Option<&[u8]>) -> Option<Shape> {
    let columns = columns(&[header], None)?;
    let shape = Shape { cut: Separator::Nothing, columns, header: Header::FirstLine, loose: None };
    (shape.columns[0].meaning.is_digest() && shape.fits(row?)).then_some(shape)
}

/// Returns whether lists of digests often have a column of this name.
fn is_plain(name: &str) -> bool {
    let names = ["name", "file", "filename", "file_name", "path", "size", "date", "comment"];
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Determines the structure of lines that all have several digests, without a header.
fn bare(first: &[u8]) -> Option<Shape> {
    Separator::ALL.iter().find_map(|cut| several(*cut, first))
}

fn several(cut: Separator, first: &[u8]) -> Option<Shape> {
    let line = content(first).next()?;
    let lengths: Vec<usize> = cut.fields(line).iter().map(|field| length(field)).collect();
    let digests = lengths.iter().filter(|length| **length > 0).count();
    let loose = match cut {
        Separator::Blanks if lengths.len() == 2 => {
            // With two blanks between them, the second is a name that looks like a digest.
            let pair = line.trim_ascii().split(u8::is_ascii_whitespace).count() == 2;
            (pair && lengths[0] != lengths[1]).then_some(DigestSide::Front)?
        }
        Separator::Blanks => {
            let side = if lengths[0] > 0 { DigestSide::Front } else { DigestSide::Back };
            (digests > 2 && run(&lengths, side) == digests).then_some(side)?
        }
        _ => DigestSide::Front,
    };
    if digests < 2 {
        return None;
    }
    let kept = if cut != Separator::Blanks { lengths } else { side(&lengths, loose, digests).to_vec() };
    let loose = (cut == Separator::Blanks).then_some(loose);
    let shape = Shape { cut, columns: numbered(&kept), header: Header::None, loose };
    // A file's name may look like a digest; if not all names in a list do, it is a list of checksums.
    let alike = content(first).all(|line| {
        let fields = cut.fields(line);
        let fields = shape.wanted(&fields);
        fields.len() == kept.len() && fields.iter().zip(&kept).all(|(field, kept)| length(field) == *kept)
    });
    alike.then_some(shape)
}

/// Determines the structure of lines where most cells of a column look like digests.
fn voted(first: &[u8]) -> Option<Shape> {
    let cuts = [b',', b'\t', b';', b'|', b':'].map(Separator::At);
    cuts.into_iter().find_map(|cut| {
        // For each column: the length of its first digest, the cells like one, and the cells without one.
        let mut votes: Vec<(usize, usize, usize)> = Vec::new();
        let mut rows = 0;
        for line in content(first) {
            let fields = cut.fields(line);
            rows += 1;
            votes.resize(votes.len().max(fields.len().min(MAX_COUNTED)), (0, 0, rows - 1));
            for (place, (digits, shaped, absent)) in votes.iter_mut().enumerate() {
                let cell = clean(fields.get(place).copied().unwrap_or_default());
                *shaped += usize::from(is_shaped(cell));
                *absent += usize::from(is_absent(cell));
                *digits = if *digits == 0 { length(cell) } else { *digits };
            }
        }
        let likely = |(length, shaped, absent): &(usize, usize, usize)| {
            if *shaped > 0 && votes.len() > 1 && 2 * shaped >= rows - absent { *length } else { 0 }
        };
        let lengths: Vec<usize> = votes.iter().map(likely).collect();
        let shape = Shape { cut, columns: numbered(&lengths), header: Header::None, loose: None };
        lengths.iter().any(|length| *length > 0).then_some(shape)
    })
}

/// Determines the structure of a list of digests alone that are written in an unusual way.
fn alone(first: &[u8]) -> Option<Shape> {
    let lines = || content(first).map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let (mut digests, mut others, mut unusual) = (0, 0, false);
    for line in lines() {
        let cell = clean(line);
        unusual |= cell.len() != line.len() || !is_digest(cell);
        *(if is_shaped(cell) { &mut digests } else { &mut others }) += 1;
    }
    let shape = Shape { cut: Separator::Nothing, columns: numbered(&[1]), header: Header::None, loose: None };
    (unusual && digests > others).then_some(shape)
}

/// Returns columns without titles. Of several columns of digests of one length none is taken: only one may be of the
/// file.
fn numbered(lengths: &[usize]) -> Vec<Column> {
    let column = |(place, length): (usize, &usize)| {
        let alone = lengths.iter().filter(|other| *other == length).count() == 1;
        let meaning = if *length > 0 && alone { Meaning::Any } else { Meaning::Other };
        Column::new(meaning, &format!("column {}", place + 1))
    };
    lengths.iter().enumerate().map(column).collect()
}

/// Returns the number of digits of a digest; 0 if the text does not look like one.
fn length(field: &[u8]) -> usize {
    let field = clean(field);
    if is_shaped(field) { field.len() } else { 0 }
}

/// Returns the number of values on a side before the first 0.
fn run(lengths: &[usize], side: DigestSide) -> usize {
    match side {
        DigestSide::Front => lengths.iter().take_while(|length| **length > 0).count(),
        DigestSide::Back => lengths.iter().rev().take_while(|length| **length > 0).count(),
    }
}

/// Returns this many values from a side.
fn side<T>(values: &[T], side: DigestSide, count: usize) -> &[T] {
    match side {
        _ if values.len() < count => values,
        DigestSide::Front => &values[..count],
        DigestSide::Back => &values[values.len() - count..],
    }
}

impl Shape {
    /// Returns the fields of a line that belong to columns.
    fn wanted<'f, 'a>(&self, fields: &'f [&'a [u8]]) -> &'f [&'a [u8]] {
        self.loose.map_or(fields, |loose| side(fields, loose, self.columns.len()))
    }

    /// Returns whether a column tells the kinds of the values in another one.
    fn has_kinds(&self) -> bool {
        let has = |meaning| self.columns.iter().any(|column| column.meaning == meaning);
        has(Meaning::Kind) && (has(Meaning::Value) || has(Meaning::Any))
    }

    fn has_digests(&self) -> bool {
        self.has_kinds() || self.columns.iter().any(|column| column.meaning.is_digest())
    }

    /// Returns whether a line has a digest in a column of digests.
    fn fits(&self, line: &[u8]) -> bool {
        let fields = self.cut.fields(line);
        let is_digest = |(column, field): (&Column, &&[u8])| {
            let cell = clean(field);
            match column.meaning {
                Meaning::Of(algorithm) => !is_absent(cell) && named(algorithm, cell).is_ok(),
                Meaning::Any | Meaning::Value => is_shaped(behind_bar(cell)),
                _ => false,
            }
        };
        self.columns.iter().zip(self.wanted(&fields)).any(is_digest)
    }

    /// Returns the next line. Only comma-separated tables have quotes that may contain line feeds.
    fn next<'l>(&self, lines: &'l mut Lines<'_>) -> Option<Result<(u64, &'l [u8]), Malformed>> {
        if self.cut == Separator::At(b',') { lines.next_quoted() } else { lines.next() }
    }
}

/// Returns the columns with these titles; `None` if the wanted one is missing. The user may give its name or its
/// algorithm.
fn columns(titles: &[&[u8]], wanted: Option<&str>) -> Option<Vec<Column>> {
    let title = |title: &&[u8]| String::from_utf8_lossy(clean(title)).into_owned();
    let titles: Vec<String> = titles.iter().map(title).collect();
    let Some(wanted) = wanted else {
        let mut columns: Vec<Column> =
            titles.iter().map(|title| Column::new(Meaning::of_name(title), title)).collect();
        let has_kind = columns.iter().any(|column| column.meaning == Meaning::Kind);
        let values = columns.iter_mut().filter(|column| column.meaning == Meaning::Value && !has_kind);
        values.for_each(|column| column.meaning = Meaning::Any);
        return Some(columns);
    };
    let alike = |title: &&String| algorithm(wanted).is_some() && algorithm(title) == algorithm(wanted);
    let own = titles.iter().find(|title| title.eq_ignore_ascii_case(wanted));
    let own = own.or_else(|| titles.iter().find(alike))?;
    let column = |title: &String| {
        let meaning = match Meaning::of_name(title) {
            Meaning::Size => Meaning::Size,
            _ if title != own => Meaning::NotOfFile,
            Meaning::Of(algorithm) => Meaning::Of(algorithm),
            _ => Meaning::Any,
        };
        Column::new(meaning, title)
    };
    Some(titles.iter().map(column).collect())
}

pub(super) fn import(stream: Box<dyn Read + '_>, hint: Hint, intake: &mut Intake<'_>) -> Result<(), Error> {
    intake.format("csv");
    let (first, stream) = beginning(stream).map_err(Error::io(&intake.path, "read"))?;
    let missing =
        || Why::Column { table: "the header", column: intake.column.clone().unwrap_or("sha256".into()) };
    let shape = shape(&first, intake.column.as_deref()).ok_or_else(|| Error::new(&intake.path, missing()))?;
    let mut table = Table {
        counted: shape.columns.clone(),
        untagged: Untagged::new(intake.algorithm, hint),
        is_wanted: intake.column.is_some(),
        taken: Taken::default(),
        left: Vec::new(),
        row: TableRow::default(),
        shape,
    };
    table.read(Lines::new(stream), intake)?;
    table.report(intake);
    Ok(())
}

/// A table that is read.
struct Table {
    shape: Shape,
    /// The columns with the counts of their cells; more than those with titles, if lines have more.
    counted: Vec<Column>,
    untagged: Untagged,
    /// Whether the user named the column.
    is_wanted: bool,
    taken: Taken,
    /// The names of what looks like digests and was not taken.
    left: Vec<Box<str>>,
    row: TableRow,
}

/// The digests and other values of a line.
#[derive(Default)]
struct TableRow {
    digests: Vec<NamedDigest>,
    size: Option<u64>,
    bad: Vec<Bad>,
}

impl Table {
    fn read(&mut self, mut lines: Lines<'_>, intake: &mut Intake<'_>) -> Result<(), Error> {
        let detail = intake.number(&intake.detail());
        let mut in_header = self.shape.header == Header::FirstLine;
        while let Some(line) = self.shape.next(&mut lines) {
            let (number, line) = match line {
                Ok(line) => line,
                Err(malformed) => {
                    intake.malformed(malformed)?;
                    continue;
                }
            };
            // A name may begin with the sign of comments.
            let comment = is_comment(line) && (in_header || !self.shape.fits(line));
            if comment || line.trim_ascii().is_empty() || std::mem::take(&mut in_header) {
                continue;
            }
            self.take(line);
            let TableRow { digests, size, bad } = &mut self.row;
            let is_bad = !bad.is_empty();
            for (part, why) in bad.drain(..) {
                intake.malformed(Malformed { line: number, part, why })?;
            }
            if !digests.is_empty() {
                let digests = digests.iter().map(|(algorithm, digest)| (*algorithm, digest.as_bytes()));
                intake.record(digests, Annotation { detail, size: *size })?;
            } else if !is_bad {
                self.taken.add_without();
                intake.skip();
            }
        }
        Ok(())
    }

    /// Takes the digests of a line.
    fn take(&mut self, line: &[u8]) {
        let fields = self.shape.cut.fields(line);
        let fields = self.shape.wanted(&fields);
        count(&mut self.counted, fields);
        let columns = &self.shape.columns;
        let kind = columns.iter().zip(fields).find(|(column, _)| column.meaning == Meaning::Kind);
        let kind = kind.map(|(_, kind)| String::from_utf8_lossy(clean(kind)).into_owned());
        self.row.digests.clear();
        self.row.size = None;
        for (column, field) in columns.iter().zip(fields) {
            let cell = clean(field);
            match Cell::read(column.meaning, kind.as_deref(), cell, self.untagged) {
                Cell::Digest(named, by_length) => {
                    self.taken.add(&column.title, &named, by_length);
                    self.row.digests.push(named);
                }
                Cell::Bad(bad) => self.row.bad.push(bad),
                Cell::NotOfFile if !self.is_wanted => {
                    self.taken.add_other(kind.as_deref().unwrap_or(&column.title), cell);
                }
                Cell::Unknown(kind) => add_name(&mut self.left, &format!("{} of type {kind}", column.title)),
                Cell::Nothing if column.meaning == Meaning::Size => {
                    self.row.size = str::from_utf8(cell).ok().and_then(|text| text.parse().ok());
                }
                Cell::Nothing | Cell::NotOfFile => {}
            }
        }
        // Two lines that became one, or a line that was cut off.
        let (found, expected) = (fields.len(), columns.len());
        let is_digest = |field: &&[u8]| self.shape.header != Header::None && length(field) > 0;
        let missing = || columns.iter().skip(found).any(|column| column.meaning.is_digest());
        let is_cut = self.row.digests.is_empty() && self.row.bad.is_empty() && missing();
        if is_cut || fields.iter().skip(expected).any(is_digest) {
            self.row.bad.push(("fields", format::Why::Fields { found, expected }));
        }
    }

    /// Tells what was taken, and which columns seem to have digests and were not.
    fn report(mut self, intake: &mut Intake<'_>) {
        let seems_left = |column: &&Column| column.seems_left() && !self.is_wanted;
        let names = self.counted.iter().filter(seems_left);
        names.for_each(|column| add_name(&mut self.left, &column.title));
        if !self.left.is_empty() {
            intake.leave(Notice::Columns(self.left));
        }
        intake.notice(Notice::Taken(self.taken));
    }
}

/// Counts the cells that look like digests.
fn count(counted: &mut Vec<Column>, fields: &[&[u8]]) {
    for (place, field) in fields.iter().enumerate().take(MAX_COUNTED) {
        if place >= counted.len() {
            counted.push(Column::new(Meaning::Other, &format!("column {}", place + 1)));
        }
        let (cell, column) = (clean(field), &mut counted[place]);
        column.filled += u64::from(!is_absent(cell));
        column.shaped += u64::from(is_digest(cell) && !is_absent(cell));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
    const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
    const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn headers_are_told_from_lists() {
        for table in [
            format!("name,MD5,comment\nx,{MD5},y\n"),
            "\"uuid\",\"type\",\"value\"\n".into(),
            "name\tmd5\tsha1\n".into(),
            "# x\nMD5 SHA1 SHA256\n".into(),
            "name;sha256\n".into(),
            format!("# hash;comment\n\n{MD5};x\n"),
            format!("###\n# \"name\",\"md5_hash\"\n#\n\"x\", \"{MD5}\"\n"),
            format!("MD5\r\n{MD5}\r\n"),
        ] {
            assert!(is_table(table.as_bytes()), "{table}");
        }
        for list in [
            "path,size,status,md5\n".into(),
            format!("{MD5}\n"),
            "md5\n".into(),
            "md5 sums of my files\n".into(),
            "hash,comment\n".into(),
            format!("# md5, sha1 and others\n{MD5}  a, b\n"),
        ] {
            assert!(!is_table(list.as_bytes()), "{list}");
        }
    }

    #[test]
    fn lines_of_several_digests_are_told_from_sums() {
        for line in [
            format!("{MD5} {SHA1} {SHA256}\n"),
            format!("{MD5} {SHA1}\n"),
            format!("{MD5}   {SHA1}  {SHA256}  a name\n"),
            format!("a name {MD5} {SHA1} {SHA256}\n"),
            format!("{MD5}\t{SHA1}\n"),
            format!("{MD5}|a name|{SHA256}\r\n"),
            format!("{MD5}, {SHA1}\n"),
            format!("{MD5};a tool\n"),
            format!("{MD5}:hunter2\n"),
            format!("\"{MD5}\",\n"),
            format!("0x{MD5}\n"),
        ] {
            assert!(is_table(line.as_bytes()), "{line}");
            assert!(is_table(line.repeat(3).as_bytes()), "{line}");
        }
        for lines in [
            // Files that are named by their digests.
            format!("{MD5}  {SHA1}\n"),
            format!("{SHA256} {SHA256}\n"),
            format!("{MD5} *{SHA1}\n"),
            // Lists in which only some files have such names.
            format!("{MD5}  x,{SHA1},{SHA256},\n{MD5}  letter.txt\n"),
            format!("{MD5}  {SHA1} {SHA256}\n{MD5}  letter.txt\n"),
            format!("{MD5} {SHA1}\n{MD5} letter.txt\n"),
        ] {
            assert!(!is_table(lines.as_bytes()), "{lines}");
        }
    }

    #[test]
    fn a_column_is_found_by_its_name_or_its_algorithm() {
        assert!(has_column(b"id\tSHA-256\tx\n", "sha256"));
        assert!(has_column(b"id;indicator\n", "Indicator"));
        assert!(has_column(b"indicator\n", "indicator"));
        assert!(!has_column(b"id\tmd5\n", "sha256"));
        assert!(!has_column(b"a text about an indicator of it\n", "sha256"));
    }
}
