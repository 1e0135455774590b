//! Shapes and texts as elements of SVG, in whole pixels.

use super::font;
use super::model::{Pick, PickedCells};
use super::theme::{Color, Colors, Theme};
use crate::markup::{Attribute, Markup};
use std::fmt::{self, Display};

/// Pixels from the left and from the top.
pub(super) type Place = (i32, i32);

/// A width and a height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub width: u32,
    pub height: u32,
}

/// A rectangle by its upper left corner and its size.
#[derive(Clone, Copy)]
pub(super) struct Rectangle {
    pub corner: Place,
    pub size: Size,
}

/// Draws into a document.
pub(super) struct Canvas<'a, 'b> {
    markup: &'a mut Markup<'b>,
    pub colors: &'static Colors,
}

/// The style of a line.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub color: Color,
    pub width: u32,
}

/// The style of a text, and its position beside its place.
#[derive(Clone, Copy)]
pub(super) struct TextStyle {
    pub em: f64,
    pub color: Color,
    pub anchor: Anchor,
    pub baseline: Baseline,
    /// Whether it is read from the bottom to the top.
    pub upward: bool,
}

/// The part of a text that is at its place, from left to right, in words of SVG.
pub(super) type Anchor = &'static str;
pub(super) const START: Anchor = "start";
pub(super) const MIDDLE: Anchor = "middle";
pub(super) const END: Anchor = "end";

/// The distance of a text's base line from its place.
pub(super) type Baseline = &'static str;
pub(super) const BELOW: Baseline = "0.76em";
pub(super) const BESIDE: Baseline = "0.5ex";
pub(super) const ABOVE: Baseline = "-0.5ex";

impl TextStyle {
    /// Creates the style of a text whose place is its upper left corner.
    pub fn new(em: f64, color: Color) -> Self {
        Self { em, color, anchor: START, baseline: BELOW, upward: false }
    }

    /// Sets the part of the text that is at its place.
    #[must_use]
    pub fn at(self, anchor: Anchor, baseline: Baseline) -> Self {
        Self { anchor, baseline, ..self }
    }
}

impl<'a, 'b> Canvas<'a, 'b> {
    /// Draws a picture in a theme, in this frame of another one. `label` is its text for screen readers.
    pub fn draw(
        markup: &'a mut Markup<'b>,
        frame: Rectangle,
        label: &str,
        theme: Theme,
        content: impl FnOnce(&mut Canvas<'_, 'b>),
    ) {
        let label = font::drawable(label);
        let (x, y) = frame.corner;
        let Size { width, height } = frame.size;
        markup.open(
            "svg",
            &[
                ("role", &"img"),
                ("aria-label", &label),
                ("x", &x),
                ("y", &y),
                ("width", &width),
                ("height", &height),
                ("viewBox", &format_args!("0 0 {width} {height}")),
                ("font-family", &"sans-serif"),
                ("xmlns", &"http://www.w3.org/2000/svg"),
            ],
        );
        markup.raw("\n");
        let mut canvas = Canvas { markup, colors: theme.colors() };
        canvas.rectangle(Rectangle { corner: (0, 0), size: frame.size }, canvas.colors.ground);
        content(&mut canvas);
        markup.close("svg");
    }
}

impl Canvas<'_, '_> {
    /// Fills a rectangle.
    pub fn rectangle(&mut self, rectangle: Rectangle, color: Color) {
        let Rectangle { corner: (x, y), size } = rectangle;
        let size = [("width", &size.width as &dyn Display), ("height", &size.height)];
        self.markup.shape("rect", &[("x", &x), ("y", &y), size[0], size[1], ("fill", &color)]);
    }

    /// Marks a rectangle as a group of this name that a reader may choose; nothing is seen of it.
    pub fn pick(&mut self, rectangle: Rectangle, name: &str, pick: &Pick) {
        let Rectangle { corner: (x, y), size: Size { width, height } } = rectangle;
        let mut attributes: Vec<Attribute<'_>> = vec![
            ("class", &"pick"),
            ("x", &x),
            ("y", &y),
            ("width", &width),
            ("height", &height),
            ("fill", &"none"),
            ("pointer-events", &"all"),
            ("data-name", &name),
            ("data-column", &pick.column),
        ];
        match &pick.cells {
            PickedCells::Is(text) => attributes.push(("data-is", text)),
            PickedCells::Has(word) => attributes.push(("data-has", word)),
            PickedCells::Ends(end) => attributes.push(("data-ends", end)),
            PickedCells::Between(from, below) => {
                attributes.extend::<[Attribute<'_>; 2]>([("data-from", from), ("data-below", below)]);
            }
        }
        self.markup.shape("rect", &attributes);
    }

    /// Fills a circle.
    pub fn circle(&mut self, (x, y): Place, radius: i32, color: Color) {
        self.markup.shape("circle", &[("cx", &x), ("cy", &y), ("r", &radius), ("fill", &color)]);
    }

    /// Fills a polygon, with an opacity from 0 to 1.
    pub fn polygon(&mut self, corners: &[Place], color: Color, opacity: f64) {
        self.markup
            .shape("polygon", &[("fill", &color), ("opacity", &opacity), ("points", &Places(corners))]);
    }

    /// Draws a line through all places.
    pub fn line(&mut self, places: &[Place], pen: Pen) {
        let (points, color, width) = (Places(places), pen.color, pen.width);
        self.markup.shape(
            "polyline",
            &[("fill", &"none"), ("points", &points), ("stroke", &color), ("stroke-width", &width)],
        );
    }

    /// Writes a text on one line.
    pub fn text(&mut self, text: &str, (x, y): Place, style: TextStyle) {
        let turn = format!("rotate(270, {x}, {y})");
        let attributes: [Attribute<'_>; 7] = [
            ("x", &x),
            ("y", &y),
            ("dy", &style.baseline),
            ("text-anchor", &style.anchor),
            ("font-size", &style.em),
            ("fill", &style.color),
            ("transform", &turn),
        ];
        self.markup.element("text", &attributes[..if style.upward { 7 } else { 6 }], |markup| {
            markup.raw("\n");
            markup.text(text);
            markup.raw("\n");
        });
    }
}

/// Places as the value of an attribute.
struct Places<'a>(&'a [Place]);

impl Display for Places<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (x, y)) in self.0.iter().enumerate() {
            let space = if number > 0 { " " } else { "" };
            write!(f, "{space}{x},{y}")?;
        }
        Ok(())
    }
}
