//! The memory of repeated verification: which file had which content, when that was last proved, and what was found.
//!
//! A [`State`] is one SQLite database with a [`Kept`] row for each file. [`judge`] compares what is read with what is kept,
//! and gives a [`Verdict`]; [`State::plan`] says which files are to be read next. Each change of a row also changes the
//! [`Seal`], which binds all rows: an altered database shows.
//!
//! Nothing here reads a file but the database, or knows what time it is.

mod error;
mod judge;
mod kept;
mod order;
mod row;
mod seal;
mod state;
mod verdict;

pub use error::{Error, Why};
pub use judge::{Known, Reading, Step, judge};
pub use kept::{Content, Kept, Stamp};
pub use order::{Due, Order};
pub use seal::Seal;
pub use state::{
    Begun, Below, Finding, LONGEST_PATH, Part, PastRun, ReadTotals, Repair, RepairStep, Root, Run, Share,
    State, Totals, Witness, aside_name,
};
pub use verdict::Verdict;
