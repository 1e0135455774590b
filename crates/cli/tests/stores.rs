//! Locations wherever there is a path: against servers of other makers, which scripts/setup-stores installs, and which
//! these tests start on loopback and end.

mod gateway;
mod others;
mod s3;
mod urls;
