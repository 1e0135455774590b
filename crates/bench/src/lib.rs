//! Measures what kernels cost on this machine.
//!
//! [`take_turns`] times any works in turn, round after round; [`Shape`] makes work of a bank; [`calibrate`]
//! measures every kernel of the table of costs, and a [`Calibration`] is the file that keeps them. Nothing
//! here knows where that file lies.

mod calibrate;
mod calibration;
mod rounds;
mod shape;

pub use calibrate::{Measured, TURN, Way, calibrate, shape};
pub use calibration::{Calibration, Unfit};
pub use rounds::{Times, Turn, Work, take_turns};
pub use shape::{Memory, Shape};
