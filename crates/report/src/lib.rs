//! Charts and pages from plain data.
//!
//! A [`Chart`] is drawn as SVG, light or dark. A [`Page`] is a self-contained HTML file without network access,
//! external fonts or foreign scripts; it contains text, facts, tables of any length and charts.
//!
//! This crate is independent of records, digests and measurements: its callers convert these to plain data.
//!
//! ```
//! use hashmill_report::{Axis, Chart, Point, Series, Theme};
//!
//! let chart = Chart::lines("Throughput", Axis::log("file size", "B"), Axis::linear("throughput", "MB/s"))
//!     .with(Series::new("sha256", [Point::new(1024.0, 310.0), Point::between(4096.0, 520.0, 500.0, 540.0)]));
//! assert!(chart.svg(Theme::Light).starts_with("<svg"));
//! ```

mod chart;
mod markup;
mod page;

pub use chart::{Axis, Chart, Pick, PickedCells, Point, PointStyle, Scale, Series, Sheet, Theme, size};
pub use page::{
    Cell, Chapter, Column, Extent, Figure, Page, PageVerdict, Section, SectionPart, Show, Table, TableOf,
    Tone,
};
