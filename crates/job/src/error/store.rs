//! Errors of checks of stores.

use crate::shown::Shown;
use hashmill_objects::StoreKind;
use std::fmt;

/// A folder that has no store of a kind.
#[derive(Debug, Clone)]
pub struct NoStore {
    /// The folder.
    pub path: Box<[u8]>,
    /// Whether it is a location, not a folder.
    pub is_location: bool,
    /// The kind of store.
    pub kind: &'static StoreKind,
}

impl fmt::Display for NoStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, name) = (Shown(&self.path), self.kind.name);
        if self.is_location {
            return write!(
                f,
                "{path}: a store of kind {name} is read from a folder only (--name-is reads locations)"
            );
        }
        write!(f, "{path}: is no store of kind {name}: ")?;
        for (number, root) in self.kind.roots.iter().enumerate() {
            let folder = Some(root.path).filter(|path| !path.is_empty());
            let parts: Vec<&str> = folder.into_iter().chain(root.marks.iter().copied()).collect();
            if !parts.is_empty() {
                let before = if number == 0 { "it has no" } else { " and no" };
                write!(f, "{before} {}", parts.join(", "))?;
            }
        }
        Ok(())
    }
}
