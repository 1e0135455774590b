//! Every comparison, one row each: what its documents hold, and how they are shown.

use crate::calibrate::Calibrate;
use crate::corpus::Corpus;
use crate::cycles::Cycles;
use crate::sizes::Sizes;
use crate::throughput::Throughput;
use crate::tools::Tools;
use crate::{Document, View};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A comparison: what it writes, and what people are shown of that.
pub trait Comparison {
    /// Its name: in documents, and as a command.
    const NAME: &'static str;
    /// One measurement.
    type Row: Serialize + DeserializeOwned;
    /// What follows from them.
    type Summary: Serialize + DeserializeOwned;

    /// Notes, tables and charts of a document, whether it was measured just now or read from a file.
    fn view(document: &Document<Self::Row, Self::Summary>) -> View;
}

/// The view of a document: what its comparison makes of it, with what makes its figures doubtful.
pub fn view<C: Comparison>(document: &Document<C::Row, C::Summary>) -> View {
    let mut view = C::view(document);
    view.notes.extend(document.warnings.iter().map(|warning| format!("warning: {warning}")));
    if document.interrupted {
        view.notes.push("warning: interrupted before all was measured".to_string());
    }
    view
}

/// A comparison as a row of a table.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    view: fn(&[u8]) -> Result<View, serde_json::Error>,
}

const fn kind<C: Comparison>() -> Kind {
    Kind { name: C::NAME, view: |json| Ok(view::<C>(&Document::from_json(json)?)) }
}

/// All comparisons, in the order in which a report shows them.
pub static COMPARISONS: &[Kind] = &[
    kind::<Cycles>(),
    kind::<Throughput>(),
    kind::<Sizes>(),
    kind::<Tools>(),
    kind::<Corpus>(),
    kind::<Calibrate>(),
];

/// A file that is no result.
#[derive(Debug)]
pub enum Unreadable {
    /// It is not JSON, or lacks what a document of its comparison has.
    Malformed(serde_json::Error),
    /// No comparison has this name.
    Unknown(String),
}

/// The view of a result that was exported as JSON.
///
/// # Errors
/// [`Unreadable`].
pub fn view_of(json: &[u8]) -> Result<View, Unreadable> {
    #[derive(Deserialize)]
    struct Named {
        comparison: String,
    }
    let Named { comparison } = serde_json::from_slice(json).map_err(Unreadable::Malformed)?;
    let kind = COMPARISONS.iter().find(|kind| kind.name == comparison);
    let kind = kind.ok_or(Unreadable::Unknown(comparison))?;
    (kind.view)(json).map_err(Unreadable::Malformed)
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Malformed(error) => write!(f, "not a result of hashloom bench: {error}"),
            Unreadable::Unknown(name) => write!(f, "a result of '{name}', which this version does not know"),
        }
    }
}

impl std::error::Error for Unreadable {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        for (at, kind) in COMPARISONS.iter().enumerate() {
            assert!(COMPARISONS[..at].iter().all(|other| other.name != kind.name), "{}", kind.name);
        }
    }

    #[test]
    fn what_is_no_result_is_told_apart() {
        let malformed = ["", "[]", "{\"comparison\": 1}", "{\"comparison\": \"calibrate\"}"];
        for text in malformed {
            assert!(matches!(view_of(text.as_bytes()), Err(Unreadable::Malformed(_))), "{text}");
        }
        let unknown = view_of(b"{\"comparison\": \"nosuch\"}").unwrap_err();
        assert!(unknown.to_string().contains("'nosuch'"), "{unknown}");
    }

    #[test]
    fn doubts_are_shown() {
        let mut document: Document<crate::calibrate::Row, Vec<crate::calibrate::Fastest>> =
            Document::here("calibrate", "2026-11-21T12:00:00+00:00".into(), vec![], vec![]);
        document.interrupted = true;
        document.warnings.push("the machine was busy".into());
        let view = view_of(document.to_json().as_bytes());
        let notes = view.unwrap().notes;
        assert!(notes.contains(&"warning: the machine was busy".to_string()), "{notes:?}");
        assert!(notes.iter().any(|note| note.contains("interrupted")), "{notes:?}");
    }
}
