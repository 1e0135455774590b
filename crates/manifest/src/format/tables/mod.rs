//! Formats of tables: comma-separated values, Parquet, databases, and inventories of stores.

pub(crate) mod cells;
pub(crate) mod cfv;
pub(crate) mod csv;
pub(crate) mod facts;
pub(crate) mod fields;
pub(crate) mod inventory;
pub(crate) mod known_sets;
pub(crate) mod metadata;
#[cfg(feature = "tables")]
pub(crate) mod parquet;
pub(crate) mod parts;
#[cfg(feature = "tables")]
pub(crate) mod sqlite;
pub(crate) mod titles;
