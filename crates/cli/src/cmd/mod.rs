//! One file for each command.

pub mod algorithms;
pub mod audit;
pub mod bench;
pub mod check;
pub mod completions;
pub mod explain;
pub mod hash;
pub mod image;
pub mod known;
pub mod man;
pub mod seal;
pub mod similar;
