//! The trait of a comparison: its rows, its summary, its view.

use crate::document::Document;
use crate::view::View;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A comparison: the rows and the summary of its documents, and their view.
pub trait Comparison {
    /// Its name: in documents, and as a command.
    const NAME: &'static str;
    /// One measurement.
    type Row: Serialize + DeserializeOwned;
    /// Their summary.
    type Summary: Serialize + DeserializeOwned;

    /// Notes, tables and charts of a document, whether it was measured just now or read from a file.
    fn view(document: &Document<Self::Row, Self::Summary>) -> View;
}

/// The view of a document: that of its comparison, with warnings.
pub fn view<C: Comparison>(document: &Document<C::Row, C::Summary>) -> View {
    let mut view = C::view(document);
    view.notes.extend(document.warnings.iter().map(|warning| format!("warning: {warning}")));
    if document.interrupted {
        view.notes.push("warning: interrupted before all was measured".to_string());
    }
    view
}
