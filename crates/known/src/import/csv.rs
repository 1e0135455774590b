//! Tables with any columns, separated by commas, tabs, semicolons, bars or blanks. Digests are in the columns named
//! after algorithms, or in the one that the user names. A table without a header has several digests in each line.
//! MISP's export of attributes is such a table: its column `type` gives the type of `value`.

use super::beginning::beginning;
use super::input::Notice;
use super::intake::Intake;
use super::left_out::is_digest;
use crate::build::Annotation;
use crate::error::{Error, Why};
use hashmill_digest::{Algorithm, Digest, find, of_bits};
use hashmill_manifest::format::{self, Fields, Lines, Malformed};
use std::io::Read;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// Digests of this algorithm.
    Of(&'static Algorithm),
    /// Digests of any algorithm, determined by their length.
    Any,
    /// The type of the value, in MISP's words.
    Type,
    /// The value with that type.
    Value,
    Size,
    Other,
}

/// The separator of fields in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// Commas, with quotes as in RFC 4180.
    Commas,
    /// This character.
    At(u8),
    /// Any number of blanks.
    Blanks,
}

/// The separators in the order in which they are tried.
const SEPARATORS: [Separator; 5] =
    [Separator::Commas, Separator::At(b'\t'), Separator::At(b';'), Separator::At(b'|'), Separator::Blanks];

impl Separator {
    /// Returns the fields of a line, without quotes around them.
    /// Quotes that are not paired leave no fields.
    fn fields<'a>(self, line: &'a [u8], quoted: &'a mut Fields) -> Vec<&'a [u8]> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match self {
            Separator::Commas if !line.contains(&b',') => vec![unquoted(line)],
            Separator::Commas if !quoted.split(line) => Vec::new(),
            Separator::Commas => quoted.iter().collect(),
            Separator::At(byte) => line.split(|other| *other == byte).map(unquoted).collect(),
            Separator::Blanks => blanks(line).map(unquoted).collect(),
        }
    }
}

fn blanks(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

fn unquoted(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")).unwrap_or(field)
}

/// The structure of a table, determined from its first bytes.
struct Shape {
    cut: Separator,
    columns: Vec<Column>,
    has_header: bool,
    /// Lines may have more fields than columns: names with blanks before or after the digests.
    loose: Option<DigestSide>,
    /// Columns that are not imported although they seem to contain digests.
    left: Vec<Box<str>>,
}

/// The side of a line, in relation to other fields, where its digests are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DigestSide {
    Front,
    Back,
}

/// Returns whether a file is a table with digests that only this module reads: one with a header that names them, or
/// lines of several digests each.
pub(super) fn is_table(first: &[u8]) -> bool {
    // hashmill's own CSV has a path, and manifests of other programs have their own headers. Lines of a digest followed
    // by anything else could be lists of checksums.
    let loose = |format: &format::Format| match format.name {
        "csv" => !has_column(first, "path"),
        _ => format.loose,
    };
    format::sniff(first).is_none_or(loose) && shape(first, None).is_some()
}

/// Returns whether a file is a table with a column of this name.
pub(super) fn has_column(first: &[u8], column: &str) -> bool {
    shape(first, Some(column)).is_some()
}

/// Returns the complete lines that are not comments.
fn content(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    // The last line of the first bytes may be incomplete.
    let whole = match first.len() >= format::SNIFFED - 3 {
        true => first.iter().rposition(|byte| *byte == b'\n').unwrap_or(first.len()),
        false => first.len(),
    };
    first[..whole].split(|byte| *byte == b'\n').filter(|line| !is_comment(line))
}

fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii().first(), None | Some(b'#'))
}

/// Determines the structure of a table from its first bytes. `wanted` names the column that the user requested.
fn shape(first: &[u8], wanted: Option<&str>) -> Option<Shape> {
    let header = content(first).next()?;
    let named = SEPARATORS.iter().find_map(|cut| headed(*cut, header, first, wanted));
    named.or_else(|| wanted.map_or_else(|| SEPARATORS.iter().find_map(|cut| bare(*cut, first)), |_| None))
}

/// Determines the structure from a header.
fn headed(cut: Separator, header: &[u8], first: &[u8], wanted: Option<&str>) -> Option<Shape> {
    let (mut quoted, mut quoted_again) = (Fields::default(), Fields::default());
    let names = cut.fields(header, &mut quoted);
    let columns = columns(&names, wanted)?;
    let plain = |(column, name): (&Column, &&[u8])| *column != Column::Other || is_plain(name);
    let fits = match (wanted, cut) {
        (Some(_), Separator::Commas) => true,
        (Some(_), _) => names.len() > 1,
        // The words could be those of a sentence.
        (None, Separator::Blanks) => names.len() > 1 && columns.iter().zip(&names).all(plain),
        (None, _) => names.len() > 1,
    };
    if !fits || !has_digests(&columns) {
        return None;
    }
    let row = content(first).nth(1).map(|row| cut.fields(row, &mut quoted_again)).unwrap_or_default();
    let left = columns.iter().zip(&names).zip(row).filter(|((column, _), field)| {
        wanted.is_none() && **column == Column::Other && is_digest(field.trim_ascii())
    });
    let left = left.map(|((_, name), _)| String::from_utf8_lossy(name.trim_ascii()).into()).collect();
    Some(Shape { cut, columns, has_header: true, loose: None, left })
}

