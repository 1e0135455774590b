//! Digests in the notation of stores: base64 without the algorithm's name.

use crate::Named;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_digest::{Digest, Style, find};

/// Parses a base64 digest by the algorithm of this name; returns `None` if the text is no such digest.
pub fn of_base64(algorithm: &str, text: &str) -> Option<Named> {
    let algorithm = find(algorithm).ok()?;
    let bytes = STANDARD.decode(text).ok()?;
    let fits = 8 * bytes.len() == algorithm.bits as usize;
    fits.then(|| Named { algorithm, digest: Digest::new(&bytes), guessed: false })
}

/// Parses a digest of Google Cloud Storage: MD5 or CRC-32C, most significant byte first.
///
/// Source: Cloud Storage, JSON API, "Objects" (`md5Hash`, `crc32c`).
pub fn google(key: &str, text: &str) -> Option<Named> {
    match key {
        "md5" | "md5Hash" => of_base64("md5", text),
        "crc32c" => of_base64("crc32c", text),
        _ => None,
    }
}

/// Parses the `Content-MD5` of a blob.
pub fn azure(text: &str) -> Option<Named> {
    of_base64("md5", text)
}

/// Parses the CRC-64 of a blob, least significant byte first.
pub fn crc64_azure(text: &str) -> Option<Named> {
    let algorithm = find("crc64nvme").ok()?;
    let digest = algorithm.parse_in(Style::Azure, text.as_bytes()).ok()?;
    Some(Named { algorithm, digest, guessed: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_of_stores_are_read() {
        let shown = |named: Option<Named>| named.map(|named| named.digest.to_string());
        let md5 = Some("900150983cd24fb0d6963f7d28e17f72".to_string());
        assert_eq!(shown(google("md5Hash", "kAFQmDzST7DWlj99KOF/cg==")), md5);
        assert_eq!(shown(azure("kAFQmDzST7DWlj99KOF/cg==")), md5);
        assert_eq!(shown(google("crc32c", "4waSgw==")), Some("e3069283".into()));
        // The digest of `123456789`, as S3 and as Azure write it.
        assert_eq!(shown(of_base64("crc64nvme", "rosUhgp5mIg=")), Some("ae8b14860a799888".into()));
        assert_eq!(shown(crc64_azure("iJh5CoYUi64=")), Some("ae8b14860a799888".into()));
        for text in ["", "kAFQ", "kAFQmDzST7DWlj99KOF/cg", "not base64 at all!"] {
            assert_eq!(shown(azure(text)), None, "{text}");
        }
    }
}
