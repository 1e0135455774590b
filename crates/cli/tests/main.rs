//! The command as its users see it: one binary for all cases, one helper.

mod audit;
mod calibrate;
mod case;
mod check;
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
mod similar;
#[path = "../../known/tests/support/mod.rs"]
mod support;
mod util;
