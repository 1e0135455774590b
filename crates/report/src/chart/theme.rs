//! Colours. Those of series are by Okabe and Ito ("Color Universal Design", 2008), distinguishable with any kind of
//! colour vision; on each background the invisible one is replaced.

use super::look::Look;
use plotters::style::RGBColor;

/// The background of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light, also for printing.
    Light,
    /// Light on dark.
    Dark,
}

pub(crate) struct Colors {
    pub ground: RGBColor,
    pub text: RGBColor,
    pub axis: RGBColor,
    pub grid: RGBColor,
    series: [RGBColor; 8],
}

const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xB2);
const VERMILLION: RGBColor = RGBColor(0xD5, 0x5E, 0x00);
const GREEN: RGBColor = RGBColor(0x00, 0x9E, 0x73);
const PURPLE: RGBColor = RGBColor(0xCC, 0x79, 0xA7);
const ORANGE: RGBColor = RGBColor(0xE6, 0x9F, 0x00);
const SKY: RGBColor = RGBColor(0x56, 0xB4, 0xE9);
const YELLOW: RGBColor = RGBColor(0xF0, 0xE4, 0x42);
const BLACK: RGBColor = RGBColor(0x00, 0x00, 0x00);
const WHITE: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);

const LIGHT: Colors = Colors {
    ground: WHITE,
    text: RGBColor(0x1B, 0x1F, 0x24),
    axis: RGBColor(0x57, 0x60, 0x6A),
    grid: RGBColor(0xE1, 0xE4, 0xE8),
    // Grey replaces yellow, which is invisible on white.
    series: [BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK, RGBColor(0x8A, 0x8A, 0x8A)],
};

const DARK: Colors = Colors {
    ground: RGBColor(0x14, 0x18, 0x1D),
    text: RGBColor(0xE6, 0xE9, 0xED),
    axis: RGBColor(0x9A, 0xA4, 0xAF),
    grid: RGBColor(0x2E, 0x35, 0x3D),
    // White replaces black, and grey replaces blue, which is hardly visible on black.
    series: [SKY, ORANGE, GREEN, VERMILLION, PURPLE, YELLOW, WHITE, RGBColor(0x8F, 0x98, 0xA3)],
};

impl Theme {
    pub(crate) fn colors(self) -> &'static Colors {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}

impl Colors {
    /// Returns the colour of a series.
    pub fn color(&self, look: Look) -> RGBColor {
        self.series[look.color % self.series.len()]
    }
}
