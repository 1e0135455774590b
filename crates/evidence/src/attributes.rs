//! The answer to GetObjectAttributes.
//!
//! Source: Amazon S3 API Reference, "GetObjectAttributes".

use crate::Evidence;
use hashloom_manifest::stored::CHECKSUMS;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Attributes {
    checksum: Option<Checksums>,
}

#[derive(Deserialize)]
struct Checksums {
    #[serde(rename = "$value", default)]
    all: Vec<Element>,
}

#[derive(Deserialize)]
enum Element {
    ChecksumSHA256(String),
    ChecksumSHA1(String),
    ChecksumCRC64NVME(String),
    ChecksumCRC32C(String),
    ChecksumCRC32(String),
    #[serde(other)]
    Other,
}

impl Element {
    /// The key of the checksum, and what it is.
    fn pair(&self) -> Option<(&'static str, &str)> {
        Some(match self {
            Element::ChecksumSHA256(text) => ("ChecksumSHA256", text),
            Element::ChecksumSHA1(text) => ("ChecksumSHA1", text),
            Element::ChecksumCRC64NVME(text) => ("ChecksumCRC64NVME", text),
            Element::ChecksumCRC32C(text) => ("ChecksumCRC32C", text),
            Element::ChecksumCRC32(text) => ("ChecksumCRC32", text),
            Element::Other => return None,
        })
    }
}

/// Takes the checksums of the whole object; those of parts have no number behind them here, and are left to HEAD.
pub(crate) fn take(evidence: &mut Evidence, body: &[u8]) {
    let Ok(text) = str::from_utf8(body) else { return };
    let Ok(found) = quick_xml::de::from_str::<Attributes>(text) else { return };
    if text.contains("<ChecksumType>COMPOSITE<") || !text.contains("<ChecksumType>") && text.contains("<TotalPartsCount>") {
        return;
    }
    for (key, text) in found.checksum.iter().flat_map(|sums| sums.all.iter().filter_map(Element::pair)) {
        if let Some(row) = CHECKSUMS.iter().find(|row| row.key == key) {
            evidence.checksum(row, text);
        }
    }
}
