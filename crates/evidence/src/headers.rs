//! Checksums in listings and headers of the providers.

use crate::evidence::{Evidence, Trust};
use hashmill_manifest::Named;
use hashmill_manifest::stored::{CHECKSUMS, azure, crc64_azure, google, of_base64};

/// Digests of RFC 9530 and RFC 3230 headers, strongest first.
const HTTP: [(&str, &str); 6] = [
    ("sha-512", "sha512"),
    ("sha-256", "sha256"),
    ("sha", "sha1"),
    ("md5", "md5"),
    ("crc32c", "crc32c"),
    ("adler32", "adler32"),
];

/// Takes a field of a listing, or a header with its name in lower case.
pub(crate) fn take(evidence: &mut Evidence, name: &str, text: &str) {
    match name {
        "md5Hash" | "crc32c" => evidence.computed(google(name, text)),
        "x-goog-hash" => hashes(text).for_each(|(name, text)| evidence.computed(google(name, text))),
        "Content-MD5" | "content-md5" | "x-ms-blob-content-md5" | "x-amz-meta-md5chksum" => {
            evidence.declared(azure(text));
        }
        "x-ms-content-crc64" | "Content-CRC64" => evidence.computed(crc64_azure(text)),
        "x-amz-server-side-encryption" => {
            evidence.trust(if text == "AES256" { Trust::Plain } else { Trust::Sealed });
        }
        "repr-digest" | "digest" => http(text).for_each(|named| evidence.declared(Some(named))),
        _ => {
            let row = name.strip_prefix("x-amz-checksum-");
            if let Some(row) = row.and_then(|name| CHECKSUMS.iter().find(|row| row.name == name)) {
                evidence.checksum(row, text);
            }
        }
    }
}

/// `crc32c=n03x6A==,md5=Ojk9c3dhfxgoKVVHYwFbHQ==`
fn hashes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(',').filter_map(|pair| pair.trim().split_once('='))
}

/// `sha-256=:base64:, md5=:base64:` of RFC 9530, or the same without colons of RFC 3230.
fn http(text: &str) -> impl Iterator<Item = Named> {
    hashes(text).filter_map(|(name, digest)| {
        let (_, algorithm) = HTTP.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        of_base64(algorithm, digest.trim_matches(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str, text: &str) -> (Vec<String>, Vec<String>) {
        let mut evidence = Evidence::of_size(3);
        take(&mut evidence, name, text);
        let shown = |all: &[Named]| {
            all.iter().map(|named| format!("{} {}", named.algorithm.name, named.digest)).collect()
        };
        (shown(&evidence.digests), shown(&evidence.declared))
    }

    #[test]
    fn headers_name_digests_that_were_computed_or_declared() {
        let md5 = "md5 900150983cd24fb0d6963f7d28e17f72".to_string();
        let crc = "crc32c 364b2722".to_string();
        let text = "crc32c=NksnIg==,md5=kAFQmDzST7DWlj99KOF/cg==";
        assert_eq!(names("x-goog-hash", text), (vec![crc, md5.clone()], vec![]));
        for name in ["content-md5", "x-ms-blob-content-md5", "x-amz-meta-md5chksum"] {
            assert_eq!(names(name, "kAFQmDzST7DWlj99KOF/cg=="), (vec![], vec![md5.clone()]), "{name}");
        }
        let both = "md5=:kAFQmDzST7DWlj99KOF/cg==:, unixsum=:AA==:";
        assert_eq!(names("repr-digest", both), (vec![], vec![md5.clone()]));
        assert_eq!(names("digest", "MD5=kAFQmDzST7DWlj99KOF/cg=="), (vec![], vec![md5]));
        assert_eq!(names("digest", "MD5=x"), (vec![], vec![]));
    }
}
