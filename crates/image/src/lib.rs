//! Reads and writes forensic images: media bytes, checks of every part, stored digests.
//!
//! [`Image::open`] reads Expert Witness images (E01 of every program, S01, L01, Ex01, Lx01), virtual disks (QCOW2, VMDK,
//! VHD, VHDX, VDI), AFF4 images of disks, and raw images, split or not. It refuses containers of other programs by
//! name, so they never pass as raw media. Problems become [`Finding`]s with their locations, and reading goes on.
//!
//! [`ImageWriter`] writes media bytes that come in order as E01, or raw.
//!
//! This crate knows nothing of manifests, options or terminals; it uses `hashmill-digest` to compute the digests
//! that it compares with stored ones.

mod acquisition;
mod bytes;
mod claim;
mod container;
mod disks;
mod error;
mod ewf;
mod export;
mod files;
mod finding;
mod format;
mod hashing;
mod image;
mod inflate;
mod info;
mod open;
mod verify;
mod writing;

pub use acquisition::{Acquisition, Date};
pub use bytes::text::Field;
pub use claim::{Claim, ClaimCheck, DigestOutcome};
pub use container::{Container, Family};
pub use error::{ChunkProblem, Error, Problem, StatedBacking};
pub use ewf::draft::{HeaderText, Session};
pub use ewf::geometry::{Geometry, Media, WriteBlocker};
pub use ewf::logical::{Entry, Extent, Times};
pub use ewf::table::Coding;
pub use export::{export, export_sparse};
pub use files::open_image;
pub use files::opener::{Local, Opener, SharedFile, fill_at};
pub use finding::{Finding, ImageLocation, ProblemKind, Section, Severity, Span};
pub use format::{Fact, Format, Segment};
pub use hashing::Computed;
pub use image::Image;
pub use image::chunk::{ChunkState, Scratch};
pub use image::pipeline::{Consumer, MediaPart, PipelineSummary, Progress, Resources, stream, stream_to};
pub use image::range::Window;
pub use image::stream::{EntryReader, MediaReader};
pub use info::Info;
pub use open::look::{Look, is_marked, is_named_as_image_if, look, look_by};
pub use verify::{EntryCheck, ImageVerdict, Options, Verification, compare_stored, verify};
pub use writing::{
    Compression, ImageForm, ImageSettings, ImageWriter, MediaEnd, SegmentFiles, WrittenImage, segment_path,
    segments_beside,
};
