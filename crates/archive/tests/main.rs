//! Tests against the programs that write archives.

mod ar;
mod compression;
mod cpio;
mod rpm;
mod sevenz;
mod tar;
mod zip;
