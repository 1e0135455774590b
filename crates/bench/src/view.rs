//! The view of a result: notes, tables and charts, the same on a terminal, in Markdown and on a page.

use hashmill_report::{Chart, Table};

/// The view of one document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// The title, in a few words.
    pub title: String,
    /// The conditions, the settings, and doubts.
    pub notes: Vec<String>,
    /// The tables of figures.
    pub tables: Vec<Table>,
    /// The charts of the figures.
    pub charts: Vec<Chart>,
}
