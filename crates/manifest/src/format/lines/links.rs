//! Links with the name, size and digest of a file: `ed2k://|file|NAME|SIZE|DIGEST|/` and
//! `magnet:?xl=SIZE&dn=NAME&xt=urn:ALGORITHM:DIGEST`, one per line, as written by `rhash --ed2k-link` and `--magnet`.

use crate::format::malformed::{Bad, Why};
use crate::format::read::list_line::plain_name;
use crate::format::values::foreign::Foreign;
use crate::format::values::naming::{named, named_as, number};
use crate::format::values::percent::decoded;
use crate::{Named, Record};
use hashmill_digest::{Algorithm, find};

const ED2K: &[u8] = b"ed2k://|file|";
const MAGNET: &[u8] = b"magnet:?";

/// Returns whether a line is such a link.
pub(in crate::format) fn is_link(line: &[u8]) -> bool {
    line.starts_with(ED2K) || line.starts_with(MAGNET)
}

pub(in crate::format) fn read(line: &[u8]) -> Result<Record, Bad> {
    match line.strip_prefix(ED2K) {
        Some(rest) => ed2k(rest),
        None => magnet(line.strip_prefix(MAGNET).unwrap_or(line)),
    }
}

/// Parses `NAME|SIZE|DIGEST`; anything after it is ignored.
fn ed2k(rest: &[u8]) -> Result<Record, Bad> {
    let mut fields = rest.split(|byte| *byte == b'|');
    let (name, size, digest) = (fields.next(), fields.next(), fields.next());
    let (Some(name), Some(size), Some(digest)) = (name, size, digest) else {
        return Err(Bad::new("line", Why::Unrecognised));
    };
    let size = number(size).ok_or(Bad::new("size", Why::Number))?;
    Ok(Record::hashed(plain_name(&decoded(name))?, Some(size), vec![named_as("ed2k", digest)?]))
}

fn magnet(rest: &[u8]) -> Result<Record, Bad> {
    let (mut name, mut size) = (Vec::new(), None);
    let (mut digests, mut foreign): (Vec<Named>, Option<Foreign>) = (Vec::new(), None);
    for pair in rest.split(|byte| *byte == b'&') {
        let Some(at) = memchr::memchr(b'=', pair) else { continue };
        let (key, value) = (&pair[..at], &pair[at + 1..]);
        match key {
            b"dn" => name = decoded(value),
            b"xl" => size = Some(number(value).ok_or(Bad::new("size", Why::Number))?),
            _ if key == b"xt" || key.starts_with(b"xt.") => match topic(value)? {
                Topic::Known(named) => digests.push(named),
                Topic::Foreign(found) => foreign = Some(found),
                Topic::Other => {}
            },
            _ => {}
        }
    }
    let path = plain_name(&name)?;
    match (digests.is_empty(), foreign) {
        (true, Some(foreign)) => Err(Bad::unsupported(foreign).with_file(&path)),
        (true, None) => Err(Bad::new("digest", Why::Missing)),
        (false, _) => Ok(Record::hashed(path, size, digests)),
    }
}

enum Topic {
    Known(Named),
    Foreign(Foreign),
    /// An identifier of another kind.
    Other,
}

/// Parses `urn:ALGORITHM:DIGEST`.
fn topic(value: &[u8]) -> Result<Topic, Bad> {
    let Some(rest) = value.strip_prefix(b"urn:") else { return Ok(Topic::Other) };
    let Some(at) = memchr::memrchr(b':', rest) else { return Ok(Topic::Other) };
    let (name, text) = (String::from_utf8_lossy(&rest[..at]), &rest[at + 1..]);
    if let Some(foreign) = Foreign::of_name(&name) {
        return Ok(if foreign.fits(text) { Topic::Foreign(foreign) } else { Topic::Other });
    }
    match find(&name) {
        Ok(algorithm) => digest(algorithm, text).map(Topic::Known),
        Err(_) => Ok(Topic::Other),
    }
}

/// Parses a digest in hexadecimal, or in base32 as links write SHA-1.
fn digest(algorithm: &'static Algorithm, text: &[u8]) -> Result<Named, Bad> {
    let bits = algorithm.bits as usize;
    if bits.is_multiple_of(40) && text.len() == bits / 5 {
        let hex = hex_of_base32(text).ok_or(Bad::new("digest", Why::Unrecognised))?;
        return named(algorithm, hex.as_bytes());
    }
    named(algorithm, text)
}

