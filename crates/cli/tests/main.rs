//! The command as its users see it: one binary for all cases, one helper.

mod audit;
mod calibrate;
mod check;
mod explain;
mod faults;
mod hash;
mod help;
mod reading;
mod resume;
mod similar;
mod util;
