//! Measures the speed of this machine, and presents it in tables and charts.
//!
//! [`take_turns`] times several works in alternation, round after round; [`Shape`] makes a work from a bank;
//! [`calibrate()`] measures every kernel of the table of costs, for a [`Calibration`](hashmill_digest::Calibration) to
//! store. [`stats`] evaluates samples of measurements; a [`Clock`] tells time, and can be controlled in tests.
//!
//! A comparison writes a [`Document`]; its [`View`] is what people see, on a terminal, as Markdown or on a page
//! ([`export`]). All comparisons are in [`COMPARISONS`]. This crate does not decide where files are stored.

mod comparison;
mod comparisons;
mod document;
pub mod export;
pub mod generated;
mod host;
pub mod implementation;
mod load;
mod measure;
pub mod peers;
mod program;
pub mod race;
mod stage;
#[cfg_attr(target_os = "linux", path = "sys/linux/mod.rs")]
#[cfg_attr(target_os = "macos", path = "sys/macos/mod.rs")]
#[cfg_attr(windows, path = "sys/windows/mod.rs")]
mod sys;
mod timed;
mod view;

pub use comparison::{Comparison, view};
pub use comparisons::calibrate::{CompressKernel, KernelCost, TURN, calibrate, shape};
pub use comparisons::{COMPARISONS, ComparisonKind, InvalidDocument, view_of};
pub use comparisons::{calibrate, corpus, cycles, sizes, throughput, tools};
pub use document::Document;
pub use host::Host;
#[cfg(test)]
pub(crate) use measure::clock::FakeClock;
pub use measure::clock::{Clock, SystemClock};
pub use measure::control::Control;
pub use measure::disturbance::DisturbanceMonitor;
pub use measure::draw::Draw;
pub use measure::rounds::{Times, Turn, Work, take_turns};
pub use measure::shape::{Memory, Shape};
pub use measure::stats;
pub use stage::{Conditions, Stage};
pub use timed::{Against, Ranking, Status, Timed};
pub use view::View;
