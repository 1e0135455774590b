//! Limits far above the needs of any RDS.

/// The most tables, indexes and views of a database: an RDS has about twenty.
pub(super) const MOST_ITEMS: usize = 1000;

/// The most bytes of a row or a value: the names and descriptions of an RDS have some hundreds.
pub(super) const LONGEST_ROW: usize = 1 << 20;
