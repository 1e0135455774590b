//! Identifiers that follow from what they identify: UUIDs of version 5 (RFC 9562, section 5.5) of canonical JSON (RFC 8785).

use hashmill_digest::{find, hash};
use serde_json::Value;

/// The namespace of the standard: 00abedb4-aa42-466c-9c01-fed23315a9b7.
const NAMESPACE: [u8; 16] =
    [0x00, 0xab, 0xed, 0xb4, 0xaa, 0x42, 0x46, 0x6c, 0x9c, 0x01, 0xfe, 0xd2, 0x33, 0x15, 0xa9, 0xb7];

/// The digests of which one contributes to an identifier: the first of these that there is, else the first of all.
const FIRST: [&str; 4] = ["MD5", "SHA-1", "SHA-256", "SHA-512"];

/// Returns the identifier of a bundle, whose version is that of random ones: nothing follows from it.
pub(super) fn of_bundle(made: &str) -> String {
    let mut id = format!("bundle--{}", uuid(made.as_bytes()));
    id.replace_range(22..23, "4");
    id
}

/// Returns the identifier of a folder.
pub(super) fn of_folder(path: &str) -> String {
    // An object's keys are sorted, and nothing but names is escaped, so this is canonical.
    format!("directory--{}", uuid(format!("{{\"path\":{}}}", Value::from(path)).as_bytes()))
}

/// Returns the identifier of a file with these digests (algorithm and text), in the folder of this identifier.
pub(super) fn of_file(hashes: &[(&str, String)], name: &str, folder: Option<&str>) -> String {
    let of = |wanted: &&str| hashes.iter().find(|(algorithm, _)| algorithm == wanted);
    let hash = FIRST.iter().find_map(of).or(hashes.first());
    let hash = hash.map(|(algorithm, text)| format!("\"hashes\":{{\"{algorithm}\":\"{text}\"}},"));
    let folder = folder.map(|id| format!(",\"parent_directory_ref\":\"{id}\""));
    let (hash, folder) = (hash.unwrap_or_default(), folder.unwrap_or_default());
    format!("file--{}", uuid(format!("{{{hash}\"name\":{}{folder}}}", Value::from(name)).as_bytes()))
}

/// Returns the UUID of a name in the namespace of the standard.
fn uuid(name: &[u8]) -> String {
    let hex =
        find("sha1").map(|sha1| hash(sha1, &[&NAMESPACE, name].concat()).to_string()).unwrap_or_default();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    // The two highest bits of a digit are the variant.
    let digit = u8::from_str_radix(part(16, 17), 16).unwrap_or_default();
    let variant = 8 + digit % 4;
    format!("{}-{}-5{}-{variant:x}{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of the library stix2 3.0.2.
    #[test]
    fn identifiers_are_those_of_the_reference() {
        assert_eq!(of_bundle("made").split('-').nth(4).map(|part| &part[..1]), Some("4"));
        assert_eq!(of_folder("a/b"), "directory--5a57c134-31f3-5ca0-81c8-6351321bf2f8");
        let folder = of_folder("a/b");
        let hashes = [("SHA-256", "aa".repeat(32)), ("MD5", "bb".repeat(16))];
        assert_eq!(
            of_file(&hashes, "c\"é\u{1}\n.txt", Some(&folder)),
            "file--e026622d-1266-54cf-ab42-23dc79059b06"
        );
        assert_eq!(of_file(&hashes[..1], "c", None), "file--1b2224cb-b1fb-5a46-aea9-3b4fe543956c");
        assert_eq!(
            of_file(&[("SHA3-256", "cc".repeat(32))], "c", None),
            "file--2aa2b4a5-77f3-510b-800f-fb3cce0c9a70"
        );
    }
}
