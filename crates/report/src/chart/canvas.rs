//! The target of drawing: an SVG document or pixels, with the same interface.

#[cfg(feature = "png")]
use super::png::Pixels;
use plotters::prelude::SVGBackend;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use std::io;

type Drawn = Result<(), DrawingErrorKind<io::Error>>;

/// An SVG document or pixels.
pub(crate) enum Canvas<'a> {
    Svg(SVGBackend<'a>),
    #[cfg(feature = "png")]
    Pixels(&'a mut Pixels),
}

/// Makes the same call on either kind.
macro_rules! either {
    ($canvas:expr, $on:ident => $call:expr) => {
        match $canvas {
            Canvas::Svg($on) => $call,
            #[cfg(feature = "png")]
            Canvas::Pixels($on) => $call,
        }
    };
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = io::Error;

    fn get_size(&self) -> (u32, u32) {
        either!(self, canvas => canvas.get_size())
    }

    fn ensure_prepared(&mut self) -> Drawn {
        either!(self, canvas => canvas.ensure_prepared())
    }

    fn present(&mut self) -> Drawn {
        either!(self, canvas => canvas.present())
    }

    fn draw_pixel(&mut self, place: BackendCoord, color: BackendColor) -> Drawn {
        either!(self, canvas => canvas.draw_pixel(place, color))
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        either!(self, canvas => canvas.draw_line(from, to, style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        either!(self, canvas => canvas.draw_rect(upper_left, bottom_right, style, fill))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        either!(self, canvas => canvas.draw_path(path, style))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        either!(self, canvas => canvas.fill_polygon(path, style))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        either!(self, canvas => canvas.draw_circle(center, radius, style, fill))
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, place: BackendCoord) -> Drawn {
        either!(self, canvas => canvas.draw_text(text, style, place))
    }
}
