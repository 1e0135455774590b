//! The objects that are there before a copy.

use super::keys::Keys;
use hashmill_store::{Cause, Error, Object, Store};
use std::collections::HashMap;

/// The most objects that are listed. Each takes some 200 bytes. Those behind are looked up one by one.
const MOST_LISTED: usize = 100_000;

/// The objects below a destination, as far as they were listed.
#[derive(Debug)]
pub(super) struct There {
    objects: HashMap<Box<[u8]>, Object>,
    until: Until,
}

/// The keys that a listing covers.
#[derive(Debug)]
enum Until {
    /// All.
    End,
    /// Those up to this one.
    Key(Box<[u8]>),
    /// None.
    Nothing,
}

/// The knowledge about the object with a key.
#[derive(Debug)]
pub(super) enum Known {
    /// There was none.
    Absent,
    There(Box<Object>),
    /// It has to be looked up.
    Unasked,
}

impl There {
    /// Returns what is there if nothing was listed.
    pub(super) fn nothing() -> There {
        There { objects: HashMap::new(), until: Until::Nothing }
    }

    /// Lists what is below a destination. Nothing is listed where only listing is not permitted.
    ///
    /// # Errors
    /// If no object of the bucket can be reached.
    pub(super) fn list(store: &Store, keys: &Keys) -> Result<There, Error> {
        let Some(prefix) = keys.prefix() else { return Ok(There::nothing()) };
        let mut objects = HashMap::new();
        for object in store.list(prefix) {
            let object = match object {
                Ok(object) => object,
                Err(error) if error.cause.is_of_access() => return Err(error),
                Err(Error { cause: Cause::NothingBelow, .. }) => break,
                Err(_) => return Ok(There::nothing()),
            };
            if objects.len() >= MOST_LISTED {
                // Listings are in the order of the keys, so this one and those behind it are unknown.
                return Ok(There { objects, until: Until::Key(object.key) });
            }
            objects.insert(object.key.clone(), object);
        }
        Ok(There { objects, until: Until::End })
    }

    /// Returns what is known of the object with a key.
    pub(super) fn find(&self, key: &[u8]) -> Known {
        let is_covered = match &self.until {
            Until::End => true,
            Until::Key(until) => key < &**until,
            Until::Nothing => false,
        };
        match self.objects.get(key) {
            Some(object) => Known::There(Box::new(object.clone())),
            None if is_covered => Known::Absent,
            None => Known::Unasked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_behind_the_listing_are_looked_up() {
        let object = Object { key: b"b".as_slice().into(), ..Object::default() };
        let objects = HashMap::from([(object.key.clone(), object)]);
        let mut there = There { objects, until: Until::Key(b"d".as_slice().into()) };
        assert!(matches!(there.find(b"b"), Known::There(_)));
        assert!(matches!(there.find(b"c"), Known::Absent));
        assert!(matches!(there.find(b"d"), Known::Unasked));
        there.until = Until::End;
        assert!(matches!(there.find(b"d"), Known::Absent));
        there.until = Until::Nothing;
        assert!(matches!(there.find(b"a"), Known::Unasked));
    }
}
