//! An object while it is read: the listed object, and the version of the answers.

use crate::{Cause, Object};
use std::sync::OnceLock;

/// An object while it is read.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) object: Object,
    /// The version that the first answer named. Listings of S3 name none.
    version: OnceLock<Box<str>>,
}

impl Reading {
    pub(crate) fn new(object: Object) -> Reading {
        Reading { object, version: OnceLock::new() }
    }

    /// Records the version that an answer names. All answers must have the same one, even if another has the same
    /// bytes.
    pub(crate) fn note(&self, version: Option<&str>) -> Result<(), Cause> {
        let Some(version) = version else { return Ok(()) };
        let known = self.object.version.as_ref();
        let known = known.unwrap_or_else(|| self.version.get_or_init(|| version.into()));
        if **known == *version { Ok(()) } else { Err(Cause::Changed) }
    }

    /// Returns the version, if it is known.
    pub(crate) fn version(&self) -> Option<&str> {
        self.object.version.as_ref().or(self.version.get()).map(|version| &**version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_answers_are_of_one_version() {
        let reading = Reading::new(Object::default());
        assert_eq!(reading.version(), None);
        assert_eq!(reading.note(None), Ok(()));
        assert_eq!(reading.note(Some("v1")), Ok(()));
        assert_eq!(reading.note(Some("v1")), Ok(()));
        assert_eq!(reading.note(Some("v2")), Err(Cause::Changed));
        assert_eq!(reading.version(), Some("v1"));
        let listed = Reading::new(Object { version: Some("v0".into()), ..Object::default() });
        assert_eq!(listed.note(Some("v1")), Err(Cause::Changed));
        assert_eq!(listed.version(), Some("v0"));
    }
}
