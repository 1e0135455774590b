//! Images of every program, whole and damaged.

mod corrupt;
mod damage;
mod disks;
// Sockets.
#[cfg(unix)]
mod foreign;
mod hostile;
mod matrix;
mod pipeline;
mod range;
mod samples;
mod util;
mod writing;
