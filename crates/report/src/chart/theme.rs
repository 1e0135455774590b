//! Colours. Those of series are by Okabe and Ito ("Color Universal Design", 2008), distinguishable with any kind of
//! colour vision; on each background the invisible one is replaced.

use super::look::Look;

/// A colour in hexadecimal.
pub(crate) type Color = &'static str;

/// The background of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Dark on light, also for printing.
    Light,
    /// Light on dark.
    Dark,
}

pub(crate) struct Colors {
    pub ground: Color,
    pub text: Color,
    pub axis: Color,
    pub grid: Color,
    series: [Color; 8],
}

const BLUE: Color = "#0072B2";
const VERMILLION: Color = "#D55E00";
const GREEN: Color = "#009E73";
const PURPLE: Color = "#CC79A7";
const ORANGE: Color = "#E69F00";
const SKY: Color = "#56B4E9";
const YELLOW: Color = "#F0E442";
const BLACK: Color = "#000000";
const WHITE: Color = "#FFFFFF";

const LIGHT: Colors = Colors {
    ground: WHITE,
    text: "#1B1F24",
    axis: "#57606A",
    grid: "#E1E4E8",
    // Grey replaces yellow, which is invisible on white.
    series: [BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK, "#8A8A8A"],
};

const DARK: Colors = Colors {
    ground: "#14181D",
    text: "#E6E9ED",
    axis: "#9AA4AF",
    grid: "#2E353D",
    // White replaces black, and grey replaces blue, which is hardly visible on black.
    series: [SKY, ORANGE, GREEN, VERMILLION, PURPLE, YELLOW, WHITE, "#8F98A3"],
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
    pub fn color(&self, look: Look) -> Color {
        self.series[look.color % self.series.len()]
    }
}
