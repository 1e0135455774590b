//! BLAKE2 with a key, a salt, a personalization, and as a node of a tree (RFC 7693, section 2.5; "BLAKE2: simpler,
//! smaller, fast as MD5", section 2.8).

use super::{Blake2bLibrary, Blake2sLibrary};
use crate::bank::{Bank, serial_by};
use std::fmt;

/// One of the two functions, and the most bytes of each parameter.
#[derive(Debug, PartialEq, Eq)]
pub struct Blake2 {
    /// The name of the function.
    pub name: &'static str,
    /// Bytes of the longest digest.
    pub digest: usize,
    /// Bytes of the longest key.
    pub key: usize,
    /// Bytes of the longest salt.
    pub salt: usize,
    /// Bytes of the longest personalization.
    pub person: usize,
    /// The greatest offset of a node.
    pub offset: u64,
}

/// The inputs of a digest besides the message.
#[derive(Debug, Clone, Copy)]
pub struct Blake2Parameters<'a> {
    /// Bytes of the digest.
    pub digest: usize,
    /// The key; none if it is empty.
    pub key: &'a [u8],
    /// The salt, filled up with zeros.
    pub salt: &'a [u8],
    /// The personalization, filled up with zeros.
    pub person: &'a [u8],
    /// The most children of a node; 0 for any number.
    pub fanout: u8,
    /// The depth of the tree; 255 for any depth.
    pub depth: u8,
    /// Bytes of a leaf; 0 for any number.
    pub leaf: u32,
    /// The place of this node among those of its depth.
    pub offset: u64,
    /// The depth of this node.
    pub node_depth: u8,
    /// Bytes of the digests of inner nodes.
    pub inner: usize,
    /// This node is the last one of its depth.
    pub last_node: bool,
}

/// A parameter that BLAKE2 does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadBlake2 {
    /// A digest has 1 to so many bytes.
    Digest(usize),
    /// The parameter of this name has at most so many bytes.
    Long(&'static str, usize),
    /// A depth is at least 1.
    Depth,
    /// The offset of a node is at most this.
    Offset(u64),
}

impl Blake2 {
    /// BLAKE2b.
    pub const B: Blake2 =
        Blake2 { name: "blake2b", digest: 64, key: 64, salt: 16, person: 16, offset: u64::MAX };
    /// BLAKE2s.
    pub const S: Blake2 =
        Blake2 { name: "blake2s", digest: 32, key: 32, salt: 8, person: 8, offset: (1 << 48) - 1 };

    /// Returns the parameters of plain hashing.
    pub fn parameters(&self) -> Blake2Parameters<'static> {
        Blake2Parameters {
            digest: self.digest,
            key: &[],
            salt: &[],
            person: &[],
            fanout: 1,
            depth: 1,
            leaf: 0,
            offset: 0,
            node_depth: 0,
            inner: 0,
            last_node: false,
        }
    }

    /// Makes a bank of the function with these parameters.
    ///
    /// # Errors
    /// If one of them is out of range.
    pub fn bank(&self, given: &Blake2Parameters<'_>) -> Result<Box<dyn Bank>, BadBlake2> {
        self.check(given)?;
        macro_rules! state {
            ($library:ident) => {
                $library::Params::new()
                    .hash_length(given.digest)
                    .key(given.key)
                    .salt(given.salt)
                    .personal(given.person)
                    .fanout(given.fanout)
                    .max_depth(given.depth)
                    .max_leaf_length(given.leaf)
                    .node_offset(given.offset)
                    .node_depth(given.node_depth)
                    .inner_hash_length(given.inner)
                    .last_node(given.last_node)
                    .to_state()
            };
        }
        Ok(if *self == Blake2::B {
            let state = state!(blake2b_simd);
            serial_by(move || Blake2bLibrary::<64>(state.clone()))
        } else {
            let state = state!(blake2s_simd);
            serial_by(move || Blake2sLibrary(state.clone()))
        })
    }

    fn check(&self, given: &Blake2Parameters<'_>) -> Result<(), BadBlake2> {
        let long = |what, bytes: usize, most| {
            if bytes > most { Err(BadBlake2::Long(what, most)) } else { Ok(()) }
        };
        if !(1..=self.digest).contains(&given.digest) {
            return Err(BadBlake2::Digest(self.digest));
        }
        long("key", given.key.len(), self.key)?;
        long("salt", given.salt.len(), self.salt)?;
        long("person", given.person.len(), self.person)?;
        long("inner_size", given.inner, self.digest)?;
        match given {
            Blake2Parameters { depth: 0, .. } => Err(BadBlake2::Depth),
            Blake2Parameters { offset, .. } if *offset > self.offset => Err(BadBlake2::Offset(self.offset)),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for BadBlake2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadBlake2::Digest(most) => write!(f, "digest_size must be 1 to {most} bytes"),
            BadBlake2::Long(what, most) => write!(f, "{what} must be at most {most} bytes"),
            BadBlake2::Depth => f.write_str("depth must be at least 1"),
            BadBlake2::Offset(most) => write!(f, "node_offset must be at most {most}"),
        }
    }
}

impl std::error::Error for BadBlake2 {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::{StreamPart, hash};

    fn digest(mut bank: Box<dyn Bank>, message: &[u8]) -> String {
        let slot = bank.open();
        bank.update(&[StreamPart { slot, bytes: message, last: true }]);
        bank.close(slot).to_string()
    }

    #[test]
    fn without_parameters_it_is_the_plain_function() {
        for function in [Blake2::B, Blake2::S] {
            for bytes in [1, 20, 32] {
                let plain = find(&format!("{}:{bytes}", function.name)).unwrap();
                let given = Blake2Parameters { digest: bytes, ..function.parameters() };
                let found = digest(function.bank(&given).unwrap(), b"abc");
                assert_eq!(found, hash(plain, b"abc").to_string(), "{}", function.name);
            }
        }
    }

    /// The first of the keyed answers in the authors' `blake2-kat.json`.
    #[test]
    fn published_answers_with_a_key() {
        let key: Vec<u8> = (0..64).collect();
        let given = |key| Blake2Parameters { key, ..Blake2::B.parameters() };
        let found = digest(Blake2::B.bank(&given(&key)).unwrap(), b"");
        assert_eq!(found[..32], *"10ebb67700b1868efb4417987acf4690");
        let given = Blake2Parameters { key: &key[..32], ..Blake2::S.parameters() };
        let found = digest(Blake2::S.bank(&given).unwrap(), b"");
        assert_eq!(found[..32], *"48a8997da407876b3d79c0d92325ad3b");
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        let given = Blake2::S.parameters();
        let long = [0; 33];
        for (bad, why) in [
            (Blake2Parameters { digest: 0, ..given }, BadBlake2::Digest(32)),
            (Blake2Parameters { digest: 33, ..given }, BadBlake2::Digest(32)),
            (Blake2Parameters { key: &long, ..given }, BadBlake2::Long("key", 32)),
            (Blake2Parameters { salt: &long[..9], ..given }, BadBlake2::Long("salt", 8)),
            (Blake2Parameters { person: &long[..9], ..given }, BadBlake2::Long("person", 8)),
            (Blake2Parameters { inner: 33, ..given }, BadBlake2::Long("inner_size", 32)),
            (Blake2Parameters { depth: 0, ..given }, BadBlake2::Depth),
            (Blake2Parameters { offset: 1 << 48, ..given }, BadBlake2::Offset((1 << 48) - 1)),
        ] {
            assert_eq!(Blake2::S.bank(&bad).err(), Some(why));
        }
    }
}
