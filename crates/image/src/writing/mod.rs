//! Writing of images: bytes of the media come in order, and become segment files of EWF-E01, or raw files.
//!
//! ```text
//!   writer ── pipeline    chunks are compressed on several threads, and stay in order
//!      │          │
//!   ewf, raw   packing
//!      │
//!   sections, headers
//! ```

mod ewf;
mod headers;
mod names;
mod packing;
mod pipeline;
mod raw;
mod sections;
mod settings;
mod writer;

pub use names::{ImageForm, segment_path, segments_beside};
pub use packing::Compression;
pub use settings::{ImageSettings, MediaEnd, SegmentFiles, WrittenImage};
pub use writer::ImageWriter;
