//! The command as its users see it: one binary for all cases, one helper.

mod audit;
mod check;
mod explain;
mod faults;
mod hash;
mod help;
mod image;
mod reading;
mod resume;
mod util;
