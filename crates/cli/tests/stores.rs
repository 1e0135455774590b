//! Locations wherever there is a path: against servers of other makers, which scripts/setup-stores installs, and which
//! these tests start on loopback and end.

mod bags;
pub mod gateway;
mod images;
mod others;
mod s3;
mod toxics;
mod urls;
mod versions;
