//! Outlines of letters in the font for measuring text.

use crate::chart::font::EM;
use ab_glyph::{Font, FontRef, OutlineCurve, Point};
use std::sync::OnceLock;
use tiny_skia::{Path, PathBuilder};

/// The x-height of the font, in em.
pub(super) const X_HEIGHT: f32 = 1120.0 / 2048.0;

/// Converts a plotters font size to pixels per em.
pub(super) fn em(size: f64) -> f32 {
    (size / EM) as f32
}

/// Returns the outlines of `text` on a baseline that begins at 0, and the width in pixels.
pub(super) fn outlines(text: &str, em: f32) -> (Option<Path>, f32) {
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

/// Adds the outline of a letter. Its contours follow one another without a separator.
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
