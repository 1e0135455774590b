//! Limits that no RDS comes near.

/// The most tables, indexes and views of a database: those of an RDS have about twenty.
pub(super) const MOST_ITEMS: usize = 1000;

/// The most bytes of a row, or of a value: the names and descriptions of an RDS have some hundreds.
pub(super) const LONGEST_ROW: usize = 1 << 20;
