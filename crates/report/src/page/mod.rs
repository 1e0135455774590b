//! Pages: `model` and `table` have the data, `html` writes them as HTML.

mod data;
mod html;
mod model;
mod table;
mod tone;

pub use model::{Chapter, Figure, Page, PageVerdict, Section, SectionPart};
pub use table::{Cell, Column, Extent, Show, Table, TableOf};
pub use tone::Tone;

use std::io::{self, Write};

impl Page {
    /// Writes the page. Equal pages give equal bytes, which refer to nothing outside. No text can be interpreted as
    /// HTML or script.
    ///
    /// # Errors
    /// Returns those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        html::write(self, out)
    }

    /// Returns the page as text.
    pub fn html(&self) -> String {
        let mut bytes = Vec::new();
        let written = self.write(&mut bytes);
        debug_assert!(written.is_ok(), "memory takes all that is written");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
