//! Parts of readers: lines of bounded length, and their text.

pub(crate) mod content;
pub(crate) mod line_reader;
pub(crate) mod lines;
pub(crate) mod list_line;
pub(crate) mod text;
pub(crate) mod utf16;
