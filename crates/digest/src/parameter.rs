//! Algorithms with a parameter: a name, a colon, a size (`s3-etag:8M`, `blake3:16`).
//!
//! A row that takes one has a [`Parameter`] with its default. Other values make further algorithms, one for each value,
//! which live as long as the process.

use crate::algorithm::{Algorithm, Make};
use crate::bank::Bank;
use crate::leaves::{Leaves, alone, bank};
use std::fmt;
use std::hash::{Hash, Hasher};

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
pub(crate) const MOST_SIZES: usize = 1000;

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

    pub(crate) fn name(&self) -> String {
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
    pub(crate) fn tag(&self, base: &Algorithm) -> String {
        match self.unit {
            Unit::Part => format!("{}:{}", base.tag, self.size()),
            Unit::Output => format!("{}-{}", base.tag, 8 * self.value),
        }
    }
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
            bank: kept(move || bank(shape)),
            alone: kept(move || alone(shape)),
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
                write!(f, "more than {MOST_SIZES} sizes of parts and digests are too many for one run")
            }
        }
    }
}
