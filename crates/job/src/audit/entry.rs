//! The machine-readable form of a verdict.

use hashmill_manifest::audit::{Category, Content, Sides, Unjudged, Verdict};
use hashmill_manifest::{Label, Named, Status};
use hashmill_terminal::{path_b64, path_text};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The machine-readable form of a verdict: an element of `entries` in the documents of `audit`, `diff` and `check`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Entry<'a> {
    /// The category's word. For a file that could not be compared: the word of the counter that counts it, or
    /// `not_compared`.
    pub category: &'a str,
    /// The path on this side, as text.
    pub path: String,
    /// The bytes of the path in base64, if they are not valid text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b64: Option<String>,
    /// The path in the manifest, as text.
    pub known_path: Option<String>,
    /// The bytes of the known path in base64, if they are not valid text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_path_b64: Option<String>,
    /// The word of the status of the actual file.
    pub status: Option<&'a str>,
    /// The strength of the evidence of a `matched` file where one side is only stored; for an `unproven` file, how
    /// strong the evidence would be if it matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<&'a str>,
    /// The offset of a piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The length of a piece in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The expected content; absent for `matched` and `new`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<ShownContent<'a>>,
    /// The actual content; absent for `matched` and `missing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<ShownContent<'a>>,
    /// The reason why the file could not be read: the name of a system error (`EACCES`), or `timeout`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// The category according to sets of known digests; `category` is the audit's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_category: Option<&'a str>,
    /// The set that decided `known_category`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_set: Option<&'a str>,
    /// The list that names the file, if several lists are checked separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<&'a str>,
}

/// The machine-readable form of a file's content.
#[derive(Debug, Clone, Serialize)]
pub struct ShownContent<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// The modification time in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    mtime: Option<String>,
    #[serde(skip_serializing_if = "<[Named]>::is_empty", serialize_with = "by_algorithm")]
    digests: &'a [Named],
}

impl<'a> Entry<'a> {
    /// Makes the entry of a verdict, with the label that sets of known digests give the file.
    pub fn from_verdict(verdict: &'a Verdict, label: Option<&'a Label>) -> Entry<'a> {
        Entry {
            status: verdict.status.map(Status::word),
            strength: verdict.strength.map(|strength| strength.word()),
            offset: verdict.piece.map(|piece| piece.offset),
            length: verdict.piece.map(|piece| piece.length),
            known_category: label.map(|label| &*label.category),
            known_set: label.map(|label| &*label.set).filter(|set| !set.is_empty()),
            ..Entry::new(verdict.category.word(), &verdict.path, verdict.known_path.as_deref())
        }
        .with_sides(verdict.sides.as_deref())
    }

    /// Makes the entry of a file that could not be compared.
    pub fn of_unjudged(unjudged: &'a Unjudged) -> Entry<'a> {
        Entry {
            strength: unjudged.why.strength().map(|strength| strength.word()),
            ..Entry::new(unjudged.why.word(), &unjudged.path, Some(&unjudged.known_path))
        }
        .with_sides(unjudged.sides.as_deref())
    }

    /// Makes the entry of a file that `list` names; `category` is the word of a category or `not_compared`.
    pub fn of_claim(category: &'a str, path: &[u8], list: &'a str) -> Entry<'a> {
        let is_hashed = [Category::Matched, Category::Changed].iter().any(|hashed| hashed.word() == category);
        let status = match category {
            _ if is_hashed => Some(Status::Hashed),
            _ if category == Category::Unreadable.word() => Some(Status::Unreadable),
            _ => None,
        };
        let known = (!list.is_empty()).then_some(path);
        let list = Some(list).filter(|list| !list.is_empty());
        Entry { status: status.map(Status::word), list, ..Entry::new(category, path, known) }
    }

    /// Adds the content of both sides to the entry.
    pub fn with_sides(self, sides: Option<&'a Sides>) -> Entry<'a> {
        let Some(Sides { expected, actual, reason }) = sides else { return self };
        Entry {
            expected: expected.as_ref().map(ShownContent::from_content),
            actual: actual.as_ref().map(ShownContent::from_content),
            reason: reason.as_deref(),
            ..self
        }
    }

    fn new(category: &'a str, path: &[u8], known: Option<&[u8]>) -> Entry<'a> {
        Entry {
            category,
            path: path_text(path),
            path_b64: path_b64(path),
            known_path: known.map(path_text),
            known_path_b64: known.and_then(path_b64),
            ..Entry::default()
        }
    }
}

impl<'a> ShownContent<'a> {
    fn from_content(content: &'a Content) -> ShownContent<'a> {
        let mtime = content.mtime.and_then(|time| time.to_rfc3339());
        ShownContent { size: content.size, mtime, digests: &content.digests }
    }
}

/// Serializes digests as a map from algorithm to text, or as a list where manifests contradict each other.
fn by_algorithm<S: Serializer>(digests: &&[Named], out: S) -> Result<S::Ok, S::Error> {
    let mut map = out.serialize_map(None)?;
    for (place, named) in digests.iter().enumerate() {
        let is_same = |other: &&Named| other.algorithm == named.algorithm;
        if digests[..place].iter().any(|other| is_same(&other)) {
            continue;
        }
        let all = digests[place..].iter().filter(is_same);
        let all: Vec<String> = all.map(|named| named.algorithm.format(&named.digest)).collect();
        match &all[..] {
            [one] => map.serialize_entry(named.algorithm.name, one)?,
            several => map.serialize_entry(named.algorithm.name, several)?,
        }
    }
    map.end()
}
