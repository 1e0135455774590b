//! Options that several commands share. Nothing here knows a command: each command owns its other options.

pub mod algorithms;
pub mod case;
pub mod errors;
#[cfg(feature = "images")]
pub mod images;
#[cfg(not(feature = "images"))]
#[path = "no_images.rs"]
pub mod images;
pub mod known;
pub mod model;
pub mod proofs;
pub mod report;
pub mod resources;
#[cfg(feature = "sign")]
pub mod signatures;
#[cfg(not(feature = "sign"))]
#[path = "no_signatures.rs"]
pub mod signatures;
pub mod sources;
#[cfg(feature = "stores")]
pub mod stores;
#[cfg(not(feature = "stores"))]
#[path = "no_stores.rs"]
pub mod stores;
pub mod values;
