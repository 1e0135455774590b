//! What a comparison is: what its documents hold, and how they are shown.

use crate::document::Document;
use crate::view::View;
use serde::Serialize;
use serde::de::DeserializeOwned;

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
