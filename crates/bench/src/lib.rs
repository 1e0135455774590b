//! Measures the speed of this machine, and presents it in tables and charts.
//!
//! [`take_turns`] times several works in alternation, round after round; [`Shape`] makes a work from a bank;
//! [`calibrate()`] measures every kernel of the table of costs, for a [`Calibration`](hashmill_digest::Calibration) to
//! store. [`stats`] evaluates samples of measurements; a [`Clock`] tells time, and can be controlled in tests.
//!
//! A comparison writes a [`Document`]; its [`View`] is what people see, on a terminal, as Markdown or on a page
//! ([`export`]). All comparisons are in [`COMPARISONS`]. This crate does not decide where files are stored.

pub mod calibrate;
mod charting;
mod clock;
mod comparison;
mod comparisons;
mod control;
pub mod corpus;
pub mod cycles;
mod disturbance;
mod document;
mod draw;
pub mod export;
pub mod generated;
mod host;
pub mod implementation;
mod load;
pub mod peers;
pub mod race;
mod rounds;
mod shape;
pub mod sizes;
mod stage;
pub mod stats;
#[cfg_attr(target_os = "linux", path = "sys/linux/mod.rs")]
#[cfg_attr(target_os = "macos", path = "sys/macos/mod.rs")]
#[cfg_attr(windows, path = "sys/windows/mod.rs")]
mod sys;
pub mod throughput;
mod timed;
pub mod tools;
mod view;

pub use calibrate::{CompressKernel, KernelCost, TURN, calibrate, shape};
#[cfg(test)]
pub(crate) use clock::FakeClock;
pub use clock::{Clock, SystemClock};
pub use comparison::{Comparison, view};
pub use comparisons::{COMPARISONS, ComparisonKind, InvalidDocument, view_of};
pub use control::Control;
pub use disturbance::DisturbanceMonitor;
pub use document::Document;
pub use draw::Draw;
pub use host::Host;
pub use rounds::{Times, Turn, Work, take_turns};
pub use shape::{Memory, Shape};
pub use stage::{Conditions, Stage};
pub use timed::{Against, Ranking, Status, Timed};
pub use view::View;
