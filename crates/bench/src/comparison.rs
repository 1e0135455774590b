//! The trait of comparisons: rows, summary, view.

use crate::document::Document;
use crate::view::View;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A comparison: the rows and the summary of its documents, and their view.
pub trait Comparison {
    /// Its name in documents and as a command.
    const NAME: &'static str;
    /// One measurement.
    type KernelRow: Serialize + DeserializeOwned;
    /// The summary of the rows.
    type Summary: Serialize + DeserializeOwned;

    /// Returns notes, tables and charts of a document, which was just measured or read from a file.
    fn view(document: &Document<Self::KernelRow, Self::Summary>) -> View;
}

/// Returns the view of a document with its warnings.
pub fn view<C: Comparison>(document: &Document<C::KernelRow, C::Summary>) -> View {
    let mut view = C::view(document);
    view.notes.extend(document.warnings.iter().map(|warning| format!("warning: {warning}")));
    if document.interrupted {
        view.notes.push("warning: interrupted before all was measured".to_string());
    }
    view
}
