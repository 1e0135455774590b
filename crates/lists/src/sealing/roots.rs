//! Comparison of two manifests, or of their seals, by the roots of their trees.

use super::files::{Stoppable, about, name, not_a_seal, peek, unless_cancelled};
use crate::error::{Error, SealError};
use hashmill_content::stores::Stores;
use hashmill_engine::Cancel;
use hashmill_engine::flow::Flow;
use hashmill_manifest::Record;
use hashmill_os::open_to_read;
use hashmill_seal::diff::{self, Side};
use hashmill_seal::{Seal, SealOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Number of bytes that are read to recognise a seal.
const START: usize = 512;

/// The algorithm of the trees of two manifests; the choice does not matter.
const USUAL: &str = "sha256";

/// Two manifests or seals to compare.
#[derive(Debug, Clone)]
pub struct Roots {
    /// A manifest, or a seal of one.
    pub first: PathBuf,
    /// Another manifest or seal.
    pub second: PathBuf,
    /// The access to stores with manifests.
    pub stores: Stores,
    /// Ends the job soon after it is set, with [`SealError::Interrupted`].
    pub cancel: Cancel,
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compared {
    /// One of the two is a seal, and everything that seals cover is the same.
    Same,
    /// The records differ. Only a comparison of two manifests shows which ones.
    OtherRecords,
    /// The records are the same, but the case data differ.
    OtherCase,
    /// The records are the same, but other bytes of the manifests differ.
    OtherBytes,
    /// Both are manifests; this is the number of records that are only in one of them.
    Records(u64),
}

impl Compared {
    /// Returns whether records differ.
    pub fn differs(&self) -> bool {
        matches!(self, Compared::OtherRecords | Compared::Records(1..))
    }
}

impl Roots {
    /// Makes a comparison of these two.
    pub fn new(first: &Path, second: &Path) -> Roots {
        let (first, second) = (first.to_path_buf(), second.to_path_buf());
        Roots { first, second, stores: Stores::default(), cancel: Cancel::default() }
    }

    /// Compares the two. The observer gets each record that only one of two manifests has.
    ///
    /// # Errors
    /// If one is neither a seal nor a manifest, or they can't be compared; [`SealError::Interrupted`] if the observer
    /// stops it.
    pub fn run(&self, observer: &mut dyn FnMut(Side, &Record) -> Flow) -> Result<Compared, Error> {
        self.compare(observer).map_err(unless_cancelled(&self.cancel))
    }

    fn compare(&self, observer: &mut dyn FnMut(Side, &Record) -> Flow) -> Result<Compared, Error> {
        let (one, other) = (self.operand(&self.first)?, self.operand(&self.second)?);
        let algorithm = match (&one, &other) {
            (Operand::Seal(seal), _) | (_, Operand::Seal(seal)) => seal.algorithm.name,
            _ => return self.records(observer),
        };
        let one = self.seal(one, &self.first, algorithm)?;
        let other = self.seal(other, &self.second, algorithm)?;
        let differ = diff::roots_differ(&one, &other).map_err(|why| self.incomparable(why))?;
        Ok(if differ {
            Compared::OtherRecords
        } else if one.case != other.case {
            Compared::OtherCase
        } else if one.manifest != other.manifest || one.format != other.format {
            Compared::OtherBytes
        } else {
            Compared::Same
        })
    }

    /// Opens an operand, once.
    fn operand(&self, path: &Path) -> Result<Operand, Error> {
        let (first, whole) = peek(path, START, &self.stores)?;
        let mut whole = Stoppable::boxed(whole, &self.cancel);
        if !Seal::is_start(&first) {
            return Ok(Operand::Manifest(whole));
        }
        let seal = Seal::read(&mut whole);
        seal.map(|seal| Operand::Seal(Box::new(seal))).map_err(|why| not_a_seal(path, &why))
    }

    /// Returns the seal of an operand: the given one, or one made of the manifest.
    fn seal(&self, operand: Operand, path: &Path, algorithm: &str) -> Result<Seal, Error> {
        let sealed = match operand {
            Operand::Seal(seal) => return Ok(*seal),
            Operand::Manifest(whole) => {
                SealOptions::by(algorithm).and_then(|how| hashmill_seal::seal(whole, &how))
            }
        };
        sealed.map_err(about(path))
    }

    /// Reports the records that only one of two manifests has.
    fn records(&self, observer: &mut dyn FnMut(Side, &Record) -> Flow) -> Result<Compared, Error> {
        let again = |path: &Path| Ok(Stoppable::boxed(Box::new(open_to_read(path)?), &self.cancel));
        let how = SealOptions::by(USUAL).map_err(|why| self.incomparable(why))?;
        let mut enough = false;
        let mut tell = |side, record: &Record| {
            enough = observer(side, record).is_break();
            if enough { Err(io::Error::from(io::ErrorKind::Interrupted).into()) } else { Ok(()) }
        };
        let told = diff::records(&|| again(&self.first), &|| again(&self.second), &how, &mut tell);
        if enough {
            return Err(SealError::Interrupted.into());
        }
        told.map(Compared::Records).map_err(|why| self.incomparable(why))
    }

    fn incomparable(&self, why: hashmill_seal::Error) -> Error {
        let (first, second) = (name(&self.first), name(&self.second));
        SealError::Incomparable { first, second, why: Box::new(why) }.into()
    }
}

/// An operand.
enum Operand {
    Seal(Box<Seal>),
    Manifest(Box<dyn Read>),
}
