//! Digests in the metadata of object stores: their notations and their strength as evidence. Nothing here contacts a
//! store; callers pass in listings, inventories and answers.

mod name;
mod s3;
mod strength;

pub use name::{azure, crc64_azure, google, of_base64};
pub use s3::{CHECKSUMS, Checksum, Etag, even, many_parts, may_be_of_others, of_parts, usual_parts};
pub use strength::Strength;
