//! Other tools: the table of them, their command lines, and their output formats.

mod expected;
mod field;
mod likeness;
mod presence;
mod reads;
mod table;

pub use expected::expected;
pub use field::{Lineup, OURS, TestFolder, UnknownTool, listed};
pub use likeness::Likeness;
pub use presence::{Installed, Presence, Program};
pub use reads::OutputFormat;
pub use table::{Offers, Package, Recursion, Several, TOOLS, Tool, offering};
