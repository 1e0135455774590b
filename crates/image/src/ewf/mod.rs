//! The Expert Witness format: segment files, their sections and tables.

pub(crate) mod draft;
pub(crate) mod ewf1;
pub(crate) mod ewf2;
pub(crate) mod geometry;
pub(crate) mod logical;
pub(crate) mod segments;
pub(crate) mod table;
