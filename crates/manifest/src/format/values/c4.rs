//! C4 IDs: `c4`, and a SHA-512 as 88 digits of base 58. Source: SMPTE ST 2114.

use hashmill_digest::Digest;

const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// The number of digits behind `c4`.
const LENGTH: usize = 88;

/// The length of a SHA-512 in bytes.
const BYTES: usize = 64;

/// Decodes an ID to a SHA-512.
pub(in crate::format) fn decoded(text: &[u8]) -> Option<Digest> {
    let digits = text.strip_prefix(b"c4").filter(|digits| digits.len() == LENGTH)?;
    let mut bytes = [0_u8; BYTES];
    for digit in digits {
        let mut carry = DIGITS.iter().position(|known| known == digit)? as u32;
        for byte in bytes.iter_mut().rev() {
            carry += u32::from(*byte) * 58;
            *byte = carry as u8;
            carry >>= 8;
        }
        if carry > 0 {
            return None;
        }
    }
    Some(Digest::new(&bytes))
}

/// Encodes a SHA-512 as an ID.
pub(in crate::format) fn encode(digest: &Digest, text: &mut Vec<u8>) {
    let mut bytes = digest.as_bytes().to_vec();
    text.extend_from_slice(b"c4");
    let start = text.len();
    for _ in 0..LENGTH {
        let mut rest = 0;
        for byte in &mut bytes {
            let value = (rest << 8) + u32::from(*byte);
            *byte = (value / 58) as u8;
            rest = value % 58;
        }
        text.push(DIGITS[rest as usize]);
    }
    text[start..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ID of the empty input, from the standard.
    const EMPTY: &str =
        "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT";
    const SHA512: &str = "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
                          47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e";

    fn encoded(digest: &Digest) -> String {
        let mut text = Vec::new();
        encode(digest, &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn an_id_is_a_sha512() {
        let digest = decoded(EMPTY.as_bytes()).unwrap();
        assert_eq!(digest.to_string(), SHA512);
        assert_eq!(encoded(&digest), EMPTY);
        assert_eq!(decoded(&[b"c4", [b'z'; LENGTH].as_slice()].concat()), None);
        assert_eq!(decoded(b"c40"), None);
    }

    #[test]
    fn the_least_and_the_greatest_come_back() {
        for bytes in [[0; BYTES], [0xff; BYTES]] {
            let text = encoded(&Digest::new(&bytes));
            assert_eq!(text.len(), LENGTH + 2);
            assert_eq!(decoded(text.as_bytes()), Some(Digest::new(&bytes)));
        }
    }
}
