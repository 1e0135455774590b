//! Histories of ASC-MHL: the chain in a folder `ascmhl`, the union of its generations, and the next generation.
//!
//! A generation is a manifest that adds to earlier ones: a digest that was found again is `verified`, one of a new file
//! is `original`, and one that differs is `failed`. The known digests of a file are those of all generations, except
//! failed ones. Source: ASC MHL Specification 2.0, its schema, and the reference implementation.

mod chain;
mod folders;
mod merged;
mod next;
mod parts;

pub use chain::{BadChain, Chain, Link};
pub use folders::{FolderDigest, GenerationFolder};
pub use merged::Merged;
pub use next::{Action, GenerationWriter, Next};
pub use parts::{GenerationPart, Parts};

pub(in crate::format) use next::HOLDS;
pub(in crate::format) use parts::reader;

/// The name of a history's folder.
pub const FOLDER: &str = "ascmhl";
/// The name of the chain in that folder.
pub const CHAIN: &str = "ascmhl_chain.xml";
/// The patterns of every history, which exclude its own files.
pub const PATTERNS: [&str; 3] = [".DS_Store", "ascmhl", "ascmhl/"];

/// The maximum number of generations.
const MAX_GENERATIONS: u64 = 999_999_999;

/// Returns the number at the start of a generation's file name; `None` if the name is not one of a generation.
pub fn number_of(name: &[u8]) -> Option<u64> {
    let stem = name.strip_suffix(b".mhl")?;
    let digits = stem.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = stem.split_at(digits);
    let is_name = digits >= 4 && (rest.is_empty() || rest.len() > 1 && rest[0] == b'_');
    crate::format::values::naming::number(number).filter(|number| is_name && *number <= MAX_GENERATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_generation_begins_with_its_number() {
        assert_eq!(number_of(b"0012_A002R2EC_2020-01-16_091500Z.mhl"), Some(12));
        assert_eq!(number_of(b"10000_x.mhl"), Some(10_000));
        assert_eq!(number_of(b"0001.mhl"), Some(1));
        for name in [
            "001_x.mhl",
            "0001_.mhl",
            "0001x.mhl",
            "0001_x.xml",
            "._0001_x.mhl",
            "packinglist_x.mhl",
            "1000000000_x.mhl",
        ] {
            assert_eq!(number_of(name.as_bytes()), None, "{name}");
        }
    }
}
