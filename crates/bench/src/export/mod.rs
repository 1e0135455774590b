//! Exports of results: as text (tables for a terminal, Markdown, CSV) and as a section of a page.

mod csv;
mod markdown;
mod section;
mod terminal;

pub use csv::csv;
pub use markdown::markdown;
pub use section::section;
pub use terminal::terminal;
