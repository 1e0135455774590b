//! Damaged archives.
