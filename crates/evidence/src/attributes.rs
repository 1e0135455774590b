//! The answer to GetObjectAttributes.
//!
//! Source: Amazon S3 API Reference, "GetObjectAttributes".

use crate::evidence::Evidence;
use hashmill_manifest::stored::CHECKSUMS;
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Attributes {
    checksum: Option<Checksums>,
    object_parts: Option<Parts>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Parts {
    #[serde(default)]
    is_truncated: bool,
    next_part_number_marker: Option<u32>,
    #[serde(default)]
    part: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Part {
    part_number: u32,
    size: u64,
}

/// The checksums by their keys, and `ChecksumType`.
type Checksums = HashMap<String, String>;

/// Takes the checksums of the whole object and the lengths of parts. Checksums of parts carry no part count here; HEAD
/// has them. Returns the part after which the list continues, if it is truncated.
pub(crate) fn take(evidence: &mut Evidence, body: &[u8]) -> Option<u32> {
    let found: Attributes = quick_xml::de::from_str(str::from_utf8(body).ok()?).ok()?;
    if let Some(sums) = found.checksum {
        checksums(evidence, &sums, found.object_parts.is_some());
    }
    let parts = found.object_parts?;
    parts.part.iter().for_each(|part| evidence.length_of(part.part_number, part.size));
    parts.next_part_number_marker.filter(|_| parts.is_truncated)
}

fn checksums(evidence: &mut Evidence, sums: &Checksums, has_parts: bool) {
    let whole = match sums.get("ChecksumType").map(String::as_str) {
        Some(kind) => kind == "FULL_OBJECT",
        None => !has_parts && evidence.parts().is_none_or(|number| number == 1),
    };
    for row in CHECKSUMS.iter().filter(|_| whole) {
        if let Some(text) = sums.get(row.key) {
            evidence.checksum(row, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(body: &str) -> Vec<&'static str> {
        let mut evidence = Evidence::of_size(3);
        take(&mut evidence, body.as_bytes());
        evidence.digests.iter().map(|named| named.algorithm.name).collect()
    }

    #[test]
    fn checksums_of_whole_objects_are_taken() {
        let answer = |inside: &str, after: &str| {
            format!(
                "<?xml version=\"1.0\"?><GetObjectAttributesResponse xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
                 <Checksum>{inside}</Checksum>{after}<ObjectSize>3</ObjectSize></GetObjectAttributesResponse>"
            )
        };
        let crc = "<ChecksumCRC64NVME>rosUhgp5mIg=</ChecksumCRC64NVME>";
        let kind = |kind: &str| format!("{crc}<ChecksumType>{kind}</ChecksumType>");
        let parts = "<ObjectParts><PartsCount>2</PartsCount></ObjectParts>";
        assert_eq!(names(&answer(&kind("FULL_OBJECT"), parts)), ["crc64nvme"]);
        assert_eq!(names(&answer(crc, "")), ["crc64nvme"]);
        // XXH64 of no bytes, and XXH3 of none.
        let xxh = "<ChecksumXXHASH64>70bbN1HY6Zk=</ChecksumXXHASH64><ChecksumXXHASH3>LQaABTjTlMI=</ChecksumXXHASH3>";
        assert_eq!(names(&answer(xxh, "")), ["xxh3", "xxh64"]);
        assert!(names(&answer(&kind("COMPOSITE"), parts)).is_empty());
        assert!(names(&answer(crc, parts)).is_empty());
        assert!(names("<Error/>").is_empty() && names("").is_empty());
    }

    #[test]
    fn lists_of_parts_go_on() {
        let answer = |parts: &str| {
            let mut evidence = Evidence::of_size(3);
            let body = format!("<R><ObjectParts>{parts}</ObjectParts></R>");
            take(&mut evidence, body.as_bytes())
        };
        let part = "<Part><PartNumber>2</PartNumber><Size>5</Size></Part>";
        let marker = "<NextPartNumberMarker>2</NextPartNumberMarker>";
        assert_eq!(answer(&format!("{part}<IsTruncated>true</IsTruncated>{marker}{part}")), Some(2));
        assert_eq!(answer(&format!("<IsTruncated>false</IsTruncated>{marker}{part}")), None);
        assert_eq!(answer("<PartsCount>2</PartsCount>"), None);
    }
}
