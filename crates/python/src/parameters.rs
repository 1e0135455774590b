//! Options of hash objects: those of BLAKE2 as in hashlib, those of BLAKE3 as in the package blake3, the seed of xxHash.

use crate::error::wrong;
use crate::view::View;
use hashmill_digest::{
    Algorithm, Bank, Blake2, Blake2Parameters, KEY_BYTES, find, with_context, with_key, with_seed,
};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};

/// An algorithm, and a bank of it that the options initialise.
type Begun = (&'static Algorithm, Box<dyn Bank>);

/// Makes a bank of an algorithm with these options.
pub(crate) fn begin(algorithm: &'static Algorithm, options: &Bound<'_, PyDict>) -> PyResult<Begun> {
    let options = Options { algorithm, given: options.copy()? };
    if let Some(function) = blake2(algorithm) {
        return options.blake2(&function);
    }
    if algorithm.name == "blake3" {
        return options.blake3();
    }
    let bank = options.seeded()?;
    options.end()?;
    Ok((algorithm, bank.unwrap_or_else(|| (algorithm.alone)())))
}

/// Returns the parameters of an algorithm's constructor, as Python writes them.
pub(crate) fn signature(algorithm: &Algorithm) -> String {
    let more = match algorithm.name {
        name if is_seeded(name) => ", seed=0",
        "blake3" => ", key=None, derive_key_context=None",
        _ if blake2(algorithm).is_some() => {
            ", digest_size=…, key=b'', salt=b'', person=b'', fanout=1, depth=1, leaf_size=0, node_offset=0, node_depth=0, \
             inner_size=0, last_node=False"
        }
        _ => "",
    };
    let more = more.replace('…', &(algorithm.bits / 8).to_string());
    format!("(data=b'', *, usedforsecurity=True{more})")
}

fn is_seeded(name: &str) -> bool {
    name.starts_with("xxh")
}

/// Refuses an algorithm whose digests mean nothing without a key that the process does not have.
pub(crate) fn check_key(algorithm: &Algorithm) -> PyResult<()> {
    if algorithm.lacks_key {
        let name = algorithm.name;
        return Err(wrong(format!(
            "{name} needs a key: use hashmill.blake3(key=…) or hashmill.blake3(derive_key_context=…)"
        )));
    }
    Ok(())
}

/// Returns the BLAKE2 function of an algorithm, if it is one.
pub(crate) fn blake2(algorithm: &Algorithm) -> Option<Blake2> {
    let family = algorithm.parameter?.family;
    [Blake2::B, Blake2::S].into_iter().find(|function| function.name == family)
}

/// The options that were not taken yet.
struct Options<'py> {
    algorithm: &'static Algorithm,
    given: Bound<'py, PyDict>,
}

impl<'py> Options<'py> {
    fn blake3(&self) -> PyResult<Begun> {
        let key = self.take("key")?.filter(|key| !key.is_none());
        let context = self.take("derive_key_context")?.filter(|context| !context.is_none());
        self.end()?;
        let bank = match (key, context) {
            (Some(_), Some(_)) => return Err(wrong("key and derive_key_context can't both be given")),
            (Some(key), None) => {
                let key = bytes(&key)?;
                with_key(key.bytes().try_into().map_err(|_| {
                    wrong(format!("key must be {KEY_BYTES} bytes, not {}", key.bytes().len()))
                })?)
            }
            (None, Some(context)) => with_context(&context.extract::<String>()?),
            (None, None) => (self.algorithm.alone)(),
        };
        Ok((self.algorithm, bank))
    }

    fn blake2(&self, function: &Blake2) -> PyResult<Begun> {
        let plain = function.parameters();
        let digest = self.number("digest_size", self.algorithm.bits as usize / 8)?;
        let (key, salt, person) = (self.bytes("key")?, self.bytes("salt")?, self.bytes("person")?);
        let given = Blake2Parameters {
            digest,
            key: key.as_ref().map_or(&[], View::bytes),
            salt: salt.as_ref().map_or(&[], View::bytes),
            person: person.as_ref().map_or(&[], View::bytes),
            fanout: self.number("fanout", plain.fanout)?,
            depth: self.number("depth", plain.depth)?,
            leaf: self.large("leaf_size", plain.leaf)?,
            offset: self.large("node_offset", plain.offset)?,
            node_depth: self.number("node_depth", plain.node_depth)?,
            inner: self.number("inner_size", plain.inner)?,
            last_node: self.take("last_node")?.map_or(Ok(false), |given| given.is_truthy())?,
        };
        self.end()?;
        if given.offset > function.offset {
            return Err(PyOverflowError::new_err("node_offset is too large"));
        }
        let bank = function.bank(&given).map_err(wrong)?;
        let algorithm = match digest == self.algorithm.bits as usize / 8 {
            true => self.algorithm,
            false => find(&format!("{}:{digest}", function.name)).map_err(wrong)?,
        };
        Ok((algorithm, bank))
    }

    /// Makes a bank with the seed, if one is given.
    fn seeded(&self) -> PyResult<Option<Box<dyn Bank>>> {
        if !is_seeded(self.algorithm.name) || !self.given.contains("seed")? {
            return Ok(None);
        }
        let bank = with_seed(self.algorithm, self.large("seed", 0)?);
        bank.map(Some).ok_or_else(|| PyOverflowError::new_err("seed is too large"))
    }

    fn take(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.given.get_item(name)?;
        if value.is_some() {
            self.given.del_item(name)?;
        }
        Ok(value)
    }

    fn bytes(&self, name: &str) -> PyResult<Option<View>> {
        self.take(name)?.map(|given| bytes(&given)).transpose()
    }

    /// Takes a small number; one that does not fit is a `ValueError`.
    fn number<T: TryFrom<i64>>(&self, name: &str, usual: T) -> PyResult<T> {
        let Some(given) = self.take(name)? else { return Ok(usual) };
        let number: i64 = given.extract()?;
        T::try_from(number).map_err(|_| wrong(format!("{name} is out of range: {number}")))
    }

    /// Takes a number that may need all its bits; one that is too large is an `OverflowError`, as in hashlib.
    fn large<T: TryFrom<u64>>(&self, name: &str, usual: T) -> PyResult<T> {
        let Some(given) = self.take(name)? else { return Ok(usual) };
        if given.is_instance_of::<PyInt>() && given.lt(0)? {
            return Err(wrong(format!("{name} can't be negative")));
        }
        let too_large = || PyOverflowError::new_err(format!("{name} is too large"));
        T::try_from(given.extract::<u64>()?).map_err(|_| too_large())
    }

    /// Refuses options that nothing took.
    fn end(&self) -> PyResult<()> {
        match self.given.keys().iter().next() {
            None => Ok(()),
            Some(name) => Err(PyTypeError::new_err(format!(
                "{}() got an unexpected keyword argument '{name}'",
                self.algorithm.name
            ))),
        }
    }
}

fn bytes(given: &Bound<'_, PyAny>) -> PyResult<View> {
    let needed = |_| {
        let name = given.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("a bytes-like object is required, not '{name}'"))
    };
    View::new(given.clone()).map_err(needed)
}
