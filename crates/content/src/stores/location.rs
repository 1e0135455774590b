//! Operands that name a place in a store, or on a web server, and not a file.

use crate::stores::Stores;
use hashmill_terminal::{masked_word, scheme};
use std::borrow::Cow;
use std::io;

/// Beginnings of locations in buckets.
const BUCKETS: [&[u8]; 3] = [b"s3://", b"gs://", b"az://"];

/// The beginning of the paths of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Paths are relative to the location that was named.
    Below,
    /// Paths begin with that location, as paths of files begin with their folder.
    Located,
}

impl Stores {
    /// Returns whether a text is a location: it begins with a scheme (`s3://`, `gs://`, `az://`, `https://`, `http://`, `file://`,
    /// or one that is refused), or with the name of a service and a colon where there is no such path.
    pub fn is_location(&self, text: &[u8]) -> bool {
        scheme(text).is_some() || self.of_remote(text).is_some()
    }

    /// Adds a hint ([`Stores::remote_hint`]) to an error which says that a path is not there.
    pub fn hinted(&self, typed: &[u8], error: io::Error) -> io::Error {
        if error.kind() != io::ErrorKind::NotFound {
            return error;
        }
        match self.remote_hint(typed) {
            Some(hint) => io::Error::new(io::ErrorKind::NotFound, format!("{error}; {hint}")),
            None => error,
        }
    }

    /// Returns the part after the scheme of a bucket, or after the name of a service and its colon.
    fn in_bucket<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        BUCKETS.iter().find_map(|scheme| text.strip_prefix(*scheme)).or_else(|| self.of_remote(text))
    }

    /// Returns the name of an operand as it may be shown and recorded: a location without its secrets, a path as it is.
    pub fn without_secrets<'t>(&self, typed: &'t [u8]) -> Cow<'t, [u8]> {
        if self.is_location(typed) { masked_word(typed) } else { Cow::Borrowed(typed) }
    }

    /// Returns whether a text names a bucket, or something in one.
    pub fn is_in_bucket(&self, text: &[u8]) -> bool {
        self.in_bucket(text).is_some()
    }

    /// Returns whether a text names a bucket, or ends with a slash and lies in one. Such a location is walked like a
    /// folder.
    pub fn is_folder(&self, text: &[u8]) -> bool {
        self.in_bucket(text).is_some_and(|rest| rest.ends_with(b"/") || !rest.contains(&b'/'))
    }
}

/// Returns a location with a slash at its end, as a prefix of the names below it.
pub fn with_slash(typed: &[u8]) -> Box<[u8]> {
    let slash: &[u8] = if typed.ends_with(b"/") { b"" } else { b"/" };
    [typed, slash].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_and_what_ends_with_a_slash_are_folders() {
        for (text, is) in [
            ("s3://b", true),
            ("gs://b/p/", true),
            ("az://c/p", false),
            ("https://h/p/", false),
            ("d/", false),
        ] {
            assert_eq!(Stores::default().is_folder(text.as_bytes()), is, "{text}");
        }
    }

    #[test]
    fn paths_are_shown_as_they_are() {
        assert_eq!(*Stores::default().without_secrets(b"https://h/f?sig=x"), *"https://h/f?…".as_bytes());
        assert_eq!(*Stores::default().without_secrets(b"./https://h/f?sig=x"), *b"./https://h/f?sig=x");
    }

    #[test]
    fn paths_are_no_locations() {
        for (text, is) in
            [("s3://b/k", true), ("s3a://b/k", true), ("./s3://b", false), ("s3:/b", false), ("-", false)]
        {
            assert_eq!(Stores::default().is_location(text.as_bytes()), is, "{text}");
        }
    }
}
