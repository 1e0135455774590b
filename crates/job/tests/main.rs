//! Whole operations as library calls, without the command.

mod audit;
mod check;
mod hash;
mod util;
