//! Whole operations as library calls, without the command.

mod audit;
mod check;
mod hash;
#[cfg(feature = "images")]
mod imaging;
mod redacted;
mod rewritten;
mod sets;
mod similarity;
mod util;
#[cfg(feature = "sign")]
mod vouched;
