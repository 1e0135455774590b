//! Devices, and reading what is on them.

pub(crate) mod disks;
pub(crate) mod uncached;
