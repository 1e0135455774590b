//! Histories of ASC-MHL: the chain of a folder `ascmhl`, what its generations say together, and the next of them.
//!
//! A generation is a manifest. It adds to those before it: a digest that it found again is `verified`, one of a file that is
//! new `original`, and one that is not what it was `failed`. So what is known of a file is all that any generation says of it,
//! but for what failed. Source: ASC MHL Specification 2.0, its schema, and what the reference implementation reads and writes.

mod chain;
mod merged;
mod next;
mod parts;

pub use chain::{BadChain, Chain, Link};
pub use merged::Merged;
pub use next::{Action, GenerationWriter, Next};
pub use parts::{Part, Parts};

pub(super) use next::HOLDS;
pub(super) use parts::reader;

/// The folder that a history lies in.
pub const FOLDER: &str = "ascmhl";
/// The chain in that folder.
pub const CHAIN: &str = "ascmhl_chain.xml";
/// The patterns that each history has: nothing of it is a file of its tree.
pub const PATTERNS: [&str; 3] = [".DS_Store", "ascmhl", "ascmhl/"];

/// The most generations of a history.
const MOST: u64 = 999_999_999;

/// Returns the number of a generation, which its name begins with; none of a name that is not one's.
pub fn number_of(name: &[u8]) -> Option<u64> {
    let stem = name.strip_suffix(b".mhl")?;
    let digits = stem.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = stem.split_at(digits);
    let is_name = digits >= 4 && (rest.is_empty() || rest.len() > 1 && rest[0] == b'_');
    super::naming::number(number).filter(|number| is_name && *number <= MOST)
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
