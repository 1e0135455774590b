//! Finds algorithms by names with a size, and makes those without a row.

use super::find::plain;
use super::size::parse_size;
use crate::algorithm::parameter::{BadParameter, MOST_SIZES, Parameter, Unit};
use crate::algorithm::{Algorithm, Class};
use crate::registry;
use std::sync::{Mutex, PoisonError};

/// The algorithms made so far.
static MADE: Mutex<Vec<&'static Algorithm>> = Mutex::new(Vec::new());

/// Finds the algorithm of a name with a parameter, in lower case; `None` if it has no parameter.
pub(crate) fn find(name: &str) -> Option<Result<&'static Algorithm, BadParameter>> {
    if let Some((family, size)) = name.split_once(':') {
        let row = plain(family)?;
        let value = || parse_size(size).map_err(|_| BadParameter::Size(size.into()));
        return Some(match &row.parameter {
            Some(parameter) if first(parameter.family) == Some(row) => {
                value().and_then(|value| made(row, value))
            }
            _ => Err(BadParameter::None(row.name)),
        });
    }
    let (family, bits) = name.rsplit_once('-')?;
    let row = first(family).filter(|row| row.parameter.is_some_and(|known| known.unit == Unit::Output))?;
    let bits = parse_size(bits)
        .ok()
        .filter(|bits| bits.is_multiple_of(8) && name.ends_with(|last: char| last.is_ascii_digit()))?;
    made(row, bits / 8).ok().map(Ok)
}

/// Returns the first row of a family.
fn first(family: &str) -> Option<&'static Algorithm> {
    registry::named().find(|row| row.parameter.is_some_and(|parameter| parameter.family == family))
}

/// The minimum bits of a digest that does not count as truncated.
const LEAST_BITS: u32 = 128;

/// Returns the class of digests that are cut to fewer than [`LEAST_BITS`].
fn cut(class: Class) -> Class {
    if class == Class::Checksum { class } else { Class::Truncated }
}

/// Returns the algorithm of a family with this value.
fn made(base: &'static Algorithm, value: u64) -> Result<&'static Algorithm, BadParameter> {
    let Some(parameter) = base.parameter else { return Err(BadParameter::None(base.name)) };
    let [least, most] = parameter.range;
    if !(least..=most).contains(&value) {
        return Err(BadParameter::Range(parameter.unit, parameter.range));
    }
    let parameter = Parameter { value, ..parameter };
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = made.iter().find(|known| known.parameter == Some(parameter)) {
        return Ok(known);
    }
    if made.len() >= MOST_SIZES {
        return Err(BadParameter::Many);
    }
    let made_of = (parameter.make)(base, value);
    let algorithm = Algorithm {
        name: parameter.name().leak(),
        tag: parameter.tag(base).leak(),
        aliases: &[],
        likely: false,
        // The row's would make the row's digest.
        whole: None,
        own: None,
        parameter: Some(parameter),
        class: if made_of.bits < LEAST_BITS { cut(made_of.class) } else { made_of.class },
        ..made_of
    };
    let algorithm = &*Box::leak(Box::new(algorithm));
    made.push(algorithm);
    Ok(algorithm)
}

#[cfg(test)]
mod tests {
    use crate::find;
    use crate::{Class, Unknown, hash};

    #[test]
    fn a_default_means_the_row_and_keeps_its_spelling() {
        let (plain, spelled) = (find("s3-etag").unwrap(), find("S3-ETag:8M").unwrap());
        assert_eq!(plain, spelled);
        assert_eq!((plain.name, spelled.name), ("s3-etag", "s3-etag:8M"));
        assert!(std::ptr::eq(spelled, find("s3-etag:8192K").unwrap()));
        assert_ne!(plain, find("s3-etag:8MB").unwrap());
        assert_eq!(find("s3-etag:8MB").unwrap().name, "s3-etag:8000000");
        assert_eq!(find("blake2b:32"), find("blake2b-256"));
        assert_eq!(find("blake2b-128").unwrap().name, "blake2b:16");
        assert_eq!(find("BLAKE2b-128").unwrap().tag, "BLAKE2b-128");
        assert_eq!(find("s3-etag:5M").unwrap().tag, "S3-ETAG:5M");
    }

    #[test]
    fn every_made_algorithm_is_found_by_its_names() {
        for name in
            ["s3-etag:1", "s3-crc32c:5K", "s3-sha256:5G", "blake3:16", "blake2s:1", "blake2b:64", "blake3:64"]
        {
            let found = find(name).unwrap();
            assert_eq!(found.name, name);
            assert_eq!(find(found.tag), Ok(found), "{}", found.tag);
            assert_eq!(hash(found, b"abc").bits(), found.bits);
        }
    }

    #[test]
    fn short_digests_are_called_truncated_and_no_row_is_one() {
        for (name, class) in [
            ("blake3:1", Class::Truncated),
            ("blake2b:15", Class::Truncated),
            ("blake2s-120", Class::Truncated),
            ("blake2b:16", Class::Cryptographic),
            ("blake3:16", Class::Cryptographic),
            ("s3-crc32c:5K", Class::Checksum),
        ] {
            assert_eq!(find(name).unwrap().class, class, "{name}");
        }
        let rows = crate::ALGORITHMS.iter().filter(|row| row.class == Class::Cryptographic);
        rows.for_each(|row| assert!(row.bits >= super::LEAST_BITS, "{}", row.name));
    }

    #[test]
    fn what_makes_no_algorithm_is_told() {
        let why = |name| find(name).map_err(|unknown: Unknown| unknown.to_string()).unwrap_err();
        assert_eq!(why("s3-etag:0"), "algorithm 's3-etag:0': a part has 1 to 5368709120 bytes");
        assert_eq!(why("s3-etag:6G"), "algorithm 's3-etag:6G': a part has 1 to 5368709120 bytes");
        assert_eq!(
            why("s3-etag:"),
            "algorithm 's3-etag:': '' is not a size; write a whole number, like 8M, 64K or 16"
        );
        assert_eq!(
            why("s3-etag:99999999999999999999"),
            "algorithm 's3-etag:99999999999999999999': '99999999999999999999' is not a size; write a whole number, like 8M, \
             64K or 16"
        );
        assert_eq!(why("sha256:8M"), "algorithm 'sha256:8M': sha256 takes no size");
        assert_eq!(why("blake2b-256:8"), "algorithm 'blake2b-256:8': blake2b-256 takes no size");
        assert_eq!(why("blake2s:33"), "algorithm 'blake2s:33': the digest has 1 to 32 bytes");
        assert!(why("blake2b-12").starts_with("unknown algorithm"));
        assert!(why("s3-etog:8M").starts_with("unknown algorithm"));
    }
}
