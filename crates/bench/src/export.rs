//! Results as text: tables for a terminal, Markdown, CSV.

mod csv;
mod markdown;
mod terminal;

pub use csv::csv;
pub use markdown::markdown;
pub use terminal::terminal;
