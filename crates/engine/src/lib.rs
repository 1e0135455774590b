//! Joins files and algorithms: a [`Plan`] and the entries of a walk in, an ordered stream of
//! [`Outcome`]s out.

mod plan;
mod run;
mod stats;

pub use plan::{Cancel, Order, Plan};
pub use run::{Outcome, Trouble, run};
pub use stats::{Live, Stats};
