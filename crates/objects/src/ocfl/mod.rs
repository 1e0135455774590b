//! OCFL 1.0 and 1.1: objects whose inventories state the digests of their files, and the storage roots that hold them.
//!
//! Nothing is read here: the caller lists an object and reads the [`OcflObject::texts`]; their [`OcflObject::inspect`]ion
//! gives the digests that the files must have, and [`OcflObject::finish`] gives all that is wrong by the codes of the
//! standard.

mod dates;
mod finding;
mod inventory;
mod json;
mod layout;
mod names;
mod object;
mod paths;
mod root;
#[cfg(test)]
mod tests;
mod versions;

pub use finding::{OcflFault, OcflFinding};
pub use names::OcflVersion;
pub use object::{OcflEntry, OcflObject, OcflOutcome};
pub use root::{OcflPlace, OcflRoot};

/// The name of inventories.
pub(crate) const INVENTORY: &str = "inventory.json";

/// The names of registered extensions.
pub(crate) const EXTENSIONS: [&str; 12] = [
    "0001-digest-algorithms",
    "0002-flat-direct-storage-layout",
    "0003-hash-and-id-n-tuple-storage-layout",
    "0004-hashed-n-tuple-storage-layout",
    "0005-mutable-head",
    "0006-flat-omit-prefix-storage-layout",
    "0007-n-tuple-omit-prefix-storage-layout",
    "0008-schema-registry",
    "0009-digest-algorithms",
    "0010-differential-n-tuple-omit-prefix-storage-layout",
    "0011-direct-clean-path-layout",
    "initial",
];

/// The start of declarations of objects.
pub(crate) const OBJECT: &[u8] = b"0=ocfl_object_";

/// The start of declarations of storage roots.
pub(crate) const ROOT: &[u8] = b"0=ocfl_";
