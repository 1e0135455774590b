//! `hashmill known`, and the options about known digests in other commands.

mod against;
mod damage;
mod lists;
mod matching;
mod nsrl;
mod query;

/// Digests of `abc`.
pub const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
pub const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
pub const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// The MD5 of nothing.
pub const EMPTY: &str = "d41d8cd98f00b204e9800998ecf8427e";
