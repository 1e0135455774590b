//! The command as its users see it: one binary for all cases, one helper.

mod audit;
mod bag;
mod bench_tools;
mod calibrate;
mod case;
mod check;
mod convert;
mod diff;
mod dupes;
mod exits;
mod explain;
mod faults;
mod hash;
mod help;
mod image;
mod kernels;
mod known;
#[path = "../../image/tests/util/mixed.rs"]
mod media;
#[path = "../../known/tests/support/rds.rs"]
mod rds;
mod reading;
mod report;
mod resume;
mod seal;
mod sign;
mod similar;
mod stamp;
#[path = "../../known/tests/support/mod.rs"]
mod support;
mod terminal;
mod util;
