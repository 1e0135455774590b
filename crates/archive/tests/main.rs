//! Tests against the programs that write archives.

mod tar;
mod compression;
mod zip;
mod sevenz;
mod ar;
mod cpio;
mod rpm;
