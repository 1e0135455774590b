//! Locations wherever there is a path: against servers of other makers, which scripts/setup-stores installs, and which
//! these tests start on loopback and end.

mod archives;
mod bags;
mod based;
mod begun;
mod counting;
mod explain;
mod gate;
pub mod gateway;
mod images;
pub mod keeper;
pub mod others;
mod remotes;
mod requests;
mod resumed;
mod s3;
mod scrubbed;
mod servers;
mod toxics;
mod urls;
mod versions;
