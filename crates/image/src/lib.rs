//! Reads forensic images: media bytes, checks of every part, stored digests.
//!
//! [`Image::open`] reads Expert Witness images (E01 of every program, S01, L01, Ex01, Lx01), virtual disks (QCOW2, VMDK,
//! VHD, VHDX, VDI), AFF4 images of disks, and raw images, split or not. It refuses containers of other programs by
//! name, so they never pass as raw media. Problems become [`Finding`]s with their locations, and reading goes on.
//!
//! This crate knows nothing of manifests, options or terminals; it uses `hashmill-digest` to compute the digests
//! that it compares with stored ones.

mod acquisition;
mod aff4;
mod be;
mod blocks;
mod checksums;
mod chunk;
mod claim;
mod container;
mod disks;
mod draft;
mod error;
mod ewf1;
mod ewf2;
mod export;
mod files;
mod finding;
mod format;
mod geometry;
mod hashing;
mod image;
mod inflate;
mod info;
mod le;
mod logical;
mod look;
mod name;
mod open;
mod opener;
mod pipeline;
mod qcow2;
mod range;
mod segments;
mod stream;
mod table;
mod text;
mod vdi;
mod verify;
mod vhd;
mod vhdx;
mod vmdk;
mod zstd;

pub use acquisition::{Acquisition, Date};
pub use chunk::{ChunkState, Scratch};
pub use claim::{Claim, ClaimCheck, DigestOutcome};
pub use container::{Container, Family};
pub use draft::{HeaderText, Session};
pub use error::{ChunkProblem, Error, Problem, StatedBacking};
pub use export::{export, export_sparse};
pub use files::open_image;
pub use finding::{Finding, ImageLocation, ProblemKind, Section, Severity, Span};
pub use format::{Fact, Format, Segment};
pub use geometry::{Geometry, Media, WriteBlocker};
pub use hashing::Computed;
pub use image::Image;
pub use info::Info;
pub use logical::{Entry, Extent, Times};
pub use look::{Look, is_marked, is_named_as_image_if, look, look_by};
pub use opener::{Local, Opener, SharedFile, fill_at};
pub use pipeline::{Consumer, MediaPart, PipelineSummary, Progress, Resources, stream, stream_to};
pub use range::Window;
pub use stream::{EntryReader, MediaReader};
pub use table::Coding;
pub use text::Field;
pub use verify::{EntryCheck, ImageVerdict, Options, Verification, compare_stored, verify};
