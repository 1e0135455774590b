//! Tests of signatures. What programs of this machine made or judge is of Unix.

#[cfg(unix)]
mod bundle;
#[cfg(unix)]
mod chains;
mod every_bit;
#[cfg(unix)]
mod kinds;
#[cfg(unix)]
mod openssl;
#[cfg(unix)]
mod programs;
