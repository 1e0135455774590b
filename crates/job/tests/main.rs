//! Whole operations as library calls, without the command.

mod audit;
mod check;
mod hash;
mod imaging;
mod redacted;
mod rewritten;
mod sets;
mod similarity;
mod util;
mod vouched;
