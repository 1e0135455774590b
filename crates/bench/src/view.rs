//! The view of a result: notes, tables and charts, the same on a terminal, in Markdown and on a
//! page.

use hashloom_report::{Chart, Table};

/// The view of one document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// The title, in a few words.
    pub title: String,
    /// How it was measured, with what settings, and what is doubtful.
    pub notes: Vec<String>,
    /// The figures.
    pub tables: Vec<Table>,
    /// Pictures of them.
    pub charts: Vec<Chart>,
}
