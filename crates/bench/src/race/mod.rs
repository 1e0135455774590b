//! Programs run in turn on the same work: started, timed, verified, and excluded on errors.

mod cold;
mod order;
pub(crate) mod runner;
mod spawn;

pub use crate::program::{CAPTURED, Ended};
pub use cold::{CacheDropper, DropMethod, PageCache};
pub use order::{Call, Case, Competitor, CompetitorResult, Plan, Standing, Step, TimedRun, Track};
pub use runner::{Invocation, Ran, Runner};
pub use spawn::System;
pub(crate) use spawn::named;
