//! One file for each command.

pub mod algorithms;
pub mod audit;
pub mod bag;
pub mod bench;
pub mod check;
pub mod completions;
pub mod convert;
pub mod diff;
pub mod dupes;
pub mod explain;
pub mod hash;
pub mod image;
pub mod known;
pub mod man;
pub mod merge;
pub mod report;
pub mod seal;
pub mod sign;
pub mod similar;
pub mod tree;
pub mod verify;
