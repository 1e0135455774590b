//! A verdict as programs read it.

use crate::shown::{path_b64, path_text};
use hashloom_manifest::Label;
use hashloom_manifest::audit::{Unjudged, Verdict};
use serde::Serialize;

/// A verdict as programs read it: an element of `entries` in `hashloom audit --format json`.
#[derive(Debug, Clone, Serialize)]
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
            path: path_text(&verdict.path),
            path_b64: path_b64(&verdict.path),
            known_path: known.map(path_text),
            known_path_b64: known.and_then(path_b64),
            status: verdict.status.map(|status| status.word()),
            strength: verdict.strength.map(|strength| strength.word()),
            offset: verdict.piece.map(|piece| piece.offset),
            length: verdict.piece.map(|piece| piece.length),
            known_category: label.map(|label| &*label.category),
            known_set: label.map(|label| &*label.set).filter(|set| !set.is_empty()),
        }
    }

    /// A file that could not be compared.
    pub fn of_unjudged(unjudged: &'a Unjudged) -> Entry<'a> {
        Entry {
            category: unjudged.why.word(),
            path: path_text(&unjudged.path),
            path_b64: path_b64(&unjudged.path),
            known_path: Some(path_text(&unjudged.known_path)),
            known_path_b64: path_b64(&unjudged.known_path),
            status: None,
            strength: unjudged.why.strength().map(|strength| strength.word()),
            offset: None,
            length: None,
            known_category: None,
            known_set: None,
        }
    }
}
