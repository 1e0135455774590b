//! Imports the rows of `FILE`. Rows of one file are joined.
//!
//! An RDS has a row for each package that contains a file: six on average. In the index for its key they are adjacent,
//! so most rows are joined here.

use super::products::Packages;
use crate::build::{Annotation, DetailNumber};
use crate::error::{Error, Why};
use crate::import::intake::Intake;
use hashmill_digest::{Algorithm, Digest, find};
use hashmill_manifest::format::{self, Malformed};
use rusqlite::types::ValueRef;

/// The digests that an RDS has, by column. Its CRC-32 is too short for exact answers.
const DIGESTS: [&str; 3] = ["sha256", "sha1", "md5"];

const SIZE: &str = "file_size";

/// The column with the package of a file.
const PACKAGE: &str = "package_id";

/// The rows of `FILE` that are being imported.
pub(super) struct Files {
    /// The positions of the values to import.
    digests: Vec<(&'static Algorithm, usize)>,
    size: Option<usize>,
    package: Option<usize>,
    packages: Packages,
    last: RdsFile,
}

/// A file, from one row or from several that differ only in the package.
#[derive(Default)]
struct RdsFile {
    /// Its digests in hexadecimal.
    texts: Vec<Vec<u8>>,
    digests: Vec<(&'static Algorithm, Digest)>,
    size: Option<u64>,
    details: Vec<DetailNumber>,
    /// The number of rows; 0 before the first.
    rows: u64,
}

impl Files {
    pub fn new(columns: &[String], packages: Packages, intake: &Intake<'_>) -> Result<Self, Error> {
        let place = |name: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
        let digest = |name: &&str| Some((find(name).ok()?, place(name)?));
        let digests: Vec<_> = DIGESTS.iter().filter_map(digest).collect();
        if digests.is_empty() {
            let why = Why::Column { table: "FILE", column: DIGESTS[0].into() };
            return Err(Error::new(&intake.path, why));
        }
        let (size, package) = (place(SIZE), place(PACKAGE));
        Ok(Files { digests, size, package, packages, last: RdsFile::default() })
    }

    /// Takes a row with its number and values.
    pub fn take(
        &mut self,
        number: i64,
        values: &[ValueRef<'_>],
        intake: &mut Intake<'_>,
    ) -> Result<(), Error> {
        let texts = self.digests.iter().map(|(_, place)| match values[*place] {
            ValueRef::Text(text) => text,
            _ => b"",
        });
        let size = self.size.and_then(|place| u64::try_from(integer(values[place])?).ok());
        let detail = self.packages.number(self.package.and_then(|place| integer(values[place])));
        let last = &mut self.last;
        if last.rows > 0 && last.size == size && texts.clone().eq(&last.texts) {
            last.rows += 1;
            // A package has a row for each name of a file.
            if last.details.last() != Some(&detail) {
                last.details.push(detail);
            }
            return Ok(());
        }
        let filled = self.digests.iter().zip(texts.clone()).filter(|(_, text)| !text.is_empty());
        match filled.map(|((algorithm, _), text)| digest(algorithm, text)).collect() {
            Ok(digests) => {
                let texts = texts.map(<[u8]>::to_vec).collect();
                let file = RdsFile { texts, digests, size, details: vec![detail], rows: 1 };
                std::mem::replace(&mut self.last, file).import(intake)
            }
            Err((part, why)) => intake.malformed(Malformed { line: number.unsigned_abs(), part, why }),
        }
    }

    /// Imports the last file.
    pub fn finish(self, intake: &mut Intake<'_>) -> Result<(), Error> {
        self.last.import(intake)
    }
}

impl RdsFile {
    fn import(self, intake: &mut Intake<'_>) -> Result<(), Error> {
        let [first, others @ ..] = self.details.as_slice() else { return Ok(()) };
        let detail = if others.is_empty() { *first } else { intake.union(*first, others) };
        let digests = self.digests.iter().map(|(algorithm, digest)| (*algorithm, digest.as_bytes()));
        intake.records(digests, Annotation { detail, size: self.size }, self.rows)
    }
}

/// A part of a row that can't be read, and the reason.
type Bad = (&'static str, format::Why);

fn digest(algorithm: &'static Algorithm, text: &[u8]) -> Result<(&'static Algorithm, Digest), Bad> {
    let digits = text.len();
    if digits != algorithm.bits as usize / 4 {
        return Err((algorithm.name, format::Why::Length { algorithm, digits }));
    }
    let digest = Digest::from_hex(text).map_err(|bad| (algorithm.name, format::Why::Digest(bad)))?;
    Ok((algorithm, digest))
}

/// Returns a value as a number, converting text like SQLite.
fn integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(value) => Some(value),
        ValueRef::Text(text) => str::from_utf8(text).ok()?.trim().parse().ok(),
        _ => None,
    }
}
