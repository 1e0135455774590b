//! Whole operations as library calls, without the command.

mod at_once;
mod audit;
#[cfg(feature = "stores")]
#[path = "../../store/tests/bucket.rs"]
#[allow(dead_code, reason = "the tests of stores need more of it")]
mod bucket;
mod check;
mod hash;
mod imaging;
mod redacted;
mod rewritten;
#[cfg(feature = "stores")]
#[path = "../../store/tests/server.rs"]
#[allow(dead_code, reason = "the tests of stores need more of it")]
mod server;
mod sets;
mod similarity;
mod util;
mod vouched;
