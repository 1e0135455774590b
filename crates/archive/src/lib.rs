//! Reads what archives hold, down to the bytes of every member: tar, zip, 7z, cpio, ar and RPM, and what gzip, Zstandard,
//! xz, bzip2, LZ4 and others compressed.
//!
//! There are two kinds. Some archives have no directory, so that one member comes after the other ([`Members`]). Others
//! have one, so that any member can be read at any time ([`Directory`]). [`archive`] recognises and opens both.
//!
//! An archive may have been made to mislead. Nothing here panics, runs without end, or takes more memory than its
//! [`Limits`] say; what can't be read becomes the [`Problem`] of one member where the others can be found without it.
//!
//! This crate knows nothing of records or options, and has no `unsafe` code.

mod ar;
mod compression;
mod cpio;
mod fields;
mod foreign;
mod known;
mod limits;
mod member;
mod opened;
mod problem;
mod recognition;
mod registry;
mod rpm;
mod sevenz;
mod tar;
mod volumes;
mod zip;

pub use compression::{Compression, DecodingPlace, decoder, decoder_of_parts};
pub use foreign::foreign;
pub use hashmill_disk::{Medium, Range, Seekable, Time, Times};
pub use known::is_known;
pub use limits::Limits;
pub use member::directory::{Directory, DirectoryMember, MemberBytes};
pub use member::members::Members;
pub use member::{Member, MemberKind};
pub use opened::Archive;
pub use problem::Problem;
pub use recognition::Recognition;
pub use registry::{
    ARCHIVES, ArchiveFormat, OpenArchive, OpenStream, STREAMS, StreamFormat, archive, archives, stream,
};
pub use rpm::{RpmDigest, RpmFile, RpmPart, RpmPartDigest, RpmStatements, rpm_statements};
pub use volumes::Volumes;
pub use zip::{ZipDirectory, ZipPlace, ZipSegment};
