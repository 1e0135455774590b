//! Several charts in one picture that fits a screen, with one legend for those that share it.

use super::canvas::{Canvas, Place, Rectangle, Size};
use super::draw::{MARGIN, Picture};
use super::legend::Legend;
use super::look::Roster;
use super::model::Chart;
use super::theme::Theme;
use crate::markup::{Attribute, Markup, in_memory};

/// The screen size in pixels that a picture must fit.
const SCREEN: Size = Size { width: 1920, height: 1080 };

/// Charts in one picture.
#[derive(Debug, Clone, Copy)]
pub struct Sheet<'a>(pub &'a [Chart]);

impl Sheet<'_> {
    /// Draws the picture as an SVG document; a single chart is drawn by itself.
    pub fn svg(&self, theme: Theme) -> String {
        if let [chart] = self.0 {
            return chart.svg(theme);
        }
        let page = Page::new(self.0);
        let Size { width, height } = page.size;
        let (scale, ground) = (page.scale().min(1.0), theme.colors().ground);
        let shown = |length: u32| (f64::from(length) * scale).floor();
        let attributes: [Attribute<'_>; 4] = [
            ("width", &shown(width)),
            ("height", &shown(height)),
            ("viewBox", &format_args!("0 0 {width} {height}")),
            ("xmlns", &"http://www.w3.org/2000/svg"),
        ];
        in_memory(|markup| {
            markup.element("svg", &attributes, |markup| {
                markup.raw("\n");
                markup.shape("rect", &[("width", &width), ("height", &height), ("fill", &ground)]);
                for (piece, (x, y)) in page.pieces {
                    piece.draw(theme, (x as i32, y as i32), markup);
                }
            });
        })
    }
}

/// The contents of a sheet and their positions.
pub(super) struct Page<'a> {
    /// Each piece with its upper left corner.
    pub pieces: Vec<(Piece<'a>, (u32, u32))>,
    /// The total width and height.
    pub size: Size,
}

/// A legend or a chart.
pub(super) enum Piece<'a> {
    Legend(Legend, u32),
    Chart(Box<Picture<'a>>),
}

impl<'a> Page<'a> {
    fn new(charts: &'a [Chart]) -> Self {
        let mut names: Vec<&str> = charts.iter().map(|chart| chart.legend.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| !name.is_empty() && of_legend(charts, name).count() > 1);
        let rosters: Vec<(&str, Roster)> =
            names.into_iter().map(|name| (name, Roster::from_charts(of_legend(charts, name)))).collect();
        let picture = |chart: &'a Chart| {
            let roster = rosters.iter().find(|(name, _)| *name == chart.legend);
            roster.map_or_else(|| Picture::with_legend(chart), |(_, roster)| Picture::within(chart, roster))
        };
        let pictures: Vec<Picture<'a>> = charts.iter().map(picture).collect();
        let legends = |width: u32| {
            let legend = |(name, roster): &(&str, Roster)| {
                let kind =
                    of_legend(charts, name).next().map_or(super::PointStyle::Lines, |chart| chart.kind);
                Legend::new(roster, name, kind, width - 2 * MARGIN)
            };
            rosters.iter().map(legend).collect::<Vec<_>>()
        };
        Page::laid_out(pictures, &legends)
    }

    /// Chooses the number of columns with which the charts are largest on a screen.
    fn laid_out(pictures: Vec<Picture<'a>>, legends: &dyn Fn(u32) -> Vec<Legend>) -> Self {
        let sizes: Vec<Size> = pictures.iter().map(Picture::size).collect();
        let page = |columns: usize| {
            let (places, size) = placed(&sizes, columns);
            let legends = legends(size.width);
            let above: u32 = legends.iter().map(|legend| room(legend.height())).sum();
            (places, legends, above, Size { height: size.height + above, ..size })
        };
        let columns = 1..=sizes.len().max(1);
        let best =
            columns.map(page).reduce(|best, next| if scale(next.3) > scale(best.3) { next } else { best });
        let (places, legends, above, size) = best.unwrap_or_else(|| page(1));
        let mut pieces = Vec::new();
        let mut top = 0;
        for legend in legends {
            let height = room(legend.height());
            pieces.push((Piece::Legend(legend, size.width), (0, top)));
            top += height;
        }
        let charts = pictures.into_iter().zip(places);
        pieces.extend(charts.map(|(picture, (x, y))| (Piece::Chart(Box::new(picture)), (x, y + above))));
        Page { pieces, size }
    }

    /// Returns the factor by which the page may be enlarged to fit a screen.
    pub fn scale(&self) -> f64 {
        scale(self.size)
    }
}

