//! A verdict as programs read it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashloom_manifest::Label;
use hashloom_manifest::audit::Verdict;
use serde::Serialize;

/// A verdict as programs read it: an element of `entries` in `hashloom audit --format json`.
#[derive(Debug, Clone, Serialize)]
pub struct Entry<'a> {
    /// The category's word.
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
    /// By how strong a proof it is `matched`, where one side is only stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<&'a str>,
    /// Where a piece begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Bytes of a piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// By sets of known digests; `category` is the audit's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_category: Option<&'a str>,
    /// The set that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known_set: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// A verdict, and what sets of known digests say of the file.
    pub fn of(verdict: &'a Verdict, label: Option<&'a Label>) -> Entry<'a> {
        let known = verdict.known_path.as_deref();
        Entry {
            category: verdict.category.word(),
            path: String::from_utf8_lossy(&verdict.path).into_owned(),
            path_b64: exact(&verdict.path),
            known_path: known.map(|path| String::from_utf8_lossy(path).into_owned()),
            known_path_b64: known.and_then(exact),
            status: verdict.status.map(|status| status.word()),
            strength: verdict.strength.map(|strength| strength.word()),
            offset: verdict.piece.map(|piece| piece.offset),
            length: verdict.piece.map(|piece| piece.length),
            known_category: label.map(|label| &*label.category),
            known_set: label.map(|label| &*label.set).filter(|set| !set.is_empty()),
        }
    }
}

/// The bytes of a path that is no text.
fn exact(path: &[u8]) -> Option<String> {
    str::from_utf8(path).is_err().then(|| STANDARD.encode(path))
}
