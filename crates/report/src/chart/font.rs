//! The font by which text is measured, and drawn in PNG files: one that comes with the program, so that
//! pictures are the same on every machine. Viewers of SVG take their own font of the same family.

use ab_glyph::{Font, FontRef, OutlineCurve, Point};
use plotters::style::{FontStyle, register_font};
use plotters::style::{IntoFont, TextStyle};
use std::sync::{Once, OnceLock};
use tiny_skia::{Path, PathBuilder};

/// The family named in pictures.
pub(crate) const FAMILY: &str = "sans-serif";

/// The size, to plotters, of a font whose em is 1 pixel.
const EM: f64 = 1.24;

/// Height of an x in the font, in em.
pub(crate) const X_HEIGHT: f32 = 1120.0 / 2048.0;

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

/// The height of text (pixels for one em) whose size plotters gives.
pub(crate) fn em(size: f64) -> f32 {
    (size / EM) as f32
}

/// The letters of `text` on a baseline that begins at 0, and how wide they are, pixels.
pub(crate) fn outlines(text: &str, em: f32) -> (Option<Path>, f32) {
    static FONT: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    let font = FONT.get_or_init(|| FontRef::try_from_slice(dejavu::sans::regular()).ok());
    let Some(font) = font else { return (None, 0.0) };
    let unit = em / font.units_per_em().unwrap_or(2048.0);
    let mut path = PathBuilder::new();
    let mut x = 0.0;
    let mut last = None;
    for glyph in text.chars().map(|c| font.glyph_id(c)) {
        x += last.map_or(0.0, |last| font.kern_unscaled(last, glyph) * unit);
        if let Some(outline) = font.outline(glyph) {
            trace(&mut path, &outline.curves, |point| (x + point.x * unit, -point.y * unit));
        }
        x += font.h_advance_unscaled(glyph) * unit;
        last = Some(glyph);
    }
    (path.finish(), x)
}

/// Adds the outline of a letter, whose contours follow one another without a mark between them.
fn trace(path: &mut PathBuilder, curves: &[OutlineCurve], place: impl Fn(Point) -> (f32, f32)) {
    let mut pen = None;
    for curve in curves {
        let (OutlineCurve::Line(start, end)
        | OutlineCurve::Quad(start, _, end)
        | OutlineCurve::Cubic(start, _, _, end)) = *curve;
        if pen != Some(start) {
            let (x, y) = place(start);
            path.move_to(x, y);
        }
        let (x, y) = place(end);
        match *curve {
            OutlineCurve::Line(..) => path.line_to(x, y),
            OutlineCurve::Quad(_, control, _) => {
                let (x1, y1) = place(control);
                path.quad_to(x1, y1, x, y);
            }
            OutlineCurve::Cubic(_, first, second, _) => {
                let ((x1, y1), (x2, y2)) = (place(first), place(second));
                path.cubic_to(x1, y1, x2, y2, x, y);
            }
        }
        pen = Some(end);
    }
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
