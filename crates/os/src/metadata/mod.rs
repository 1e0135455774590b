//! The metadata of files, as all systems have it.

pub mod facts;
pub mod owner;
pub mod reparse;
