//! The font for measuring text, which is part of the program, so that pictures are the same on every machine. SVG
//! viewers use their own font of the same family.

use plotters::style::{FontStyle, register_font};
use plotters::style::{IntoFont, TextStyle};
use std::sync::Once;

/// The font family in pictures.
pub(crate) const FAMILY: &str = "sans-serif";

/// The size of a plotters font with an em of 1 pixel.
pub(crate) const EM: f64 = 1.24;

/// Registers the font with plotters; cheap after the first call.
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let registered = register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular());
        debug_assert!(registered.is_ok(), "the font that comes with the program can be read");
    });
}

/// Returns a style of the family with this height (pixels per em).
pub(crate) fn style(em: f64) -> TextStyle<'static> {
    TextStyle::from((FAMILY, em * EM).into_font())
}

/// Returns the width of `text` in pixels at this height.
pub(crate) fn width(text: &str, em: f64) -> u32 {
    style(em).font.layout_box(text).map_or(0, |((left, _), (right, _))| (right - left).unsigned_abs())
}

/// Returns `text` on one line, shortened to at most `most` pixels, with characters that SVG can't contain replaced.
pub(crate) fn fitted(text: &str, em: f64, most: u32) -> String {
    let mut clean: Vec<char> = text.chars().map(drawable).collect();
    let mut fitting: String = clean.iter().collect();
    while width(&fitting, em) > most && !clean.is_empty() {
        clean.truncate((clean.len() * 15 / 16).min(clean.len() - 1));
        fitting = clean.iter().chain(['…'].iter()).collect();
    }
    fitting
}

/// Replaces control characters and noncharacters, which XML can't contain.
fn drawable(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}
