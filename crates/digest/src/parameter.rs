//! Algorithms with a parameter: a name, a colon, a size (`s3-etag:8M`, `blake3:16`).
//!
//! A row that takes one has a [`Parameter`] with its default. Other values make further algorithms, one for each value,
//! which live as long as the process.

use crate::algorithm::{Algorithm, Make};
use crate::bank::Bank;
use crate::find::plain;
use crate::leaves::{self, Leaves};
use crate::registry::ALGORITHMS;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// The size after an algorithm's name.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The name before the colon.
    pub family: &'static str,
    /// The size, in bytes.
    pub value: u64,
    /// What has this size.
    pub unit: Unit,
    /// The least and the greatest value.
    pub range: [u64; 2],
    /// Makes the algorithm of a value, but for its names, out of the family's first row.
    pub(crate) make: fn(&'static Algorithm, u64) -> Algorithm,
}

/// What a parameter is the size of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A part of the message.
    Part,
    /// The digest.
    Output,
}

/// Why a name's parameter makes no algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadParameter {
    /// The algorithm takes none.
    None(&'static str),
    /// This is no size.
    Size(String),
    /// The size is out of range.
    Range(Unit, [u64; 2]),
    /// There are too many sizes in this process already.
    Many,
}

/// The most algorithms that sizes make in one process. A list from outside can name as many as it likes.
const MOST: usize = 1000;

/// What sizes have made so far.
static MADE: Mutex<Vec<&'static Algorithm>> = Mutex::new(Vec::new());

impl Parameter {
    /// The size of a part, from one byte to this.
    pub(crate) const fn part(family: &'static str, value: u64, most: u64) -> Option<Parameter> {
        Some(Parameter { family, value, unit: Unit::Part, range: [1, most], make: with_part })
    }

    /// The length of the digest, from one byte to this.
    pub(crate) const fn output(
        family: &'static str,
        value: u64,
        most: u64,
        make: fn(&'static Algorithm, u64) -> Algorithm,
    ) -> Option<Parameter> {
        Some(Parameter { family, value, unit: Unit::Output, range: [1, most], make })
    }

    fn name(&self) -> String {
        format!("{}:{}", self.family, self.size())
    }

    /// The value as it is written: in the largest unit that needs no fraction.
    pub fn size(&self) -> String {
        let units = [(1_u64 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
        match units.iter().find(|(bytes, _)| self.unit == Unit::Part && self.value.is_multiple_of(*bytes)) {
            Some((bytes, unit)) => format!("{}{unit}", self.value / bytes),
            None => self.value.to_string(),
        }
    }

    /// The name in tags: `blake2b:16` is `BLAKE2b-128` there, as it is for coreutils.
    fn tag(&self, base: &Algorithm) -> String {
        match self.unit {
            Unit::Part => format!("{}:{}", base.tag, self.size()),
            Unit::Output => format!("{}-{}", base.tag, 8 * self.value),
        }
    }
}

/// The algorithm of a name with a parameter, in small letters; none if it has no parameter.
pub(crate) fn find(name: &str) -> Option<Result<&'static Algorithm, BadParameter>> {
    if let Some((family, size)) = name.split_once(':') {
        let row = plain(family)?;
        let value = || bytes(size).ok_or_else(|| BadParameter::Size(size.into()));
        return Some(match &row.parameter {
            Some(parameter) if first(parameter.family) == Some(row) => {
                value().and_then(|value| made(row, value))
            }
            _ => Err(BadParameter::None(row.name)),
        });
    }
    let (family, bits) = name.rsplit_once('-')?;
    let row = first(family).filter(|row| row.parameter.is_some_and(|known| known.unit == Unit::Output))?;
    let bits = bytes(bits)
        .filter(|bits| bits.is_multiple_of(8) && name.ends_with(|last: char| last.is_ascii_digit()))?;
    made(row, bits / 8).ok().map(Ok)
}

/// The first row of a family.
fn first(family: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|row| row.parameter.is_some_and(|parameter| parameter.family == family))
}

/// Bytes from a whole number and a unit: `K M G T` by 1024, `KB MB GB TB` by 1000.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let power =
        |letter: &str| ["k", "m", "g", "t"].iter().position(|known| *known == letter).map(|at| at as u32 + 1);
    let unit = match unit {
        "" | "b" => 1,
        _ if let Some(letter) = unit.strip_suffix("ib") => 1024_u64.pow(power(letter)?),
        _ if let Some(letter) = unit.strip_suffix('b') => 1000_u64.pow(power(letter)?),
        letter => 1024_u64.pow(power(letter)?),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

/// The algorithm of a family with this value.
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
    if made.len() >= MOST {
        return Err(BadParameter::Many);
    }
    let algorithm = Algorithm {
        name: parameter.name().leak(),
        tag: parameter.tag(base).leak(),
        aliases: &[],
        parameter: Some(parameter),
        ..(parameter.make)(base, value)
    };
    let algorithm = &*Box::leak(Box::new(algorithm));
    made.push(algorithm);
    Ok(algorithm)
}

/// A maker of banks that is kept for the life of the process.
pub(crate) fn kept(make: impl Fn() -> Box<dyn Bank> + Send + Sync + 'static) -> Make {
    Box::leak(Box::new(make))
}

fn with_part(base: &'static Algorithm, value: u64) -> Algorithm {
    let shape = base.leaves.map(|leaves| Leaves { bytes: value, ..leaves });
    match shape {
        Some(shape) => Algorithm {
            leaves: Some(shape),
            bank: kept(move || leaves::bank(shape)),
            alone: kept(move || leaves::alone(shape)),
            ..*base
        },
        None => Algorithm { ..*base },
    }
}

/// Two parameters make the same algorithm.
impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        (self.family, self.value) == (other.family, other.value)
    }
}

