//! Manifests of inventories: JSON that names files, whose MD5 or length is checked before anything in them is used.

use super::lookup;
use super::schema::{Column, Origin, REPORT};
use super::table;
use super::table::InventoryTable;
use crate::Record;
use crate::format::json;
use crate::format::malformed::{Bad, Cause, Malformed, Why};
use crate::format::{Hint, NamedFiles, Reader, Unusable, whole};
use flate2::read::MultiGzDecoder;
use hashmill_digest::{StreamPart, find};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The error for a manifest in a stream, whose files can't be found.
const NOWHERE: &str = "it was read from a stream, so the files that it names can't be found (copy them and the manifest into a folder)";

/// The maximum number of bytes of a manifest, enough for a million files.
const MAX_MANIFEST: u64 = 256 << 20;

/// Returns whether a file is the manifest of an inventory or of a completion report.
pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let has = |key: &[u8]| memchr::memmem::find(first, key).is_some();
    let object = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start().starts_with(b"{");
    object
        && (has(b"\"sourceBucket\"") && has(b"\"fileFormat\"")
            || has(b"\"Report_CSV_20180820\"") && has(b"\"Results\"")
            || has(b"\"report_shards_file_names\"")
            || has(b"\"ruleDefinition\"") && has(b"\"inventoryCompletionTime\""))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    open(input, &NamedFiles::Nowhere).unwrap_or_else(whole::failed)
}

/// Opens the files that a manifest names.
///
/// # Errors
/// If it is no such manifest, or a file is missing or does not match the manifest.
pub(in crate::format) fn open(
    input: Box<dyn Read + '_>,
    files: &NamedFiles<'_>,
) -> Result<Box<dyn Reader>, Unusable> {
    let mut text = Vec::new();
    input.take(MAX_MANIFEST).read_to_end(&mut text).map_err(Unusable::Io)?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let manifest = json::parse(text).map_err(|source| unusable(source.into()))?;
    let named = named(&manifest).map_err(|why| unusable(why.into()))?;
    let (folder, verified) = match *files {
        NamedFiles::Below(folder) => (folder, false),
        NamedFiles::Verified(folder) => (folder, true),
        NamedFiles::Nowhere => {
            return Err(unusable(NOWHERE.into()));
        }
    };
    let unbound = if verified { unbound(&named.files) } else { None };
    let files = named.files.into_iter().map(|file| file.check(folder)).collect::<Result<Vec<_>, _>>();
    let files = files.map_err(unusable)?.into_iter();
    Ok(Box::new(Inventory { files, form: named.form, verified, unbound, current: None }))
}

/// Returns a note about the files without a checksum in the manifest, if there are any.
fn unbound(files: &[Listed]) -> Option<Malformed> {
    let mut without = files.iter().filter(|file| file.md5.is_none());
    let first = without.next()?.key.as_str().into();
    Some(Bad::new("files", Why::Unbound { files: 1 + without.count(), first }).at(1))
}

fn unusable(source: Cause) -> Unusable {
    Unusable::Foreign { what: "is the manifest of an inventory that can't be used", source }
}

/// The content of a manifest.
struct Named {
    form: Form,
    files: Vec<Listed>,
}

#[derive(Clone)]
enum Form {
    /// Comma-separated values, with these columns.
    Columns(Vec<Column>),
    /// Files with a header or schema of their own.
    Telling,
}

/// A file named by the manifest.
struct Listed {
    key: String,
    size: Option<u64>,
    md5: Option<String>,
}

fn named(manifest: &Value) -> Result<Named, String> {
    if manifest.get("report_shards_file_names").is_some() {
        let file = |name: &Value| Some(Listed { key: name.as_str()?.to_string(), size: None, md5: None });
        let files = all(manifest, "report_shards_file_names", &file)?;
        return Ok(Named { form: Form::Telling, files });
    }
    if manifest.get("ruleDefinition").is_some() {
        return Ok(Named { form: Form::Telling, files: all(manifest, "files", &parser("blob", None))? });
    }
    if manifest.get("Results").is_some() {
        let files = all(manifest, "Results", &parser("Key", Some("MD5Checksum")))?;
        return Ok(Named { form: Form::Columns(REPORT.to_vec()), files });
    }
    let files = all(manifest, "files", &parser("key", Some("MD5checksum")))?;
    let word = |key: &str| manifest.get(key).and_then(Value::as_str).ok_or(format!("it has no {key}"));
    let form = match word("fileFormat")? {
        "CSV" => Form::Columns(columns(word("fileSchema")?)?),
        "Parquet" => Form::Telling,
        other => return Err(format!("its files are {other}, but hashmill only reads CSV and Parquet")),
    };
    Ok(Named { form, files })
}

/// Returns a parser for a manifest's file entries with these keys.
fn parser(key: &'static str, md5: Option<&'static str>) -> impl Fn(&Value) -> Option<Listed> {
    move |file| {
        let key = file.get(key)?.as_str()?.to_string();
        let size = file.get("size").and_then(Value::as_u64);
        let md5 = md5.and_then(|md5| file.get(md5)?.as_str().map(str::to_string));
        Some(Listed { key, size, md5 })
    }
}

