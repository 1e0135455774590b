//! Several charts in one picture, one below the other.

use super::Error;
use super::model::Chart;
use super::png;
use super::theme::Theme;

/// Charts in one picture.
#[derive(Debug, Clone, Copy)]
pub struct Stack<'a>(pub &'a [Chart]);

impl Stack<'_> {
    /// The picture as an SVG document; of one chart the chart itself.
    pub fn svg(&self, theme: Theme) -> String {
        if let [chart] = self.0 {
            return chart.svg(theme);
        }
        let pictures: Vec<String> = self.0.iter().map(|chart| chart.svg(theme)).collect();
        let width = pictures.iter().map(|svg| size(svg, "width")).max().unwrap_or(0);
        let (mut top, mut body) = (0, String::new());
        for svg in &pictures {
            body += &svg.replacen("<svg ", &format!("<svg y=\"{top}\" "), 1);
            body.push('\n');
            top += size(svg, "height");
        }
        format!(
            "<svg width=\"{width}\" height=\"{top}\" viewBox=\"0 0 {width} {top}\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n{body}</svg>\n"
        )
    }

    /// The picture as a PNG file, at twice the size of the SVG.
    ///
    /// # Errors
    /// A picture that doesn't fit in memory.
    pub fn png(&self, theme: Theme) -> Result<Vec<u8>, Error> {
        png::png(self.0, theme)
    }
}

/// A measure of a picture, from its first tag.
fn size(svg: &str, name: &str) -> u32 {
    let tag = svg.split('>').next().unwrap_or_default();
    let value = tag.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next());
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Series};

    fn chart(names: usize) -> Chart {
        let x = Axis::names("", (0..names).map(|name| format!("a rather long name {name}")));
        Chart::bars("Time", x, Axis::linear("time", "s")).with(Series::of_values("", vec![1.0; names]))
    }

    #[test]
    fn charts_stand_below_each_other_and_none_is_cut_off() {
        let (short, long) = (chart(2), chart(40));
        let [first, second] = [&short, &long].map(|chart| size(&chart.svg(Theme::Light), "height"));
        assert!(first > 100 && second > first, "{first} {second}");
        let svg = Stack(&[short.clone(), long]).svg(Theme::Light);
        assert!(svg.starts_with(&format!("<svg width=\"960\" height=\"{}\"", first + second)), "{svg:.200}");
        assert!(svg.contains(&format!("<svg y=\"{first}\" ")));
        assert!(Stack(std::slice::from_ref(&short)).svg(Theme::Light) == short.svg(Theme::Light));
    }

    #[cfg(feature = "png")]
    #[test]
    fn pixels_are_twice_the_size_of_the_document() {
        let chart = chart(2);
        let height = size(&chart.svg(Theme::Light), "height");
        let png = Stack(&[chart.clone(), chart]).png(Theme::Dark).unwrap();
        assert_eq!(png[..4], *b"\x89PNG");
        assert_eq!(u32::from_be_bytes(png[20..24].try_into().unwrap()), 4 * height);
    }
}
