//! What people are shown of a result: notes, tables and charts, the same on a terminal, in Markdown and on a
//! page.

use hashloom_report::{Chart, Table};

/// All that is shown of one document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// What was compared, in a few words.
    pub title: String,
    /// What a reader must know: how it was measured, with what settings, what is doubtful.
    pub notes: Vec<String>,
    /// The figures.
    pub tables: Vec<Table>,
    /// Pictures of them.
    pub charts: Vec<Chart>,
}
