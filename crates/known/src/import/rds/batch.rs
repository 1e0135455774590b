//! Decoded rows of `FILE`, from a reading thread to the importing one. Rows of one file are joined.
//!
//! An RDS has a row for each package that contains a file: six on average. In an index of the table they are adjacent,
//! so most rows are joined here.

use super::products::Packages;
use super::record::Value;
use crate::build::DetailNumber;
use hashmill_digest::{Algorithm, Digest};
use hashmill_manifest::format::{self, Malformed};

/// The digests that an RDS has, by column. Its CRC-32 is too short for exact answers.
pub(super) const DIGESTS: [&str; 3] = ["sha256", "sha1", "md5"];

/// The total size in bytes of the digests of a row: SHA-256, SHA-1, MD5.
const BYTES: usize = 32 + 20 + 16;

/// The number of files in a batch if rows arrive one by one.
const FULL: usize = 4096;

/// The positions of the values to import, in the rows of a tree.
pub(super) struct ValuePositions {
    pub digests: Vec<(&'static Algorithm, usize)>,
    pub size: Option<usize>,
    pub package: Option<usize>,
}

/// A file, from one row or from several that differ only in the package.
pub(super) struct RdsFile {
    digests: [u8; BYTES],
    /// The length of each digest in bytes; 0 if the row has none.
    lengths: [u8; DIGESTS.len()],
    pub size: Option<u64>,
    /// The number of rows.
    pub rows: u64,
    /// The end of its details among those of the batch. They start at the end of the previous file's.
    end: usize,
}

/// Files from adjacent rows.
#[derive(Default)]
pub(super) struct Batch {
    files: Vec<RdsFile>,
    details: Vec<DetailNumber>,
    /// The digests of the last file in hexadecimal.
    texts: Vec<u8>,
    pub malformed: Vec<Malformed>,
}

impl Batch {
    /// Adds a row with its number and values.
    #[inline]
    pub fn row(&mut self, wanted: &ValuePositions, packages: &Packages, number: i64, values: &[Value<'_>]) {
        let mut texts = [&b""[..]; DIGESTS.len()];
        for (text, (_, place)) in texts.iter_mut().zip(&wanted.digests) {
            if let Some(Value::Text(value)) = values.get(*place) {
                *text = value;
            }
        }
        let integer = |place: Option<usize>| values.get(place?).and_then(Value::integer);
        let size = integer(wanted.size).and_then(|size| u64::try_from(size).ok());
        let detail = packages.number(integer(wanted.package));
        if self.is_last(&texts, size) {
            return self.again(detail);
        }
        match decode(wanted, &texts) {
            Ok((digests, lengths)) => {
                self.texts.clear();
                texts.iter().for_each(|text| self.texts.extend_from_slice(text));
                self.details.push(detail);
                self.files.push(RdsFile { digests, lengths, size, rows: 1, end: self.details.len() });
            }
            Err((part, why)) => {
                self.malformed.push(Malformed { line: number.unsigned_abs(), part, why });
            }
        }
    }

    /// Returns whether the last file has these digests and this size.
    #[inline]
    fn is_last(&self, texts: &[&[u8]; DIGESTS.len()], size: Option<u64>) -> bool {
        let Some(last) = self.files.last().filter(|last| last.size == size) else { return false };
        let mut at = 0;
        texts.iter().zip(last.lengths).all(|(text, length)| {
            let start = at;
            at += 2 * usize::from(length);
            **text == self.texts[start..at]
        })
    }

    /// Adds another row of the last file.
    #[inline]
    fn again(&mut self, detail: DetailNumber) {
        // A package has a row for each name of a file.
        if self.details.last() != Some(&detail) {
            self.details.push(detail);
        }
        if let Some(last) = self.files.last_mut() {
            last.rows += 1;
            last.end = self.details.len();
        }
    }

    /// Returns whether it has enough files, if rows arrive one by one.
    pub fn is_full(&self) -> bool {
        self.files.len() >= FULL || self.malformed.len() >= FULL
    }

    /// Returns the files, each with the details of its packages.
    pub fn files(&self) -> impl Iterator<Item = (&RdsFile, &[DetailNumber])> {
        let mut start = 0;
        self.files.iter().map(move |file| {
            let details = &self.details[start..file.end];
            start = file.end;
            (file, details)
        })
    }
}

impl RdsFile {
    /// Returns its digests, with the algorithms of `wanted`.
    pub fn digests<'a>(
        &'a self,
        wanted: &'a ValuePositions,
    ) -> impl Iterator<Item = (&'static Algorithm, &'a [u8])> {
        let mut at = 0;
        let digests = wanted.digests.iter().zip(self.lengths).map(move |((algorithm, _), length)| {
            let start = at;
            at += usize::from(length);
            (*algorithm, &self.digests[start..at])
        });
        digests.filter(|(_, digest)| !digest.is_empty())
    }
}

/// The concatenated digests of a row, and the length of each.
type Decoded = ([u8; BYTES], [u8; DIGESTS.len()]);

fn decode(
    wanted: &ValuePositions,
    texts: &[&[u8]; DIGESTS.len()],
) -> Result<Decoded, (&'static str, format::Why)> {
    let (mut digests, mut lengths, mut at) = ([0; BYTES], [0; DIGESTS.len()], 0);
    for ((text, (algorithm, _)), length) in texts.iter().zip(&wanted.digests).zip(&mut lengths) {
        if text.is_empty() {
            continue;
        }
        if text.len() != algorithm.bits as usize / 4 {
            return Err((algorithm.name, format::Why::Length { algorithm, digits: text.len() }));
        }
        let digest = Digest::from_hex(text).map_err(|why| (algorithm.name, format::Why::Digest(why)))?;
        let bytes = digest.as_bytes();
        digests[at..at + bytes.len()].copy_from_slice(bytes);
        *length = bytes.len() as u8;
        at += bytes.len();
    }
    Ok((digests, lengths))
}
