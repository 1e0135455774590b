//! `s3`: the objects of a bucket in the JSON answers of `aws s3api list-objects-v2`, `list-objects` and
//! `list-object-versions`. Only read.
//!
//! An object is a file named by its key. Its ETag is the MD5 of an object uploaded in one piece. The ETag of a
//! multipart upload is a digest of the parts' digests, and the part length is not given: a usual length is assumed if
//! only one of them results in the number of parts. Checksums next to the key, as in `get-object-attributes`, are read
//! as well. Older versions are skipped.
//!
//! Source: Amazon S3 API Reference, "ListObjectsV2", "Object", "Checksum".

use super::elements::Elements;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::values::naming::named_as;
use crate::format::{Foreign, Hint, Reader};
use crate::stored::{CHECKSUMS, Checksum, usual_parts};
use crate::{Named, Record, Status};
use serde_json::Value;
use std::io::Read;

/// The lists of an answer that have no objects in them.
const OTHERS: [&[u8]; 2] = [b"DeleteMarkers", b"CommonPrefixes"];

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    let has = |key: &[u8]| memchr::memmem::find(first, key).is_some();
    let listed = match first.trim_ascii_start().first() {
        Some(b'{') => has(b"\"Contents\"") || has(b"\"Versions\""),
        Some(b'[') => true,
        _ => false,
    };
    listed && has(b"\"Key\"") && has(b"\"ETag\"")
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(Objects { elements: Elements::new(input), ended: false })
}

struct Objects<'a> {
    elements: Elements<'a>,
    ended: bool,
}

impl Iterator for Objects<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.elements.next() {
                Ok(Some(element)) => {
                    let list = element.list.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
                    if OTHERS.contains(&list) {
                        continue;
                    }
                    if let Some(result) = element.value().and_then(|value| object(&value)).transpose() {
                        return Some(result.map_err(|bad| bad.at(element.line)));
                    }
                }
                Ok(None) => {
                    self.ended = true;
                    let rest = self.elements.rest().and_then(|around| rest(&around));
                    return rest.err().map(|bad| Err(bad.at(self.elements.line())));
                }
                Err(bad) => {
                    self.ended = true;
                    return Some(Err(bad.at(self.elements.line())));
                }
            }
        }
        None
    }
}

impl Reader for Objects<'_> {}

/// Checks that the answer is complete: the text around the objects is whole, and announces no further objects.
fn rest(around: &Value) -> Result<(), Bad> {
    let entries = ["Contents", "Versions"].into_iter().filter_map(|list| around.get(list)).chain([around]);
    if entries.filter_map(Value::as_array).flatten().any(|entry| !entry.is_null()) {
        return Err(Bad::new("list", Why::Type));
    }
    let more = around.get("NextToken").is_some_and(|token| !token.is_null())
        || around.get("IsTruncated") == Some(&Value::Bool(true));
    if more { Err(Bad::new("answer", Why::Truncated)) } else { Ok(()) }
}

/// Returns the record of an object; `None` for an older version or a deletion.
fn object(object: &Value) -> Result<Option<Record>, Bad> {
    let key = object.get("Key").ok_or(Bad::new("Key", Why::Missing))?;
    if object.get("IsLatest") == Some(&Value::Bool(false)) {
        return Ok(None);
    }
    let key = key.as_str().filter(|key| !key.is_empty()).ok_or(Bad::new("Key", Why::Missing))?;
    let path: Box<[u8]> = key.as_bytes().into();
    if key.ends_with('/') {
        return Ok(Some(Record { reason: Some("folder".into()), ..Record::bare(path, Status::Unreadable) }));
    }
    let size =
        object.get("Size").map(|size| size.as_u64().ok_or(Bad::new("Size", Why::Number))).transpose()?;
    let mut digests = Vec::new();
    for Checksum { key, whole, parts, .. } in CHECKSUMS {
        let beside = object.get(key).or_else(|| object.get("Checksum")?.get(key));
        if let Some(text) = beside.filter(|text| !text.is_null()) {
            let text = text.as_str().ok_or(Bad::new(key, Why::Type))?;
            digests.extend(digest(text, [whole, parts], size).map_err(|bad| bad.with_file(&path))?);
        }
    }
    let etag = match object.get("ETag") {
        // The other checksums suffice.
        None if !digests.is_empty() => return Ok(Some(Record::hashed(path, size, digests))),
        None => return Err(Bad::new("ETag", Why::Missing)),
        Some(etag) => etag.as_str().ok_or(Bad::new("ETag", Why::Type))?,
    };
    let etag = digest(etag.trim_matches('"'), ["md5", "s3-etag"], size).map_err(|bad| bad.with_file(&path));
    match etag {
        Ok(etag) => digests.extend(etag),
        // The other checksums suffice.
        Err(_) if !digests.is_empty() => {}
        Err(bad) => return Err(bad),
    }
    Ok(Some(Record::hashed(path, size, digests)))
}