impl Eq for Parameter {}

impl Hash for Parameter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.family, self.value).hash(state);
    }
}

impl fmt::Display for BadParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadParameter::None(name) => write!(f, "{name} takes no size"),
            BadParameter::Size(text) => {
                write!(f, "'{text}' is no size; write a whole number, like 8M, 64K or 16")
            }
            BadParameter::Range(Unit::Part, [least, most]) => {
                write!(f, "a part has {least} to {most} bytes")
            }
            BadParameter::Range(Unit::Output, [least, most]) => {
                write!(f, "the digest has {least} to {most} bytes")
            }
            BadParameter::Many => {
                write!(f, "more than {MOST} sizes of parts and digests are too many for one run")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Unknown, find, hash};

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
    fn what_makes_no_algorithm_is_told() {
        let why = |name| find(name).map_err(|unknown: Unknown| unknown.to_string()).unwrap_err();
        assert_eq!(why("s3-etag:0"), "algorithm 's3-etag:0': a part has 1 to 5368709120 bytes");
        assert_eq!(why("s3-etag:6G"), "algorithm 's3-etag:6G': a part has 1 to 5368709120 bytes");
        assert_eq!(
            why("s3-etag:"),
            "algorithm 's3-etag:': '' is no size; write a whole number, like 8M, 64K or 16"
        );
        assert_eq!(
            why("s3-etag:99999999999999999999"),
            "algorithm 's3-etag:99999999999999999999': '99999999999999999999' is no size; write a whole number, like 8M, \
             64K or 16"
        );
        assert_eq!(why("sha256:8M"), "algorithm 'sha256:8M': sha256 takes no size");
        assert_eq!(why("blake2b-256:8"), "algorithm 'blake2b-256:8': blake2b-256 takes no size");
        assert_eq!(why("blake2s:33"), "algorithm 'blake2s:33': the digest has 1 to 32 bytes");
        assert!(why("blake2b-12").starts_with("unknown algorithm"));
        assert!(why("s3-etog:8M").starts_with("unknown algorithm"));
    }
}
