//! sdhash: Bloom filters of those 64-byte windows that are the rarest in their neighbourhood.
//!
//! Source: Roussev, "Data fingerprinting with similarity digests" (2010), and the reference programs 3.4 and
//! 4.0 (Apache-2.0).

mod blocks;
mod features;
mod list;
mod popularity;
mod score;
mod set;
mod stream;
mod tables;
mod whole;

pub use crate::digest::sdhash::{Layout, SdhashDigest, lines};
pub(crate) use list::join;
pub use list::parse;
pub use score::{Fast, Newer, Older, Scoring};
pub use set::Set;
pub use stream::{Mode, SdhashStream};

/// The minimum length of a stream, in bytes.
pub const MINIMUM: u64 = 512;
/// The minimum number of elements of a filter that is compared.
const FEWEST: u8 = 16;
/// The release of the reference program with the same digests. Digests of whole streams differ between releases, but
/// their text does not contain the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// Each filter skips elements that it already holds.
    V3_4,
    /// Elements of earlier filters are skipped, too.
    V4_0,
}
