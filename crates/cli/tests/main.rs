//! The command as its users see it: one binary for all cases, one helper.

mod audit;
mod check;
mod faults;
mod hash;
mod help;
mod resume;
mod similar;
mod util;
