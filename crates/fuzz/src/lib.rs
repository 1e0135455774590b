//! The fuzz targets: one for each parser of external input. None may panic, whatever the bytes.
//!
//! `fuzz/run` runs targets endlessly; the tests here run all of them over their seeds (`fuzz/corpus`) and over mutated
//! copies for a bounded time. Every format of manifests is a target by its row in
//! [`FORMATS`](hashmill_manifest::format::FORMATS).

#[cfg(feature = "image")]
mod archives;
pub mod bag;
pub mod calibration;
pub mod disk;
#[cfg(feature = "image")]
mod disks;
pub mod file_systems;
pub mod formats;
pub mod history;
#[cfg(feature = "image")]
pub mod image;
pub mod kernels;
#[cfg(feature = "known")]
pub mod known;
pub mod media;
#[cfg(feature = "sign")]
pub mod model;
pub mod objects;
pub mod saved;
pub mod seal;
#[cfg(feature = "sign")]
pub mod sign;
pub mod similar;
mod targets;

pub use targets::{Target, find, targets};
