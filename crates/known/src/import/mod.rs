//! Imports: files become digests. Each input is recognised by its content and read once. What can't be understood
//! is reported.

mod checksum;
mod csv;
mod intake;
mod left_out;
mod list;
mod nsrl_text;
#[cfg(feature = "sqlite")]
mod rds;
mod shared_file;
mod zip;

use crate::build::{BuildOptions, Builder};
use crate::error::{Error, Why};
use crate::{About, Category};
use hashloom_digest::Algorithm;
use hashloom_manifest::format::{self, Hint, Malformed, SNIFFED};
use intake::Intake;
pub use left_out::LeftOutReason;
use shared_file::SharedFile;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// A file to import.
#[derive(Debug, Clone)]
pub struct Input {
    /// Where it lies.
    pub path: PathBuf,
    /// What its digests are.
    pub category: Category,
    /// The set's name; without one, what the file says of itself, or its name.
    pub set: Option<Box<str>>,
    /// For tables: the column that has the digests. Without it, every column that is named after an algorithm.
    pub column: Option<Box<str>>,
    /// The algorithm of digests that the file names none for. Without it, what the file's name says, or the
    /// likeliest of their length.
    pub algorithm: Option<&'static Algorithm>,
}

impl Input {
    /// A file whose digests are all of this category.
    pub fn new(path: &Path, category: Category) -> Self {
        Input { path: path.to_path_buf(), category, set: None, column: None, algorithm: None }
    }
}

/// What happens to lines that can't be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// They are reported and counted; the rest is imported.
    #[default]
    Lenient,
    /// The first one ends the build.
    Strict,
}

/// What a user should know about an input.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// A line was left out.
    Malformed(Malformed),
    /// The file matches a published checksum.
    Verified {
        /// Where the checksum stands.
        stated_in: PathBuf,
        /// The algorithm.
        algorithm: &'static str,
    },
    /// A database can't be read inside its archive: this many bytes are unpacked beside the output.
    Unpacking(u64),
    /// A member of an archive was left out.
    LeftOut {
        /// Its name.
        member: Box<str>,
        /// Why not.
        why: LeftOutReason,
    },
    /// An archive has several members of one name; only the last can be read.
    Hidden,
    /// Columns of a table look like digests, but were left out.
    Columns(Vec<Box<str>>),
}

/// Receives notices, each with the file that it is about.
pub type Notices<'a> = &'a mut dyn FnMut(&Path, Notice);

/// Builds an index from files.
///
/// Deltas of the RDS (`.sql`) change the database that stands before them among the inputs.
///
/// # Errors
/// If an input can't be used, if a line is malformed and lines are strict, or if the index can't be written. Then
/// an older index of that name is unchanged, and no partial file is left.
pub fn build(
    target: &Path,
    inputs: &[Input],
    options: &BuildOptions,
    strictness: Strictness,
    notices: Notices<'_>,
) -> Result<About, Error> {
    let mut builder = Builder::new(target, options.clone());
    let mut left = inputs;
    while let Some((input, rest)) = left.split_first() {
        let deltas = rest.iter().take_while(|input| is_delta(&input.path)).count();
        let (deltas, rest) = rest.split_at(deltas);
        let mut intake = Intake::new(&mut builder, input, strictness, notices);
        deltas.iter().try_for_each(|delta| report_left_out(&delta.path, &mut intake))?;
        file(&mut intake, deltas)?;
        intake.finish();
        left = rest;
    }
    builder.finish()
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Sqlite,
    Zip,
    Delta,
    NsrlText,
    Csv,
    List,
}

/// Recognises a file by its first bytes; `column` says that the user named a column of it.
fn recognise(first: &[u8], column: Option<&str>) -> Content {
    match first {
        _ if first.starts_with(b"SQLite format 3\0") => Content::Sqlite,
        _ if first.starts_with(b"PK\x03\x04") || first.starts_with(b"PK\x05\x06") => Content::Zip,
        _ if column.is_some() => Content::Csv,
        _ if nsrl_text::is_header(first) => Content::NsrlText,
        _ if is_sql(first) => Content::Delta,
        _ if csv::is_table(first) => Content::Csv,
        _ => Content::List,
    }
}

