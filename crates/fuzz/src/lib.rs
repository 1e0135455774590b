//! The fuzz targets: one for each parser of external input. None may panic, whatever the bytes.
//!
//! `fuzz/run` runs targets endlessly; the tests here run all of them over their seeds (`fuzz/corpus`) and over mutated
//! copies for a bounded time. Every format of manifests is a target by its row in
//! [`FORMATS`](hashmill_manifest::format::FORMATS).

pub mod bag;
pub mod calibration;
pub mod disk;
pub mod file_systems;
pub mod formats;
pub mod history;
pub mod kernels;
#[cfg(feature = "libraries")]
mod libraries;
pub mod measured;
pub mod media;
pub mod objects;
pub mod saved;
pub mod seal;
mod targets;

pub use targets::{Target, find, targets};
