//! A verdict as programs read it.

use crate::shown::{path_b64, path_text};
use hashloom_manifest::audit::{Category, Content, Sides, Unjudged, Verdict};
use hashloom_manifest::{Label, Named, Status};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A verdict as programs read it: an element of `entries` in the documents of `audit`, `diff` and `check`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Entry<'a> {
    /// The category's word; of what could not be compared the word that it is counted by, or `not_compared`.
    pub category: &'a str,
    /// The path here, as text.
    pub path: String,
    /// Its bytes in base64, if they are no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b64: Option<String>,
    /// The path in the manifest, as text.
    pub known_path: Option<String>,
    /// Its bytes in base64, if they are no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_path_b64: Option<String>,
    /// The word of the status of what is there.
    pub status: Option<&'a str>,
    /// By how strong a proof it is `matched`, where one side is only stored; how strong it would be if it is `unproven`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<&'a str>,
    /// Where a piece begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Bytes of a piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The content that there should be; absent of `matched` and `new`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<ShownContent<'a>>,
    /// The content that is there; absent of `matched` and `missing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<ShownContent<'a>>,
    /// Why it could not be read: the name of an error of the system (`EACCES`), or `timeout`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// By sets of known digests; `category` is the audit's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_category: Option<&'a str>,
    /// The set that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_set: Option<&'a str>,
    /// The list that names the file, if several are checked one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<&'a str>,
}

/// The content of a file as programs read it.
#[derive(Debug, Clone, Serialize)]
pub struct ShownContent<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// In RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    mtime: Option<String>,
    #[serde(skip_serializing_if = "<[Named]>::is_empty", serialize_with = "by_algorithm")]
    digests: &'a [Named],
}

impl<'a> Entry<'a> {
    /// A verdict, and what sets of known digests say of the file.
    pub fn of(verdict: &'a Verdict, label: Option<&'a Label>) -> Entry<'a> {
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

    /// A file that could not be compared.
    pub fn of_unjudged(unjudged: &'a Unjudged) -> Entry<'a> {
        Entry {
            strength: unjudged.why.strength().map(|strength| strength.word()),
            ..Entry::new(unjudged.why.word(), &unjudged.path, Some(&unjudged.known_path))
        }
        .with_sides(unjudged.sides.as_deref())
    }

    /// A file that this list names; of this category, or `not_compared`.
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

    /// The same entry, with the content on both sides.
    pub fn with_sides(self, sides: Option<&'a Sides>) -> Entry<'a> {
        let Some(Sides { expected, actual, reason }) = sides else { return self };
        Entry {
            expected: expected.as_ref().map(ShownContent::of),
            actual: actual.as_ref().map(ShownContent::of),
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
    fn of(content: &'a Content) -> ShownContent<'a> {
        let mtime = content.mtime.and_then(|time| time.to_rfc3339());
        ShownContent { size: content.size, mtime, digests: &content.digests }
    }
}

/// Writes digests by the names of their algorithms, as text; as a list where manifests contradict each other.
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