/// Whether a text starts with a statement of SQL, after comments.
fn is_sql(first: &[u8]) -> bool {
    let lines = first.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let statement = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b"--"));
    let word = statement.unwrap_or_default().split(|byte| !byte.is_ascii_alphabetic()).next();
    let words: [&[u8]; 6] = [b"BEGIN", b"INSERT", b"UPDATE", b"DELETE", b"PRAGMA", b"REPLACE"];
    words.iter().any(|known| word.is_some_and(|word| word.eq_ignore_ascii_case(known)))
}

fn is_delta(path: &Path) -> bool {
    // A pipe can be read only once: not here.
    if !path.is_file() {
        return false;
    }
    let Ok(file) = File::open(path).map(SharedFile::new) else { return false };
    match content(&file) {
        Ok(Content::Delta) => true,
        Ok(Content::Zip) => zip::is_delta(path, &file),
        _ => false,
    }
}

fn content(file: &SharedFile) -> std::io::Result<Content> {
    beginning(Box::new(file.again())).map(|(first, _)| recognise(&first, None))
}

/// Reports the members of a delta's archive that are left out.
fn report_left_out(path: &Path, intake: &mut Intake<'_>) -> Result<(), Error> {
    let file = SharedFile::new(File::open(path).map_err(Error::io(path, "open"))?);
    match content(&file).map_err(Error::io(path, "read"))? {
        Content::Zip => zip::report_left_out(path, &file, intake),
        _ => Ok(()),
    }
}

/// The first bytes of a stream, and the stream from its start.
fn beginning<'a>(mut input: Box<dyn Read + 'a>) -> std::io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    let mut first = Vec::new();
    (&mut input).take(SNIFFED as u64).read_to_end(&mut first)?;
    Ok((first.clone(), Box::new(Cursor::new(first).chain(input))))
}

/// Imports a file; if it is a database, with its deltas applied.
fn file(intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    let path = intake.path.clone();
    let file = File::open(&path).map_err(Error::io(&path, "open"))?;
    // A pipe can be read only once.
    if !file.metadata().map_err(Error::io(&path, "open"))?.is_file() {
        let (first, stream) = beginning(Box::new(file)).map_err(Error::io(&path, "read"))?;
        intake.take_name(&path);
        return text(recognise(&first, intake.column.as_deref()), stream, intake, Some(&path));
    }
    let file = SharedFile::new(file);
    checksum::verify(&path, file.again(), intake)?;
    let (first, stream) = beginning(Box::new(file.again())).map_err(Error::io(&path, "read"))?;
    match recognise(&first, intake.column.as_deref()) {
        Content::Sqlite => match format::open_path(&path, Hint::None) {
            Ok(manifest) if deltas.is_empty() => {
                intake.take_name(&path);
                list::import_opened(manifest, intake)
            }
            _ => database(&file, intake, deltas),
        },
        Content::Zip => zip::import(&file, intake, deltas),
        content => {
            intake.take_name(&path);
            text(content, stream, intake, Some(&path))
        }
    }
}

#[cfg(feature = "sqlite")]
fn database(file: &SharedFile, intake: &mut Intake<'_>, deltas: &[Input]) -> Result<(), Error> {
    rds::import_file(&intake.path.clone(), file, intake, deltas)
}

#[cfg(not(feature = "sqlite"))]
fn database(_: &SharedFile, intake: &mut Intake<'_>, _: &[Input]) -> Result<(), Error> {
    Err(Error::new(&intake.path, Why::Feature("sqlite")))
}

/// Imports a stream that is not a database. `path` is its file, if it has one: its tables lie beside it.
fn text(
    content: Content,
    stream: Box<dyn Read + '_>,
    intake: &mut Intake<'_>,
    path: Option<&Path>,
) -> Result<(), Error> {
    match content {
        Content::NsrlText => {
            let tables = path.map(|path| nsrl_text::Tables::beside(path, intake)).transpose()?;
            nsrl_text::import(stream, tables.unwrap_or_default(), intake)
        }
        Content::Csv => csv::import(stream, intake),
        Content::Delta => Err(Error::new(&intake.path, Why::LoneDelta)),
        Content::List | Content::Sqlite | Content::Zip => {
            let name = path.unwrap_or(&intake.path).as_os_str().as_encoded_bytes();
            let hint = intake.algorithm.map_or_else(|| Hint::from_name(name), Hint::Forced);
            list::import(stream, hint, intake)
        }
    }
}
