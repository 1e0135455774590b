//! The mark of a point, whose shape distinguishes series with similar colours.

use super::look::{Look, SHAPES as COUNT};
use plotters::element::{Drawable, PointCollection};
use plotters::style::{Color, RGBColor};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

const RADIUS: i32 = 5;

/// A small filled shape around a point.
pub(crate) struct Marker<C> {
    center: C,
    shape: usize,
    color: RGBColor,
}

/// The corners of each shape in pixels from its centre; a shape without corners is a circle.
const SHAPES: [&[(i32, i32)]; COUNT] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 5), (-6, 5)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 6), (6, -5), (-6, -5)],
];

impl<C> Marker<C> {
    /// Creates the mark of a series.
    pub fn new(look: Look, center: C, color: RGBColor) -> Self {
        Self { center, shape: look.shape % SHAPES.len(), color }
    }
}

impl<'a, C: 'a> PointCollection<'a, C> for &'a Marker<C> {
    type Point = &'a C;
    type IntoIter = std::iter::Once<&'a C>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.center)
    }
}

impl<C, B: DrawingBackend> Drawable<B> for Marker<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut places: I,
        backend: &mut B,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let Some((x, y)) = places.next() else { return Ok(()) };
        let color = self.color.to_backend_color();
        match SHAPES[self.shape] {
            [] => backend.draw_circle((x, y), RADIUS as u32, &color, true),
            corners => backend.fill_polygon(corners.iter().map(|(dx, dy)| (x + dx, y + dy)), &color),
        }
    }
}