fn of_legend<'a>(charts: &'a [Chart], name: &str) -> impl Iterator<Item = &'a Chart> {
    charts.iter().filter(move |chart| chart.legend == name)
}

/// Returns the height of a legend with its margins.
fn room(height: u32) -> u32 {
    if height == 0 { 0 } else { height + MARGIN }
}

fn scale(size: Size) -> f64 {
    let share = |room: u32, length: u32| f64::from(room) / f64::from(length.max(1));
    share(SCREEN.width, size.width).min(share(SCREEN.height, size.height))
}

/// Returns positions row by row, and the total size.
fn placed(sizes: &[Size], columns: usize) -> (Vec<(u32, u32)>, Size) {
    let width = sizes.iter().map(|size| size.width).max().unwrap_or(0);
    let mut places = Vec::with_capacity(sizes.len());
    let mut top = 0;
    for row in sizes.chunks(columns) {
        places.extend((0..row.len()).map(|column| (width * column as u32, top)));
        top += row.iter().map(|size| size.height).max().unwrap_or(0);
    }
    (places, Size { width: width * columns as u32, height: top })
}

impl Piece<'_> {
    /// Returns width and height.
    pub fn size(&self) -> Size {
        match self {
            Piece::Legend(legend, width) => Size { width: *width, height: room(legend.height()).max(1) },
            Piece::Chart(picture) => picture.size(),
        }
    }

    fn draw(self, theme: Theme, place: Place, markup: &mut Markup<'_>) {
        let frame = Rectangle { corner: place, size: self.size() };
        match self {
            Piece::Chart(picture) => picture.draw(theme, place, markup),
            Piece::Legend(legend, _) => Canvas::draw(markup, frame, legend.title(), theme, |canvas| {
                legend.draw(canvas, (MARGIN as i32, MARGIN as i32));
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Point, Series};

    /// Returns an attribute of a picture's first tag.
    fn size(svg: &str, name: &str) -> u32 {
        let tag = svg.split('>').next().unwrap_or_default();
        let value = tag.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next());
        value.and_then(|value| value.parse().ok()).unwrap_or(0)
    }

    fn panel(title: &str) -> Chart {
        let point = |x: f64| Point::new(x, x);
        let chart = Chart::lines(title, Axis::log("file size", "B"), Axis::log("time", "s")).sharing("tools");
        let series = |name: &str| Series::new(name, [point(1.0), point(1024.0)]).leading(name == "ours");
        ["ours", "theirs", title].into_iter().map(series).fold(chart, Chart::with)
    }

    #[test]
    fn many_charts_fit_a_screen_and_have_one_legend() {
        let charts: Vec<Chart> = (0..12).map(|number| panel(&format!("panel {number}"))).collect();
        let svg = Sheet(&charts).svg(Theme::Light);
        let (width, height) = (size(&svg, "width"), size(&svg, "height"));
        assert!(width <= 1920 && height <= 1080 && width > 1000 && height > 500, "{width} x {height}");
        let said = |text: &str| svg.lines().filter(|line| *line == text).count();
        assert_eq!((said("ours"), said("theirs"), said("tools")), (1, 1, 1));
        assert_eq!(svg.matches("<svg ").count(), 14, "the sheet, a legend, the panels");
    }

    #[test]
    fn no_chart_lies_upon_another_or_is_cut_off() {
        let sizes = [400, 900, 300, 300, 420].map(|height| Size { width: 640, height });
        assert_eq!(placed(&sizes, 2).0[1..4], [(640, 0), (0, 900), (640, 900)]);
        for columns in 1..=5 {
            let (places, sheet) = placed(&sizes, columns);
            for (at, ((x, y), size)) in places.iter().zip(&sizes).enumerate() {
                assert!(x + size.width <= sheet.width && y + size.height <= sheet.height);
                for ((other_x, other_y), other) in places[..at].iter().zip(&sizes) {
                    assert!(x != other_x || *y >= other_y + other.height);
                }
            }
        }
    }

    #[test]
    fn a_single_chart_is_itself_and_none_is_an_empty_picture() {
        let chart = panel("alone");
        assert_eq!(Sheet(std::slice::from_ref(&chart)).svg(Theme::Dark), chart.svg(Theme::Dark));
        assert!(Sheet(&[]).svg(Theme::Light).starts_with("<svg "));
    }
}
