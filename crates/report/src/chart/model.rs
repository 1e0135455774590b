//! The data of a chart, without any pixels.

/// One picture: a title, two axes, and series of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Stands above it.
    pub title: String,
    /// How points are drawn.
    pub kind: Kind,
    /// The axis of [`Point::x`]; for bars its scale has the names of the groups.
    pub x: Axis,
    /// The axis of [`Point::y`].
    pub y: Axis,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
    /// The name of the legend that it shares with other charts of a [`Sheet`](super::Sheet); empty: its own.
    pub legend: String,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A bar for each point, grouped by x, with its value beside it; low and high as an error bar. Where the values' axis
    /// goes by ratios, lengths would mean nothing: there each is a mark.
    Bars,
    /// A marker for each point, joined by a line; low and high as a band.
    Lines,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity.
    pub label: String,
    /// Its unit, empty where there is none. For `B` and `s` the whole axis is in whatever of KiB, MiB … and µs, ms …
    /// fits; `count` has no marks between whole numbers.
    pub unit: String,
    /// How values become places.
    pub scale: Scale,
}

/// How values become places.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart; points at or below zero can't be drawn and are left out.
    Log,
    /// Named groups of bars, which lie on their side: x = 0 is the first.
    Names(Vec<String>),
    /// Neighbouring ranges of values, as in a histogram: always upright, and some names are left out
    /// where not all fit.
    Bins(Vec<String>),
}

/// Points that belong together and share a colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// For lines in the order in which they are joined.
    pub points: Vec<Point>,
    /// How the line is drawn.
    pub stroke: Stroke,
    /// The series that the chart is about: no other has its colour and its mark.
    pub leads: bool,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stroke {
    /// A measurement.
    #[default]
    Solid,
    /// An estimate, such as an extrapolation.
    Dashed,
}

/// A value and its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Place on the x axis; for bars the number of the group.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Lower bound; equal to `y` where none is known.
    pub low: f64,
    /// Upper bound; equal to `y` where none is known.
    pub high: f64,
}

impl Chart {
    /// A chart of bars without series.
    pub fn bars(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), kind: Kind::Bars, x, y, series: Vec::new(), legend: String::new() }
    }

    /// A chart of lines without series.
    pub fn lines(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), kind: Kind::Lines, x, y, series: Vec::new(), legend: String::new() }
    }

    /// The same with one more series.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The same with a legend that it shares with all charts that name it.
    #[must_use]
    pub fn sharing(mut self, legend: impl Into<String>) -> Self {
        self.legend = legend.into();
        self
    }
}

impl Axis {
    /// An axis with equal steps.
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), scale: Scale::Linear }
    }

    /// An axis with equal ratios.
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), scale: Scale::Log }
    }

    /// An axis of named groups.
    pub fn names<N: Into<String>>(label: impl Into<String>, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { label: label.into(), unit: String::new(), scale: Scale::Names(names) }
    }

    /// An axis of ranges; `unit` is that of the names.
    pub fn bins<N: Into<String>>(
        label: impl Into<String>,
        unit: impl Into<String>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { label: label.into(), unit: unit.into(), scale: Scale::Bins(names) }
    }

    /// The caption of the axis: its label with the unit that its marks are in.
    pub(crate) fn caption(&self, unit: &str) -> String {
        match (self.label.is_empty(), unit.is_empty()) {
            (_, true) => self.label.clone(),
            (true, false) => unit.to_string(),
            (false, false) => format!("{} ({unit})", self.label),
        }
    }

    /// The names of groups or ranges, if it has any.
    pub(crate) fn groups(&self) -> Option<&[String]> {
        match &self.scale {
            Scale::Names(names) | Scale::Bins(names) => Some(names),
            Scale::Linear | Scale::Log => None,
        }
    }
}

impl Series {
    /// Points under a name.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = Point>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect(), stroke: Stroke::Solid, leads: false }
    }

    /// One value for each group of a chart of bars, from the first group on.
    pub fn of_values(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let points = values.into_iter().enumerate().map(|(group, value)| Point::new(group as f64, value));
        Self::new(name, points)
    }

    /// The same as the one that the chart is about, if it is.
    #[must_use]
    pub fn leading(mut self, leads: bool) -> Self {
        self.leads = leads;
        self
    }

    /// The same with dashes: it is only estimated.
    #[must_use]
    pub fn dashed(mut self) -> Self {
        self.stroke = Stroke::Dashed;
        self
    }
}

impl Point {
    /// A value without bounds.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y }
    }

    /// A value with bounds, such as those of a confidence interval.
    pub fn between(x: f64, y: f64, low: f64, high: f64) -> Self {
        Self { x, y, low, high }
    }

    /// Whether it has bounds that can be seen.
    pub(crate) fn has_bounds(&self) -> bool {
        self.low.is_finite() && self.high.is_finite() && self.low < self.high
    }
}
