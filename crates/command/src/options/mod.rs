//! Options that several commands share. Options of a single command belong to its own module.

pub mod algorithms;
pub mod blake3;
pub mod case;
pub mod errors;
pub mod force;
pub mod format;
#[cfg(feature = "images")]
pub mod images;
pub mod known;
pub mod model;
pub mod pronom;
#[cfg(feature = "stores")]
pub mod proofs;
pub mod remote;
pub mod resources;
#[cfg_attr(not(feature = "yara"), path = "no_rules.rs")]
pub mod rules;
#[cfg_attr(not(feature = "sign"), path = "no_signatures.rs")]
pub mod signatures;
pub mod sources;
#[cfg_attr(not(feature = "stores"), path = "no_stores.rs")]
pub mod stores;
pub mod strength;
pub mod values;
pub mod write;
