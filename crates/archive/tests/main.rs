//! Tests against the programs that write archives.

mod compression;

// They pack trees with the names, modes and links of Unix.
#[cfg(unix)]
mod ar;
#[cfg(unix)]
mod cpio;
#[cfg(unix)]
mod rpm;
#[cfg(unix)]
mod sevenz;
#[cfg(unix)]
mod tar;
#[cfg(unix)]
mod zip;
