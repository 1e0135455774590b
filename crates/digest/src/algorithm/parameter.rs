//! Algorithms with a parameter: a name, a colon, a size (`s3-etag:8M`, `blake3:16`).
//!
//! A row that takes a parameter has a [`Parameter`] with its default. Each other value makes another algorithm, which
//! lives as long as the process.

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
    /// The thing that has this size.
    pub unit: Unit,
    /// The minimum and maximum value.
    pub range: [u64; 2],
    /// Makes the algorithm for a value from the family's first row, except for its names.
    pub(crate) make: fn(&'static Algorithm, u64) -> Algorithm,
}

/// The thing that a parameter is the size of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A part of the message.
    Part,
    /// The digest.
    Output,
}

/// The reason why a name's parameter makes no algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadParameter {
    /// The algorithm takes no parameter.
    None(&'static str),
    /// The text is not a size.
    Size(String),
    /// The size is out of range.
    Range(Unit, [u64; 2]),
    /// There are too many sizes in this process already.
    Many,
}

/// The maximum number of algorithms that sizes make in one process, since a list from outside can name any number.
pub(crate) const MOST_SIZES: usize = 1000;

impl Parameter {
    /// Defines the size of a part, from one byte to `most`.
    pub(crate) const fn part(family: &'static str, value: u64, most: u64) -> Option<Parameter> {
        Some(Parameter { family, value, unit: Unit::Part, range: [1, most], make: with_part })
    }

    /// Defines the length of the digest, from one byte to `most`.
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

    /// Returns the value as text, in the largest unit without a fraction.
    pub fn size(&self) -> String {
        let units = [(1_u64 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
        match units.iter().find(|(bytes, _)| self.unit == Unit::Part && self.value.is_multiple_of(*bytes)) {
            Some((bytes, unit)) => format!("{}{unit}", self.value / bytes),
            None => self.value.to_string(),
        }
    }

    /// Returns the name in tags: `blake2b:16` is `BLAKE2b-128` there, like in coreutils.
    pub(crate) fn tag(&self, base: &Algorithm) -> String {
        match self.unit {
            Unit::Part => format!("{}:{}", base.tag, self.size()),
            Unit::Output => format!("{}-{}", base.tag, 8 * self.value),
        }
    }
}

/// Keeps a maker of banks for the life of the process.
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

/// Two parameters are equal if they make the same algorithm.
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
                write!(f, "'{text}' is not a size; write a whole number, like 8M, 64K or 16")
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
