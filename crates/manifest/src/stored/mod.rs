//! What stores say of their objects: how strong a proof it is, and what their notations of digests mean. Nothing here asks a
//! store: listings, inventories and answers come from whoever did.

mod name;
mod s3;
mod strength;

pub use name::{azure, crc64_azure, google, of_base64};
pub use s3::{CHECKSUMS, Checksum, Etag, even, many_parts, may_be_of_others, of_parts, usual_parts};
pub use strength::Strength;
