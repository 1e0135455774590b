//! Tests of bags.

mod judge;
mod round_trip;
