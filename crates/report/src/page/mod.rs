//! Pages: the data are in `model` and `table`, writing them as HTML is in `html`.

mod data;
mod html;
mod model;
mod table;
mod tone;

pub use model::{Chapter, Figure, Page, Part, Section, Verdict};
pub use table::{Cell, Column, Extent, Show, Table};
pub use tone::Tone;

use std::io::{self, Write};

impl Page {
    /// Writes the page: the same bytes for the same page. Nothing in it refers to anything outside, and no
    /// text in it is taken for HTML or script, whatever it is.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        html::write(self, out)
    }

    /// The page as text.
    pub fn html(&self) -> String {
        let mut bytes = Vec::new();
        let written = self.write(&mut bytes);
        debug_assert!(written.is_ok(), "memory takes all that is written");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