/// Parses a digest of an object, or of its parts' digests with their number at the end.
pub(in crate::format) fn digest(
    text: &str,
    [whole, parts]: [&'static str; 2],
    size: Option<u64>,
) -> Result<Option<Named>, Bad> {
    let number = text.rsplit_once('-').and_then(|(_, number)| number.parse().ok());
    let name = match (number, size) {
        (None, _) => whole.to_string(),
        (Some(_), _) if parts.is_empty() => return Err(Bad::new("digest", Why::Unrecognised)),
        (Some(number), Some(size)) if let Some(part) = part(size, number) => format!("{parts}:{part}"),
        (Some(_), _) => return Err(Bad::unsupported(UNCLEAR)),
    };
    named_as(&name, text.as_bytes()).map(Some)
}

/// The pseudo-algorithm of a digest with an unknown part length.
const UNCLEAR: Foreign = Foreign::Named { name: "a composite digest with an unknown part length", bits: 160 };

/// Returns the part length, if only one usual length makes `number` parts of `size` bytes.
fn part(size: u64, number: u64) -> Option<u64> {
    let [part] = usual_parts(size, u32::try_from(number).ok()?)[..] else { return None };
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let records = reader(Box::new(text.as_bytes()), Hint::None);
        let shown = records.map(|result| match result {
            Err(malformed) => malformed.to_string(),
            Ok(record) => {
                let digests = record.digests.iter();
                let digests: Vec<_> = digests
                    .map(|named| {
                        format!("{} {}", named.algorithm.name, named.algorithm.format(&named.digest))
                    })
                    .collect();
                let path = String::from_utf8_lossy(&record.path);
                format!(
                    "{path} {:?} {}",
                    record.size,
                    record.reason.as_deref().unwrap_or(&digests.join(", "))
                )
            }
        });
        shown.collect()
    }

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

    #[test]
    fn objects_of_a_bucket_are_read() {
        let text = format!(
            r#"{{
    "Contents": [
        {{ "Key": "a \"b\"/\u00e9", "LastModified": "2026-01-01T00:00:00+00:00", "ETag": "\"{MD5}\"",
           "ChecksumAlgorithm": ["CRC32"], "Size": 3, "StorageClass": "STANDARD", "Owner": {{"ID": "x"}} }},
        {{ "Key": "folder/", "ETag": "\"{MD5}\"", "Size": 0 }},
        {{ "Key": "parts", "ETag": "\"{MD5}-3\"", "Size": 20971520 }},
        {{ "Key": "one part", "ETag": "\"{MD5}-1\"", "Size": 20971520 }},
        {{ "Key": "unclear", "ETag": "\"{MD5}-2\"", "Size": 9437184 }},
        {{ "Key": "sum", "ETag": "\"{MD5}-2\"", "Size": 9437184,
           "Checksum": {{"ChecksumCRC32": "NSRBwg=="}} }}
    ],
    "RequestCharged": null
}}"#
        );
        assert!(sniff(text.as_bytes()));
        let parts = |part: &str| format!("s3-etag:{part} {MD5}");
        assert_eq!(
            read(&text),
            [
                format!("a \"b\"/é Some(3) md5 {MD5}"),
                "folder/ None folder".into(),
                format!("parts Some(20971520) {}-3", parts("8M")),
                format!("one part Some(20971520) {}-1", parts("32M")),
                "line 8: digest: a composite digest with an unknown part length is not supported".into(),
                "sum Some(9437184) crc32 352441c2".into(),
            ]
        );
    }

    #[test]
    fn versions_that_are_not_the_latest_are_left_out() {
        let entry =
            |latest: bool| format!(r#"{{"ETag":"\"{MD5}\"","Key":"a","Size":3,"IsLatest":{latest}}}"#);
        let text = format!(
            r#"{{"Versions":[{},{}],"DeleteMarkers":[{{"Key":"b","IsLatest":true}}]}}"#,
            entry(true),
            entry(false)
        );
        assert!(sniff(text.as_bytes()));
        assert_eq!(read(&text), [format!("a Some(3) md5 {MD5}")]);
    }

    #[test]
    fn what_is_cut_short_is_told() {
        let entry = format!(r#"{{"ETag":"\"{MD5}\"","Key":"a","Size":3}}"#);
        let whole = format!("a Some(3) md5 {MD5}");
        for (text, end) in [
            (format!(r#"{{"Contents":[{entry}],"NextToken":"e30="}}"#), "line 1: answer: cut short"),
            (format!(r#"{{"IsTruncated":true,"Contents":[{entry}]}}"#), "line 1: answer: cut short"),
            (format!(r#"{{"Contents":[{entry},{{"Key"#), "line 1: object: cut short"),
            (format!(r#"{{"Contents":[{entry}]"#), "line 1: document: it ends too early at column 18"),
        ] {
            assert_eq!(read(&text), [whole.clone(), end.to_string()], "{text}");
        }
        assert_eq!(read(&format!("[{entry}, {entry}]")), [whole.clone(), whole]);
        assert_eq!(read(r#"[{"Key":"a","ETag":"x"}]"#).len(), 1);
        assert_eq!(read(r#"[{"Key":"","ETag":"x"}]"#), ["line 1: Key: missing"]);
    }

    #[test]
    fn parts_are_of_the_only_usual_length_that_fits() {
        for (mib, number, wanted) in [
            (20, 3, Some(8)),
            (9, 2, None),
            (12, 2, Some(8)),
            (800, 100, Some(8)),
            (801, 161, Some(5)),
            (30, 2, None),
            (31, 2, Some(16)),
            (3, 1, Some(5)),
            (7, 3, None),
        ] {
            assert_eq!(part(mib << 20, number), wanted.map(|mib: u64| mib << 20), "{mib} {number}");
        }
    }
}
