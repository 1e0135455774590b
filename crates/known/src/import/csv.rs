//! CSV files with any columns: those named after algorithms, or the one that the user names. MISP's export
//! of attributes, whose rows say in `type` what their `value` is, is one of them.

use super::intake::Intake;
use crate::build::Saying;
use crate::error::{Error, Why};
use hashloom_digest::{Algorithm, Digest, find, of_bits};
use hashloom_manifest::format::{self, Fields, Lines, Malformed};
use std::io::Read;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// Digests of this algorithm.
    Of(&'static Algorithm),
    /// Digests whose algorithm their length tells.
    Any,
    /// What the value is, in MISP's words.
    Type,
    /// What the type says.
    Value,
    Size,
    Other,
}

/// Whether the first line is a header with digests that only this module reads.
pub(super) fn is_header(first: &[u8]) -> bool {
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let mut fields = Fields::default();
    fields.split(line);
    let columns = columns(&fields, None);
    // hashloom's own CSV has a path, and manifests of other programs are told by their own headers. Other tables
    // with commas are read here, where a column can be asked for.
    let own = fields.iter().any(|name| name == b"path");
    let taken = format::sniff(first).is_some_and(|format| match format.name {
        "plain" | "sums" => false,
        "csv" => own,
        _ => true,
    });
    !taken && line.contains(&b',') && has_digests(&columns)
}

pub(super) fn import(stream: Box<dyn Read + '_>, intake: &mut Intake<'_>) -> Result<(), Error> {
    intake.format("csv");
    let (mut lines, mut fields) = (Lines::new(stream), Fields::default());
    let detail = intake.number(&intake.detail());
    let mut header: Option<Vec<Column>> = None;
    while let Some(line) = lines.next_quoted() {
        let (number, line) = match line {
            Ok(line) => line,
            Err(malformed) => {
                intake.malformed(malformed)?;
                continue;
            }
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        fields.split(line);
        let Some(columns) = &header else {
            header = Some(self::header(&fields, intake)?);
            continue;
        };
        match row(&fields, columns, intake.algorithm) {
            Ok(row) if row.digests.is_empty() => intake.skip(),
            Ok(row) => {
                let digests = row.digests.iter().map(|(algorithm, digest)| (*algorithm, digest.as_bytes()));
                intake.record(digests, Saying { detail, size: row.size })?;
            }
            Err((part, why)) => intake.malformed(Malformed { line: number, part, why })?,
        }
    }
    Ok(())
}

fn header(fields: &Fields, intake: &Intake<'_>) -> Result<Vec<Column>, Error> {
    let columns = columns(fields, intake.column.as_deref());
    let missing =
        || Why::Column { table: "the header", column: intake.column.clone().unwrap_or("sha256".into()) };
    has_digests(&columns).then_some(columns).ok_or_else(|| Error::new(&intake.path, missing()))
}

fn has_digests(columns: &[Column]) -> bool {
    let typed = columns.contains(&Column::Type) && columns.contains(&Column::Value);
    typed || columns.iter().any(|column| matches!(column, Column::Of(_) | Column::Any))
}

fn columns(fields: &Fields, wanted: Option<&str>) -> Vec<Column> {
    let names = fields.iter().map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase());
    names.map(|name| column(&name, wanted.map(str::to_ascii_lowercase).as_deref())).collect()
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

/// The algorithm that a column's name means: `md5`, `md5_hash`, `SHA256 Hash`, `hash_sha1`, `file.sha1`.
fn algorithm(name: &str) -> Option<&'static Algorithm> {
    let words = [" ", "_", ".", "-"].iter().fold(name.to_string(), |name, gap| name.replace(gap, "|"));
    let extra = |word: &str| matches!(word, "hash" | "digest" | "sum" | "checksum" | "file");
    let kept: Vec<&str> = words.split('|').filter(|word| !extra(word)).collect();
    find(&kept.join("-")).or_else(|_| find(&kept.concat())).ok()
}

#[derive(Default)]
struct Row {
    digests: Vec<(&'static Algorithm, Digest)>,
    size: Option<u64>,
}

type Bad = (&'static str, format::Why);

fn row(fields: &Fields, columns: &[Column], forced: Option<&'static Algorithm>) -> Result<Row, Bad> {
    if fields.len() != columns.len() {
        let (found, expected) = (fields.len(), columns.len());
        return Err(("fields", format::Why::Fields { found, expected }));
    }
    let mut row = Row::default();
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
            Column::Value => row.digests.extend(typed(kind.map(|(kind, _)| kind), field)?),
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

/// The digest of a MISP attribute: of type `sha256`, or `filename|sha256`; other types have none.
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
        assert!(is_header(b"name,MD5,comment\nx,900150983cd24fb0d6963f7d28e17f72,y\n"));
        assert!(is_header(b"\"uuid\",\"type\",\"value\"\n"));
        assert!(!is_header(b"path,size,md5\n"));
        assert!(!is_header(b"900150983cd24fb0d6963f7d28e17f72\n"));
        assert!(!is_header(b"md5\n"));
    }
}
