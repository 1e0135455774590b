//! Tests of walks and reads.

#[cfg(unix)]
mod ahead;
mod any;
#[cfg(unix)]
mod common;
#[cfg(unix)]
mod content;
#[cfg(unix)]
mod device;
#[cfg(unix)]
mod disk;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod read;
#[cfg(unix)]
mod reading;
#[cfg(unix)]
mod swap;
#[cfg(unix)]
mod walk;
