//! Charts as pixels: shapes and letters are paths filled by tiny-skia. Coordinates are those of the SVG document.

use super::letters;
use crate::chart::Error;
use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::io;
use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

type Drawn = Result<(), DrawingErrorKind<io::Error>>;

pub(crate) struct Pixels {
    map: Pixmap,
    /// Width and height of the current chart, in units.
    size: (u32, u32),
    /// Its position: left and top.
    place: (u32, u32),
    /// The number of pixels per unit.
    scale: f32,
}

impl Pixels {
    /// Creates transparent pixels for a picture of this width and height.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(size: (u32, u32), scale: f64) -> Result<Self, Error> {
        let scaled = |length: u32| (f64::from(length) * scale).floor() as u32;
        let (width, height) = (scaled(size.0), scaled(size.1));
        let map = Pixmap::new(width, height).ok_or(Error::TooLarge(width, height))?;
        Ok(Self { map, size, place: (0, 0), scale: scale as f32 })
    }

    /// Selects the chart of this size at this position.
    pub fn turn_to(&mut self, place: (u32, u32), size: (u32, u32)) {
        (self.place, self.size) = (place, size);
    }

    /// Fills the picture with this colour.
    pub fn ground(&mut self, color: RGBColor) {
        self.map.fill(Color::from_rgba8(color.0, color.1, color.2, 255));
    }

    /// Returns the transformation from units of the chart to pixels.
    fn scale(&self) -> Transform {
        Transform::from_translate(self.place.0 as f32, self.place.1 as f32).post_scale(self.scale, self.scale)
    }

    /// Encodes a PNG file.
    ///
    /// # Errors
    /// If encoding fails.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        self.map.encode_png().map_err(|error| Error::Encode(error.to_string()))
    }

    fn fill(&mut self, path: Option<Path>, color: BackendColor, place: Transform) -> Drawn {
        if let Some(path) = path {
            let place = place.post_concat(self.scale());
            self.map.fill_path(&path, &paint(color), FillRule::Winding, place, None);
        }
        Ok(())
    }

    fn stroke<S: BackendStyle>(&mut self, path: Option<Path>, style: &S) -> Drawn {
        if let Some(path) = path {
            let stroke = Stroke { width: style.stroke_width() as f32, ..Stroke::default() };
            self.map.stroke_path(&path, &paint(style.color()), &stroke, self.scale(), None);
        }
        Ok(())
    }

    fn draw<S: BackendStyle>(&mut self, path: Option<Path>, style: &S, fill: bool) -> Drawn {
        if fill { self.fill(path, style.color(), Transform::identity()) } else { self.stroke(path, style) }
    }
}

fn paint(color: BackendColor) -> Paint<'static> {
    let (red, green, blue) = color.rgb;
    let alpha = (color.alpha.clamp(0.0, 1.0) * 255.0).round() as u8;
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color(Color::from_rgba8(red, green, blue, alpha));
    paint
}

fn outline(points: impl IntoIterator<Item = BackendCoord>, closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (number, (x, y)) in points.into_iter().enumerate() {
        let to = if number == 0 { PathBuilder::move_to } else { PathBuilder::line_to };
        to(&mut path, x as f32, y as f32);
    }
    if closed {
        path.close();
    }
    path.finish()
}

impl DrawingBackend for Pixels {
    type ErrorType = io::Error;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let square = Rect::from_xywh(x as f32, y as f32, 1.0, 1.0);
        self.fill(square.map(PathBuilder::from_rect), color, Transform::identity())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.stroke(outline([from, to], false), style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let rect = Rect::from_ltrb(left as f32, top as f32, right as f32, bottom as f32);
        self.draw(rect.map(PathBuilder::from_rect), style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.stroke(outline(path, false), style)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.fill(outline(path, true), style.color(), Transform::identity())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.draw(PathBuilder::from_circle(x as f32, y as f32, radius as f32), style, fill)
    }

    /// Draws text at the position where SVG viewers show it, given the attributes that plotters writes.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let em = letters::em(style.size());
        let (outline, width) = letters::outlines(text, em);
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -width / 2.0,
            HPos::Right => -width,
        };
        let baseline = match style.anchor().v_pos {
            VPos::Top => 0.76 * em,
            VPos::Center => letters::X_HEIGHT * em / 2.0,
            VPos::Bottom => -letters::X_HEIGHT * em / 2.0,
        };
        let turn = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => 90.0,
            FontTransform::Rotate180 => 180.0,
            FontTransform::Rotate270 => 270.0,
        };
        let place = Transform::from_translate(left, baseline).post_rotate(turn);
        self.fill(outline, style.color(), place.post_translate(x as f32, y as f32))
    }
}
