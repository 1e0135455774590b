//! Commands, one file or folder each.

pub(crate) mod models;

pub mod algorithms;
pub mod audit;
pub mod bag;
#[cfg(feature = "tables")]
pub mod bench;
pub mod check;
pub mod completions;
pub mod convert;
pub mod copy;
pub mod diff;
pub mod dupes;
pub mod explain;
pub mod hash;
#[cfg(feature = "images")]
pub mod image;
pub mod known;
pub mod man;
pub mod merge;
#[cfg(feature = "tables")]
pub mod report;
#[cfg(feature = "tables")]
pub mod scrub;
pub mod seal;
#[cfg(feature = "sign")]
pub mod sign;
pub mod similar;
pub mod tree;
#[cfg(feature = "tables")]
pub mod triage;
#[cfg(feature = "sign")]
pub mod verify;
