//! The data of a chart, independent of drawing.

/// One picture: a title, two axes, and series of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The title above the chart.
    pub title: String,
    /// The way in which points are drawn.
    pub kind: PointStyle,
    /// The axis of [`Point::x`]; for bars its scale contains the names of the groups.
    pub x: Axis,
    /// The axis of [`Point::y`].
    pub y: Axis,
    /// The series, in the order of the legend.
    pub series: Vec<Series>,
    /// The name of the legend shared with other charts of a [`Sheet`](super::Sheet); empty for a legend of its own.
    pub legend: String,
    /// The rows that each group of bars stands for; a page lets its reader choose them. May be shorter than the groups.
    pub picks: Vec<Option<Pick>>,
}

/// The rows of tables that a group of a chart stands for: those with a fitting cell in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// The title of the column.
    pub column: String,
    /// The cells that fit.
    pub cells: PickedCells,
}

/// The cells that a group of a chart stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PickedCells {
    /// Cells with this text.
    Is(String),
    /// Lists with this word, separated by commas.
    Has(String),
    /// Texts with this end, whether letters are capital or small.
    Ends(String),
    /// Numbers, or texts in the order of their characters: from the first on, below the second.
    Between(String, String),
}

/// The way in which points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointStyle {
    /// A bar for each point, grouped by x, with its value beside it; low and high as an error bar. On a logarithmic
    /// axis lengths would be meaningless, so bars are replaced by marks.
    Bars,
    /// A marker for each point, joined by a line; low and high as a band.
    Lines,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The quantity.
    pub label: String,
    /// The unit; empty if there is none. For `B` and `s` the whole axis uses the fitting prefix (KiB, MiB … and µs, ms
    /// …); `count` has marks at whole numbers only.
    pub unit: String,
    /// The mapping from values to positions.
    pub scale: Scale,
}

/// The mapping from values to positions.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Equal differences have equal distances.
    Linear,
    /// Equal ratios have equal distances; points at or below zero are left out.
    Log,
    /// Named groups of horizontal bars: x = 0 is the first.
    Names(Vec<String>),
    /// Adjacent ranges of values, as in a histogram: always upright, with some names left out if they don't all fit.
    Bins(Vec<String>),
}

/// Points with a common name and colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, in the order in which lines join them.
    pub points: Vec<Point>,
    /// Whether the chart is about this series: no other has its colour or its mark.
    pub leads: bool,
}

/// A value with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The position on the x axis; for bars the index of the group.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The lower bound; equal to `y` if unknown.
    pub low: f64,
    /// The upper bound; equal to `y` if unknown.
    pub high: f64,
}

impl Chart {
    const EMPTY: Chart = Chart {
        title: String::new(),
        kind: PointStyle::Bars,
        x: Axis { label: String::new(), unit: String::new(), scale: Scale::Linear },
        y: Axis { label: String::new(), unit: String::new(), scale: Scale::Linear },
        series: Vec::new(),
        legend: String::new(),
        picks: Vec::new(),
    };

    /// Creates a bar chart without series.
    pub fn bars(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, ..Self::EMPTY }
    }

    /// Creates a line chart without series.
    pub fn lines(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), kind: PointStyle::Lines, x, y, ..Self::EMPTY }
    }

    /// Adds a series.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Sets the rows that each group stands for.
    #[must_use]
    pub fn picking(mut self, picks: impl IntoIterator<Item = Option<Pick>>) -> Self {
        self.picks = picks.into_iter().collect();
        self
    }

    /// Sets the name of the legend, which all charts with that name share.
    #[must_use]
    pub fn sharing(mut self, legend: impl Into<String>) -> Self {
        self.legend = legend.into();
        self
    }
}

impl Pick {
    /// Creates a choice of the rows with a fitting cell in this column.
    pub fn new(column: impl Into<String>, cells: PickedCells) -> Self {
        Self { column: column.into(), cells }
    }
}

impl Axis {
    /// Creates a linear axis.
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), scale: Scale::Linear }
    }

    /// Creates a logarithmic axis.
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), scale: Scale::Log }
    }

    /// Creates an axis of named groups.
    pub fn names<N: Into<String>>(label: impl Into<String>, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { label: label.into(), unit: String::new(), scale: Scale::Names(names) }
    }

    /// Creates an axis of ranges; `unit` is that of the names.
    pub fn bins<N: Into<String>>(
        label: impl Into<String>,
        unit: impl Into<String>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { label: label.into(), unit: unit.into(), scale: Scale::Bins(names) }
    }

    /// Returns the caption: the label with the unit of the marks.
    pub(crate) fn caption(&self, unit: &str) -> String {
        match (self.label.is_empty(), unit.is_empty()) {
            // Of things that are counted the label says all.
            _ if unit == "count" && !self.label.is_empty() => self.label.clone(),
            (_, true) => self.label.clone(),
            (true, false) => unit.to_string(),
            (false, false) => format!("{} ({unit})", self.label),
        }
    }

    /// Returns the names of groups or ranges, if there are any.
    pub(crate) fn groups(&self) -> Option<&[String]> {
        match &self.scale {
            Scale::Names(names) | Scale::Bins(names) => Some(names),
            Scale::Linear | Scale::Log => None,
        }
    }
}

impl Series {
    /// Creates a series of points.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = Point>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect(), leads: false }
    }

    /// Creates a series with one value for each group of a bar chart, starting with the first group.
    pub fn of_values(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let points = values.into_iter().enumerate().map(|(group, value)| Point::new(group as f64, value));
        Self::new(name, points)
    }

    /// Marks the series that the chart is about.
    #[must_use]
    pub fn leading(mut self, leads: bool) -> Self {
        self.leads = leads;
        self
    }
}

impl Point {
    /// Creates a value without bounds.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y }
    }

    /// Creates a value with bounds, such as a confidence interval.
    pub fn between(x: f64, y: f64, low: f64, high: f64) -> Self {
        Self { x, y, low, high }
    }

    /// Returns whether it has visible bounds.
    pub(crate) fn has_bounds(&self) -> bool {
        self.low.is_finite() && self.high.is_finite() && self.low < self.high
    }
}