/// Returns whether lists of digests often have a column of this name.
fn is_plain(name: &[u8]) -> bool {
    let names: [&[u8]; 8] =
        [b"name", b"file", b"filename", b"file_name", b"path", b"size", b"date", b"comment"];
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Determines the structure of lines that all have several digests, without a header.
fn bare(cut: Separator, first: &[u8]) -> Option<Shape> {
    let mut quoted = Fields::default();
    let line = content(first).next()?;
    let lengths: Vec<usize> = cut.fields(line, &mut quoted).iter().map(|field| length(field)).collect();
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
    let columns: Vec<Column> =
        kept.iter().map(|length| if *length > 0 { Column::Any } else { Column::Other }).collect();
    let loose = (cut == Separator::Blanks).then_some(loose);
    let shape = Shape { cut, columns, has_header: false, loose, left: Vec::new() };
    // A file's name may look like a digest; if not all names in a list do, it is a list of checksums.
    let alike = content(first).all(|line| {
        let fields = cut.fields(line, &mut quoted);
        let fields = shape.wanted(&fields);
        fields.len() == kept.len() && fields.iter().zip(&kept).all(|(field, kept)| length(field) == *kept)
    });
    alike.then_some(shape)
}

/// Returns the number of digits of a digest; 0 if the text does not look like one.
fn length(field: &[u8]) -> usize {
    let field = field.trim_ascii();
    if is_digest(field) { field.len() } else { 0 }
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
}

pub(super) fn import(stream: Box<dyn Read + '_>, intake: &mut Intake<'_>) -> Result<(), Error> {
    intake.format("csv");
    let (first, stream) = beginning(stream).map_err(Error::io(&intake.path, "read"))?;
    let missing =
        || Why::Column { table: "the header", column: intake.column.clone().unwrap_or("sha256".into()) };
    let shape = shape(&first, intake.column.as_deref());
    let mut shape = shape.ok_or_else(|| Error::new(&intake.path, missing()))?;
    if !shape.left.is_empty() {
        intake.leave(Notice::Columns(std::mem::take(&mut shape.left)));
    }
    let (mut lines, mut quoted) = (Lines::new(stream), Fields::default());
    let detail = intake.number(&intake.detail());
    let mut in_header = shape.has_header;
    loop {
        // Only comma-separated tables have quotes that may contain line feeds.
        let line = if shape.cut == Separator::Commas { lines.next_quoted() } else { lines.next() };
        let (number, line) = match line {
            Some(Ok(line)) => line,
            Some(Err(malformed)) => {
                intake.malformed(malformed)?;
                continue;
            }
            None => return Ok(()),
        };
        let comment = is_comment(line) && (in_header || !shape.has_header);
        if comment || line.trim_ascii().is_empty() {
            continue;
        }
        if std::mem::take(&mut in_header) {
            continue;
        }
        let fields = shape.cut.fields(line, &mut quoted);
        match row(shape.wanted(&fields), &shape.columns, intake.algorithm) {
            Ok(row) if row.digests.is_empty() => intake.skip(),
            Ok(row) => {
                let digests = row.digests.iter().map(|(algorithm, digest)| (*algorithm, digest.as_bytes()));
                intake.record(digests, Annotation { detail, size: row.size })?;
            }
            Err((part, why)) => intake.malformed(Malformed { line: number, part, why })?,
        }
    }
}

fn has_digests(columns: &[Column]) -> bool {
    let typed = columns.contains(&Column::Type) && columns.contains(&Column::Value);
    typed || columns.iter().any(|column| matches!(column, Column::Of(_) | Column::Any))
}

/// Returns the contents of the columns with these names; `None` if the wanted one is missing. The user may give its
/// name or its algorithm.
fn columns(names: &[&[u8]], wanted: Option<&str>) -> Option<Vec<Column>> {
    let lower = |name: &&[u8]| String::from_utf8_lossy(name).trim().to_ascii_lowercase();
    let names: Vec<String> = names.iter().map(lower).collect();
    let Some(wanted) = wanted.map(str::to_ascii_lowercase) else {
        return Some(names.iter().map(|name| column(name, None)).collect());
    };
    let alike = |name: &&String| algorithm(&wanted).is_some() && algorithm(name) == algorithm(&wanted);
    let own = names.iter().find(|name| **name == wanted).or_else(|| names.iter().find(alike))?;
    Some(names.iter().map(|name| column(name, Some(own))).collect())
}

fn column(name: &str, wanted: Option<&str>) -> Column {
    let algorithm = algorithm(name);
    match (wanted, name) {
        (Some(wanted), _) if wanted != name && name != "size" => Column::Other,
        (_, "size" | "filesize" | "file_size" | "size-in-bytes") => Column::Size,
        (Some(_), _) => algorithm.map_or(Column::Any, Column::Of),
        (None, "type") => Column::Type,
        (None, "value") => Column::Value,
        (None, _) => algorithm.map_or(Column::Other, Column::Of),
    }
}

/// Returns the algorithm that a column's name refers to: `md5`, `md5_hash`, `SHA256 Hash`, `hash_sha1`, `file.sha1`.
fn algorithm(name: &str) -> Option<&'static Algorithm> {
    let words = [" ", "_", ".", "-"].iter().fold(name.to_string(), |name, gap| name.replace(gap, "|"));
    let extra = |word: &str| matches!(word, "hash" | "digest" | "sum" | "checksum" | "file");
    let kept: Vec<&str> = words.split('|').filter(|word| !extra(word)).collect();
    find(&kept.join("-")).or_else(|_| find(&kept.concat())).ok()
}

