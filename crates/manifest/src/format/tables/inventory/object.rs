//! An object of an inventory, built from its fields.

use super::escape::decode;
use super::schema::Column;
use crate::format::json;
use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::number;
use crate::stored::{CHECKSUMS, Etag, azure, crc64_azure, even, google, usual_parts};
use crate::{Named, Record, Status};
use hashmill_digest::Digest;
use serde_json::Value;

#[derive(Default)]
pub(super) struct Object {
    key: Vec<u8>,
    size: Option<u64>,
    etag: Option<Etag>,
    version: Option<Box<str>>,
    /// The ETag is not a digest of the content.
    sealed: bool,
    /// It is an old version or deleted.
    past: bool,
    folder: bool,
    digests: Vec<Named>,
    /// Digests that the uploader declared.
    declared: Vec<Named>,
    /// Why a task failed or its result can't be used, in a few words.
    failed: Option<&'static str>,
}

impl Object {
    pub fn take(&mut self, column: Column, text: &[u8]) -> Result<(), Bad> {
        if text.is_empty() {
            return Ok(());
        }
        match column {
            Column::Key => self.key = text.to_vec(),
            Column::EscapedKey => self.key = decode(text).ok_or(Bad::new("Key", Why::Address))?,
            Column::Size => self.size = Some(number(text).ok_or(Bad::new("Size", Why::Number))?),
            Column::Etag => self.etag = Some(Etag::read(&String::from_utf8_lossy(text))),
            Column::Encryption => self.sealed = is_sealed(text),
            Column::Version if text == b"null" => {}
            Column::Version => self.version = Some(String::from_utf8_lossy(text).into()),
            Column::Latest => self.past |= flag(text)? == Some(false),
            Column::Gone => self.past |= flag(text)? == Some(true),
            Column::Past => self.past = true,
            Column::Folder => self.folder |= flag(text)? == Some(true),
            Column::Google(key) => self.digest(key, google(key, &String::from_utf8_lossy(text)))?,
            Column::AzureMd5 => self.declare("Content-MD5", azure(&String::from_utf8_lossy(text)))?,
            Column::AzureCrc64 => {
                self.digest("Content-CRC64", crc64_azure(&String::from_utf8_lossy(text)))?
            }
            Column::Outcome if text != b"succeeded" => self.failed = Some("failed"),
            Column::Found if self.failed.is_none() => self.found(text)?,
            Column::Outcome | Column::Found | Column::Other => {}
        }
        Ok(())
    }

    fn digest(&mut self, key: &'static str, digest: Option<Named>) -> Result<(), Bad> {
        self.digests.push(digest.ok_or(Bad::new(key, Why::Base64))?);
        Ok(())
    }

    fn declare(&mut self, key: &'static str, digest: Option<Named>) -> Result<(), Bad> {
        self.declared.push(digest.ok_or(Bad::new(key, Why::Base64))?);
        Ok(())
    }

    /// Takes the result of a checksum task.
    fn found(&mut self, text: &[u8]) -> Result<(), Bad> {
        let found = json::parse(text).map_err(|source| Bad::new("ResultMessage", Why::Json(source)))?;
        let word = |key: &str| found.get(key).and_then(Value::as_str);
        let name = word("checksumAlgorithm").ok_or(Bad::new("checksumAlgorithm", Why::Missing))?;
        let row = CHECKSUMS.iter().find(|row| row.name.eq_ignore_ascii_case(name));
        let row = row.ok_or(Bad::new("checksumAlgorithm", Why::Unrecognised))?;
        if word("checksumType").is_some_and(|kind| kind != "FULL_OBJECT") {
            // The length of the parts is unknown.
            self.failed = Some("composite");
            return Ok(());
        }
        let digest = match (word("checksum_base64"), word("checksum_hex")) {
            (Some(text), _) => row.read(text, None),
            (None, Some(text)) => hexadecimal(row.whole, text),
            (None, None) => return Err(Bad::new("checksum_base64", Why::Missing)),
        };
        self.digest("checksum_base64", digest)
    }

    /// Returns the record; `None` for old and deleted versions.
    pub fn finish(mut self) -> Result<Option<Record>, Bad> {
        if self.key.is_empty() {
            return Err(Bad::new("Key", Why::Missing));
        }
        if self.past {
            return Ok(None);
        }
        let path = std::mem::take(&mut self.key).into_boxed_slice();
        if self.folder || path.ends_with(b"/") {
            return Ok(Some(Record { reason: Some("folder".into()), ..Record::bare(path, Status::Skipped) }));
        }
        if let Some(why) = self.failed {
            return Ok(Some(Record {
                size: self.size,
                reason: Some(why.into()),
                ..Record::bare(path, Status::Unreadable)
            }));
        }
        let by_tag = self.by_tag();
        self.digests.extend(by_tag);
        let record = match self.digests.is_empty() {
            true => Record::declared(path, self.size, self.declared),
            // Declared digests add nothing to computed ones.
            false => Record::stored(path, self.size, self.digests),
        };
        Ok(Some(Record { version: self.version, ..record }))
    }

    /// Returns the digest in the ETag, if the part length is known.
    fn by_tag(&self) -> Option<Named> {
        let etag = self.etag.filter(|_| !self.sealed)?;
        let Etag::Parts(_, number) = etag else { return etag.with_part(0) };
        let size = self.size?;
        match usual_parts(size, number)[..] {
            [part] if number == 1 || even(size, part, number) => etag.with_part(part),
            _ => None,
        }
    }
}

/// Returns whether, with this encryption, the ETag is not an MD5.
fn is_sealed(text: &[u8]) -> bool {
    !matches!(text, b"SSE-S3" | b"NOT-SSE")
}

fn flag(text: &[u8]) -> Result<Option<bool>, Bad> {
    match text.to_ascii_lowercase().as_slice() {
        b"true" => Ok(Some(true)),
        b"false" => Ok(Some(false)),
        _ => Err(Bad::new("flag", Why::Type)),
    }
}

fn hexadecimal(algorithm: &str, text: &str) -> Option<Named> {
    let algorithm = hashmill_digest::find(algorithm).ok()?;
    let digest = Digest::from_hex(text.to_ascii_lowercase().as_bytes()).ok()?;
    (digest.bits() == algorithm.bits).then_some(Named { algorithm, digest, guessed: false })
}