fn all(manifest: &Value, key: &str, file: &dyn Fn(&Value) -> Option<Listed>) -> Result<Vec<Listed>, String> {
    let list = manifest.get(key).and_then(Value::as_array).ok_or(format!("it has no list {key}"))?;
    list.iter()
        .map(file)
        .collect::<Option<_>>()
        .ok_or(format!("its list {key} has entries that are not files"))
}

/// Parses the columns of a schema.
fn columns(schema: &str) -> Result<Vec<Column>, String> {
    let columns: Vec<Column> = schema.split(',').map(|name| Origin::S3Csv.column(name.trim())).collect();
    match columns.iter().filter(|column| **column == Column::EscapedKey).count() {
        1 => Ok(columns),
        _ => Err("its fileSchema has no column Key".to_string()),
    }
}

impl Listed {
    /// Finds the file and checks it against the manifest.
    fn check(self, folder: &Path) -> Result<Checked, Cause> {
        let path = lookup::find(folder, &self.key)
            .ok_or_else(|| format!("{}: not found below the manifest's folder or its parents", self.key))?;
        let failed = |source: io::Error| Cause::from(format!("{}: cannot read: {source}", path.display()));
        let mut file = File::open(&path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        if let Some(wanted) = self.size.filter(|wanted| *wanted != size) {
            return Err(
                format!("{}: has {size} bytes, but the manifest says {wanted}", path.display()).into()
            );
        }
        if let Some(wanted) = &self.md5 {
            let found = md5(&mut file, &mut io::sink()).map_err(failed)?;
            if !found.eq_ignore_ascii_case(wanted) {
                return Err(format!(
                    "{}: has the MD5 {found}, but the manifest says {wanted}",
                    path.display()
                )
                .into());
            }
        }
        Ok(Checked { path, md5: self.md5 })
    }
}

/// A file that matched the manifest when it was checked.
struct Checked {
    path: PathBuf,
    md5: Option<String>,
}

impl Checked {
    fn open(&self) -> Result<File, Unusable> {
        File::open(&self.path).map_err(Unusable::Open)
    }

    /// Copies the file into a private temporary file and checks the copy against the manifest.
    fn copy(&self) -> Result<File, Unusable> {
        let mut copy = tempfile::tempfile().map_err(Unusable::Io)?;
        let found = md5(&mut self.open()?, &mut copy).map_err(Unusable::Io)?;
        if self.md5.as_ref().is_some_and(|wanted| !found.eq_ignore_ascii_case(wanted)) {
            return Err(unusable(format!("{}: changed while it was read", self.path.display()).into()));
        }
        copy.rewind().map_err(Unusable::Io)?;
        Ok(copy)
    }
}

/// Computes the MD5 of a file in hexadecimal while copying it.
fn md5(file: &mut File, copy: &mut dyn Write) -> io::Result<String> {
    let algorithm = find("md5").map_err(io::Error::other)?;
    let mut bank = (algorithm.alone)();
    let slot = bank.open();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let read = crate::format::read::lines::read(file, &mut buffer)?;
        copy.write_all(&buffer[..read])?;
        bank.update(&[StreamPart { slot, bytes: &buffer[..read], last: read == 0 }]);
        if read == 0 {
            return Ok(bank.close(slot).to_string());
        }
    }
}

/// The records of all files, one file after the other.
struct Inventory {
    files: std::vec::IntoIter<Checked>,
    form: Form,
    /// Whether the manifest's signature was verified.
    verified: bool,
    /// The files that the signature does not cover.
    unbound: Option<Malformed>,
    current: Option<Box<dyn Reader>>,
}

impl Iterator for Inventory {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(unbound) = self.unbound.take() {
            return Some(Err(unbound));
        }
        loop {
            if let Some(next) = self.current.as_mut().and_then(|current| current.next()) {
                return Some(next);
            }
            let next = self.files.next()?;
            let file = if self.verified { next.copy() } else { next.open() };
            self.current = Some(file.and_then(|file| self.form.open(file)).unwrap_or_else(whole::failed));
        }
    }
}

impl Reader for Inventory {}

impl Form {
    fn open(&self, file: File) -> Result<Box<dyn Reader>, Unusable> {
        let again = file.try_clone().map_err(Unusable::Open)?;
        let (first, input) = crate::format::read::lines::peek(Box::new(file));
        let packed = first.starts_with(b"\x1f\x8b");
        let input: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(input)) } else { input };
        match self {
            Form::Columns(columns) => Ok(Box::new(InventoryTable::with_columns(input, columns.clone()))),
            Form::Telling if first.starts_with(b"PAR1") => parquet(again),
            Form::Telling => telling(input),
        }
    }
}

/// Opens a table with a header.
fn telling(input: Box<dyn Read>) -> Result<Box<dyn Reader>, Unusable> {
    let (first, input) = crate::format::read::lines::peek(input);
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match first.is_empty() || table::is_header(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)) {
        true => Ok(table::headed(input, Hint::None)),
        false => Err(unusable("one of its files has an unknown header".into())),
    }
}

#[cfg(feature = "tables")]
fn parquet(file: File) -> Result<Box<dyn Reader>, Unusable> {
    crate::format::tables::parquet::open_file(file)
}

#[cfg(not(feature = "tables"))]
fn parquet(_: File) -> Result<Box<dyn Reader>, Unusable> {
    Err(unusable("its files are Parquet, which this build does not read (feature tables)".into()))
}
