//! The mark of a point, whose shape distinguishes series with similar colours.

use super::canvas::{Canvas, Place};
use super::look::{Look, SHAPES as COUNT};
use super::theme::Color;

const RADIUS: i32 = 5;

/// The corners of each shape in pixels from its centre; a shape without corners is a circle.
const SHAPES: [&[Place]; COUNT] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 5), (-6, 5)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 6), (6, -5), (-6, -5)],
];

/// Draws the mark of a series around a point, as a small filled shape.
pub(super) fn draw(canvas: &mut Canvas<'_, '_>, look: Look, (x, y): Place, color: Color) {
    match SHAPES[look.shape % SHAPES.len()] {
        [] => canvas.circle((x, y), RADIUS, color),
        corners => {
            let corners: Vec<Place> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
            canvas.polygon(&corners, color, 1.0);
        }
    }
}
