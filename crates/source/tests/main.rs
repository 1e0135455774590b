//! Walking and reading: real files, faults, devices.

mod ahead;
mod common;
mod content;
mod device;
mod disk;
mod faults;
mod read;
mod reading;
mod walk;