#[derive(Default)]
struct CsvRow {
    digests: Vec<(&'static Algorithm, Digest)>,
    size: Option<u64>,
}

type Bad = (&'static str, format::Why);

fn row(fields: &[&[u8]], columns: &[Column], forced: Option<&'static Algorithm>) -> Result<CsvRow, Bad> {
    if fields.len() != columns.len() {
        let (found, expected) = (fields.len(), columns.len());
        return Err(("fields", format::Why::Fields { found, expected }));
    }
    let mut row = CsvRow::default();
    let kind = fields.iter().zip(columns).find(|(_, column)| **column == Column::Type);
    for (field, column) in fields.iter().zip(columns) {
        let field = field.trim_ascii();
        match column {
            _ if field.is_empty() => {}
            Column::Of(algorithm) => row.digests.push((algorithm, parse(algorithm, field)?)),
            Column::Any => row.digests.push(match forced {
                Some(algorithm) => (algorithm, parse(algorithm, field)?),
                None => untagged(field)?,
            }),
            Column::Value => row.digests.extend(typed(kind.map(|(kind, _)| *kind), field)?),
            Column::Size => row.size = str::from_utf8(field).ok().and_then(|text| text.parse().ok()),
            Column::Type | Column::Other => {}
        }
    }
    Ok(row)
}

fn parse(algorithm: &'static Algorithm, text: &[u8]) -> Result<Digest, Bad> {
    algorithm.parse(text).map_err(|bad| ("digest", format::Why::Digest(bad)))
}

fn untagged(text: &[u8]) -> Result<(&'static Algorithm, Digest), Bad> {
    let digest = Digest::from_hex(text).map_err(|bad| ("digest", format::Why::Digest(bad)))?;
    let algorithm = of_bits(digest.bits()).next();
    Ok((algorithm.ok_or(("digest", format::Why::NoAlgorithm { digits: text.len() }))?, digest))
}

/// Returns the digest of a MISP attribute of type `sha256` or `filename|sha256`; other types have none.
fn typed(kind: Option<&[u8]>, value: &[u8]) -> Result<Option<(&'static Algorithm, Digest)>, Bad> {
    let kind = String::from_utf8_lossy(kind.unwrap_or_default());
    let (name, value) = match kind.strip_prefix("filename|") {
        Some(name) => (name, value.rsplit(|byte| *byte == b'|').next().unwrap_or(value)),
        None => (&*kind, value),
    };
    let Ok(algorithm) = find(name) else { return Ok(None) };
    parse(algorithm, value).map(|digest| Some((algorithm, digest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_known_by_many_names() {
        for (name, algorithm) in [
            ("md5", "md5"),
            ("md5_hash", "md5"),
            ("sha256 hash", "sha256"),
            ("hash_sha1", "sha1"),
            ("sha-256", "sha256"),
            ("file.sha1", "sha1"),
            ("sha3-256", "sha3-256"),
        ] {
            assert_eq!(column(name, None), Column::Of(find(algorithm).unwrap()), "{name}");
        }
        assert_eq!(column("comment", None), Column::Other);
        assert_eq!(column("indicator", Some("indicator")), Column::Any);
    }

    #[test]
    fn headers_are_told_from_lists() {
        assert!(is_table(b"name,MD5,comment\nx,900150983cd24fb0d6963f7d28e17f72,y\n"));
        assert!(is_table(b"\"uuid\",\"type\",\"value\"\n"));
        assert!(is_table(b"name\tmd5\tsha1\n"));
        assert!(is_table(b"# x\nMD5 SHA1 SHA256\n"));
        assert!(is_table(b"name;sha256\n"));
        assert!(!is_table(b"path,size,md5\n"));
        assert!(!is_table(b"900150983cd24fb0d6963f7d28e17f72\n"));
        assert!(!is_table(b"md5\n"));
        assert!(!is_table(b"md5 sums of my files\n"));
    }

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
    const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
    const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

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
