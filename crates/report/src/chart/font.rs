//! The font by which text is measured: one that comes with the program, so that pictures are the same on every
//! machine. Viewers of SVG take their own font of the same family.

use plotters::style::{FontStyle, register_font};
use plotters::style::{IntoFont, TextStyle};
use std::sync::Once;

/// The family named in pictures.
pub(crate) const FAMILY: &str = "sans-serif";

/// The size, to plotters, of a font whose em is 1 pixel.
pub(crate) const EM: f64 = 1.24;

/// Makes the font known to plotters; cheap after the first time.
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let registered = register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular());
        debug_assert!(registered.is_ok(), "the font that comes with the program can be read");
    });
}

/// Text of this height (pixels for one em) in the family.
pub(crate) fn style(em: f64) -> TextStyle<'static> {
    TextStyle::from((FAMILY, em * EM).into_font())
}

/// How many pixels wide `text` is at this height.
pub(crate) fn width(text: &str, em: f64) -> u32 {
    style(em).font.layout_box(text).map_or(0, |((left, _), (right, _))| (right - left).unsigned_abs())
}

/// `text` on one line, cut so that it is at most `most` pixels wide; characters that SVG can't hold are
/// replaced.
pub(crate) fn fitted(text: &str, em: f64, most: u32) -> String {
    let mut clean: Vec<char> = text.chars().map(drawable).collect();
    let mut fitting: String = clean.iter().collect();
    while width(&fitting, em) > most && !clean.is_empty() {
        clean.truncate((clean.len() * 15 / 16).min(clean.len() - 1));
        fitting = clean.iter().chain(['…'].iter()).collect();
    }
    fitting
}

/// XML has no way to write control characters and noncharacters.
fn drawable(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}