/// Converts base32 with a whole number of bytes (RFC 4648) to hexadecimal.
fn hex_of_base32(text: &[u8]) -> Option<String> {
    let (mut bits, mut held, mut hex) = (0_u32, 0, String::new());
    for byte in text {
        let value = match byte.to_ascii_lowercase() {
            letter @ b'a'..=b'z' => letter - b'a',
            digit @ b'2'..=b'7' => digit - b'2' + 26,
            _ => return None,
        };
        bits = bits << 5 | u32::from(value);
        held += 5;
        while held >= 4 {
            held -= 4;
            hex.push(char::from_digit(bits >> held & 15, 16)?);
            bits &= (1 << held) - 1;
        }
    }
    Some(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_rhash_are_read() {
        let sha1 = "55ca6286e3e4f4fba5d0448333fa99fc5a404a73";
        let link = b"magnet:?xl=3&dn=b%20c&xt=urn:md4:7291db6af45a90d1f945751cb095f193\
                     &xt=urn:sha1:kxfgfbxd4t2pxjoqisbth6uz7rneastt&xt=urn:md5:764efa883dda1e11db47671c4a3bbd9e";
        let record = read(link).unwrap();
        assert_eq!((&*record.path, record.size), (&b"b c"[..], Some(3)));
        let found: Vec<_> =
            record.digests.iter().map(|named| (named.algorithm.name, named.digest.to_string())).collect();
        let md4 = "7291db6af45a90d1f945751cb095f193".to_string();
        let wanted = [
            ("md4", md4),
            ("sha1", sha1.to_string()),
            ("md5", "764efa883dda1e11db47671c4a3bbd9e".to_string()),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn links_with_nothing_to_compute_say_what_they_have() {
        let link = b"magnet:?xl=3&dn=a%25&xt=urn:md2:7291db6af45a90d1f945751cb095f193";
        match read(link).unwrap_err().why {
            Why::Unsupported { algorithm, path } => {
                assert_eq!((algorithm.to_string().as_str(), &*path), ("MD2", &b"a%"[..]));
            }
            why => panic!("{why}"),
        }
        assert!(matches!(read(b"ed2k://|file|a").unwrap_err().why, Why::Unrecognised));
        assert!(matches!(read(b"magnet:?dn=a").unwrap_err().why, Why::Missing));
        assert!(matches!(read(b"magnet:?xl=x&dn=a").unwrap_err().why, Why::Number));
    }

    #[test]
    fn links_of_file_sharers_are_read() {
        for (link, wanted) in [
            (
                "ed2k://|file|a%25|3|7291db6af45a90d1f945751cb095f193|h=kxfgfbxd4t2pxjoqisbth6uz7rneastt|/",
                "ed2k 7291db6af45a90d1f945751cb095f193",
            ),
            (
                "magnet:?xl=3&dn=a%25&xt=urn:btih:383b7e739b7388706a3fdf0cb2362bbfbb1f8a6a",
                "btih 383b7e739b7388706a3fdf0cb2362bbfbb1f8a6a",
            ),
            // Another form that clients write.
            (
                "magnet:?xt=urn:btih:KXFGFBXD4T2PXJOQISBTH6UZ7RNEASTT&dn=a%25&tr=udp%3A%2F%2Ftracker.example&xl=3",
                "btih 55ca6286e3e4f4fba5d0448333fa99fc5a404a73",
            ),
            (
                "magnet:?xl=3&dn=a%25&xt=urn:tree:tiger:5ic6v5nh2ecns4no3vrjlitplxyb7scm3ebgu5i",
                "tth 5ic6v5nh2ecns4no3vrjlitplxyb7scm3ebgu5i",
            ),
        ] {
            let record = read(link.as_bytes()).unwrap();
            let named = record.digests[0];
            let found = format!("{} {}", named.algorithm.name, named.algorithm.format(&named.digest));
            assert_eq!((&*record.path, record.size, &*found), (&b"a%"[..], Some(3), wanted));
        }
    }

    #[test]
    fn percents_are_read_where_they_are_codes() {
        assert_eq!(decoded(b"a%20b%2"), b"a b%2");
        assert_eq!(decoded(b"%zz%ff"), b"%zz\xff");
    }
}
