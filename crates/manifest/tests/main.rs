//! Tests of formats of lists.

mod audit;
mod case;
mod dfxml;
mod formats;
mod inventory;
#[cfg(unix)]
mod listed;
mod lists;
mod malformed;
mod programs;
#[cfg(all(feature = "parquet", feature = "sqlite"))]
mod tables;
#[cfg(unix)]
mod tools;
