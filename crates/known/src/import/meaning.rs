//! The meanings of titles of columns and of keys of objects, by their words.

use hashmill_digest::{Algorithm, find};

/// The meaning of a title or a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Digests of this algorithm.
    Of(&'static Algorithm),
    /// Digests of an algorithm that is told by the kind beside them, or else by their length.
    Any,
    /// The kind of the value beside it: an algorithm, or something else.
    Kind,
    /// A value of the kind beside it.
    Value,
    /// The size of the file.
    Size,
    /// Digests of something else than the content of the file: of its imports, its certificate, its icon.
    NotOfFile,
    Other,
}

/// Words around the name of an algorithm.
const EXTRA: [&str; 15] = [
    "hash",
    "hashes",
    "hashvalue",
    "hashsum",
    "hashwert",
    "filehash",
    "digest",
    "digests",
    "sum",
    "checksum",
    "checksums",
    "prüfsumme",
    "file",
    "value",
    "hex",
];

/// The extra words that alone are no title of digests.
const VAGUE: [&str; 4] = ["sum", "file", "value", "hex"];

const KINDS: [&str; 13] = [
    "type",
    "kind",
    "algorithm",
    "algo",
    "alg",
    "hashtype",
    "hashname",
    "hash type",
    "hash name",
    "hash algorithm",
    "indicator type",
    "ioc type",
    "observable type",
];

const VALUES: [&str; 8] = [
    "value",
    "indicator",
    "indicator value",
    "ioc",
    "ioc value",
    "observable",
    "observable value",
    "content",
];

const SIZES: [&str; 6] = ["size", "filesize", "file size", "size in bytes", "mediasize", "media size"];

/// Words that name digests or identifiers of something else than the content of a file.
const NOT_OF_FILE: [&str; 34] = [
    "imphash",
    "gimphash",
    "imports",
    "pehash",
    "impfuzzy",
    "telfhash",
    "symhash",
    "ssdeep",
    "tlsh",
    "sdhash",
    "authentihash",
    "richpe",
    "rich",
    "vhash",
    "dhash",
    "phash",
    "photodna",
    "ja3",
    "ja3s",
    "ja4",
    "jarm",
    "hassh",
    "section",
    "sections",
    "certificate",
    "certificates",
    "cert",
    "x509",
    "signer",
    "thumbprint",
    "fingerprint",
    "icon",
    "favicon",
    "uuid",
];

/// Returns the lower-case words of a name.
fn words(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_string).collect()
}

impl Meaning {
    pub fn of_name(name: &str) -> Meaning {
        let words = words(name);
        let plain = words.join(" ");
        let all = |list: &[&str]| words.iter().all(|word| list.contains(&&**word));
        match &*plain {
            _ if words.iter().any(|word| NOT_OF_FILE.contains(&&**word)) => Meaning::NotOfFile,
            _ if SIZES.contains(&&*plain) => Meaning::Size,
            _ if KINDS.contains(&&*plain) => Meaning::Kind,
            _ if VALUES.contains(&&*plain) => Meaning::Value,
            _ => match of_words(&words) {
                Some(algorithm) => Meaning::Of(algorithm),
                None if all(&EXTRA) && !all(&VAGUE) => Meaning::Any,
                None => Meaning::Other,
            },
        }
    }

    /// Returns whether digests have this meaning.
    pub fn is_digest(self) -> bool {
        matches!(self, Meaning::Of(_) | Meaning::Any)
    }
}

/// Returns the algorithm that a name refers to: `md5`, `md5_hash`, `SHA256 Hash`, `hash_sha1`, `Hash (MD5)`.
pub(super) fn algorithm(name: &str) -> Option<&'static Algorithm> {
    of_words(&words(name))
}

fn of_words(words: &[String]) -> Option<&'static Algorithm> {
    let kept: Vec<&str> = words.iter().map(|word| &**word).filter(|word| !EXTRA.contains(word)).collect();
    let (apart, together) = (kept.join("-"), kept.concat());
    let bare = || ["hash", "sum", "digest"].iter().find_map(|extra| together.strip_suffix(extra));
    let behind = || together.strip_prefix("hash");
    let found = find(&apart).or_else(|_| find(&together)).ok();
    found.or_else(|| bare().or_else(behind).and_then(|name| find(name).ok()))
}

/// The meaning of a word that tells the kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// A digest of this algorithm, behind the last bar if there are any.
    Of(&'static Algorithm),
    /// Something that is not a digest of a file.
    NotOfFile,
    /// A digest of an algorithm that its length tells.
    Any,
    Unknown,
}

impl ValueKind {
    /// Reads the kinds of MISP (`filename|sha256`), OTX (`FileHash-SHA256`) and others (`sha256_hash`).
    pub fn parse(kind: &str) -> ValueKind {
        let last = kind.rsplit('|').next().unwrap_or(kind);
        // The name of a sample and its MD5.
        let last = if last == "malware-sample" { "md5" } else { last };
        match Meaning::of_name(last) {
            Meaning::Of(algorithm) => ValueKind::Of(algorithm),
            Meaning::NotOfFile => ValueKind::NotOfFile,
            Meaning::Any => ValueKind::Any,
            _ => ValueKind::Unknown,
        }
    }
}

/// Returns the part of a value that a kind is about.
pub(super) fn behind_bar(value: &[u8]) -> &[u8] {
    value.rsplit(|byte| *byte == b'|').next().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_many_forms() {
        for (name, algorithm) in [
            ("md5", "md5"),
            ("md5_hash", "md5"),
            ("sha256 hash", "sha256"),
            ("hash_sha1", "sha1"),
            ("SHA-256", "sha256"),
            ("file.sha1", "sha1"),
            ("sha3-256", "sha3-256"),
            ("MD5 Hash Value", "md5"),
            ("Hash (SHA-1)", "sha1"),
            ("MD5Hash", "md5"),
            ("HashMD5", "md5"),
        ] {
            assert_eq!(Meaning::of_name(name), Meaning::Of(find(algorithm).unwrap()), "{name}");
        }
        for (name, meaning) in [
            ("Hash", Meaning::Any),
            ("hash value", Meaning::Any),
            ("checksum", Meaning::Any),
            ("file", Meaning::Other),
            ("comment", Meaning::Other),
            ("Indicator", Meaning::Value),
            ("Indicator type", Meaning::Kind),
            ("imphash", Meaning::NotOfFile),
            ("certificate_sha1", Meaning::NotOfFile),
            ("FileSize", Meaning::Size),
        ] {
            assert_eq!(Meaning::of_name(name), meaning, "{name}");
        }
    }

    #[test]
    fn kinds_are_those_of_misp_and_otx() {
        let md5 = ValueKind::Of(find("md5").unwrap());
        for (kind, expected) in [
            ("md5", md5),
            ("FileHash-MD5", md5),
            ("filename|md5", md5),
            ("malware-sample", md5),
            ("md5_hash", md5),
            ("imphash", ValueKind::NotOfFile),
            ("x509-fingerprint-md5", ValueKind::NotOfFile),
            ("FileHash-IMPHASH", ValueKind::NotOfFile),
            ("hash", ValueKind::Any),
            ("domain", ValueKind::Unknown),
        ] {
            assert_eq!(ValueKind::parse(kind), expected, "{kind}");
        }
    }
}
