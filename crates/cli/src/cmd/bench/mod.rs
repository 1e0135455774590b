//! `hashloom bench`: what this machine can do.

mod calibrate;
pub mod corpus;
pub mod definition;
mod export;
mod race;
pub mod sizes;
pub mod tools;

pub use calibrate::run as calibrate;
pub use export::Exports;
