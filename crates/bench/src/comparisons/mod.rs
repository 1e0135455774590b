//! The table of all comparisons.
//!
//! To add a comparison: its module (measuring, `result`, `view`, `chart`), a row here, and its options in the command.

pub mod calibrate;
pub(crate) mod charting;
pub mod corpus;
pub mod cycles;
pub mod sizes;
pub mod throughput;
pub mod tools;

use crate::comparison::{Comparison, view};
use crate::document::Document;
use crate::view::View;
use calibrate::Calibrate;
use corpus::Corpus;
use cycles::Cycles;
use serde::Deserialize;
use sizes::Sizes;
use std::fmt;
use throughput::Throughput;
use tools::Tools;

/// A comparison as a row of the table.
pub struct ComparisonKind {
    /// Its name.
    pub name: &'static str,
    view: fn(&[u8]) -> Result<View, serde_json::Error>,
}

const fn kind<C: Comparison>() -> ComparisonKind {
    ComparisonKind { name: C::NAME, view: |json| Ok(view::<C>(&Document::from_json(json)?)) }
}

/// All comparisons, in the order of a report.
pub static COMPARISONS: &[ComparisonKind] = &[
    kind::<Cycles>(),
    kind::<Throughput>(),
    kind::<Sizes>(),
    kind::<Tools>(),
    kind::<Corpus>(),
    kind::<Calibrate>(),
];

/// The error of a file that is not a result.
#[derive(Debug)]
pub enum InvalidDocument {
    /// It is not JSON, or lacks required parts of its comparison.
    Malformed(serde_json::Error),
    /// There is no comparison with this name.
    Unknown(String),
}

/// Returns the view of a result that was exported as JSON.
///
/// # Errors
/// [`InvalidDocument`].
pub fn view_of(json: &[u8]) -> Result<View, InvalidDocument> {
    #[derive(Deserialize)]
    struct Named {
        comparison: String,
    }
    let Named { comparison } = serde_json::from_slice(json).map_err(InvalidDocument::Malformed)?;
    let kind = COMPARISONS.iter().find(|kind| kind.name == comparison);
    let kind = kind.ok_or(InvalidDocument::Unknown(comparison))?;
    (kind.view)(json).map_err(InvalidDocument::Malformed)
}

impl fmt::Display for InvalidDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidDocument::Malformed(error) => write!(f, "not a result of hashmill bench: {error}"),
            InvalidDocument::Unknown(name) => {
                write!(f, "a result of '{name}', which this version does not know")
            }
        }
    }
}

impl std::error::Error for InvalidDocument {}

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
            assert!(matches!(view_of(text.as_bytes()), Err(InvalidDocument::Malformed(_))), "{text}");
        }
        let unknown = view_of(b"{\"comparison\": \"nosuch\"}").unwrap_err();
        assert!(unknown.to_string().contains("'nosuch'"), "{unknown}");
    }

    #[test]
    fn doubts_are_shown() {
        let mut document: Document<
            crate::comparisons::calibrate::KernelRow,
            Vec<crate::comparisons::calibrate::Fastest>,
        > = Document::here("calibrate", "2026-11-21T12:00:00+00:00".into(), vec![], vec![]);
        document.interrupted = true;
        document.warnings.push("the machine was busy".into());
        let view = view_of(document.to_json().as_bytes());
        let notes = view.unwrap().notes;
        assert!(notes.contains(&"warning: the machine was busy".to_string()), "{notes:?}");
        assert!(notes.iter().any(|note| note.contains("interrupted")), "{notes:?}");
    }
}
