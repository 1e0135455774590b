//! The measuring loop: clocks, turns in random order, disturbances, and statistics.

pub(crate) mod clock;
pub(crate) mod control;
pub(crate) mod disturbance;
pub(crate) mod draw;
pub(crate) mod rounds;
pub(crate) mod shape;
pub mod stats;
