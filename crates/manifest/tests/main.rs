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
#[cfg(feature = "tables")]
mod tables;
#[cfg(unix)]
mod tools;
