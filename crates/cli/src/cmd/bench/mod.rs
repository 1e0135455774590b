//! `hashloom bench`: what this machine can do.

mod calibrate;
mod export;

pub use calibrate::run as calibrate;
pub use export::Exports;
