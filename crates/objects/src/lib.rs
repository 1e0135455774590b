//! Stores whose names are digests: what the names and the small index files of a store claim. Each kind of store is a
//! file of this crate and a row of [`STORE_KINDS`].
//!
//! This crate does no I/O: the caller lists the store, asks for the [`Role`] of each file, reads the files that name
//! others ([`StoreLayout::is_index`], [`StoreKind::references()`]), and hashes the objects.
//! It knows nothing of records or options.
//!
//! ```
//! use hashmill_objects::{StoreLayout, Role, find_store};
//!
//! let lfs = StoreLayout::Kind(find_store("git-lfs").unwrap());
//! let oid = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
//! let Role::Object(object) = lfs.role(format!("ba/78/{oid}").as_bytes()) else { panic!("an object") };
//! assert_eq!(object.algorithm.name, "sha256");
//! assert_eq!(lfs.role(b"ba/78/readme"), Role::Stranger);
//! ```

mod decoder;
mod git_object;
mod gvariant;
mod kind;
mod layout;
mod name;
mod ocfl;
pub mod pack;
mod references;
mod role;
mod root;

pub use decoder::{Coding, Decoder};
pub use git_object::{GitTreeEntry, git_tree_entries, git_tree_of};
pub use kind::git_lfs::{LFS_POINTER_MAX, LfsPointer, lfs_pointer};
pub use kind::nix::{NIX_DATABASE, Nar, nix_path};
pub use kind::ostree_file::{OSTREE_METADATA, OstreeFile};
pub use kind::{STORE_KINDS, StoreKind, find_store};
pub use layout::StoreLayout;
pub use ocfl::{
    OcflEntry, OcflFault, OcflFinding, OcflObject, OcflOutcome, OcflPlace, OcflRoot, OcflVersion,
};
pub use references::{BadIndex, MAX_INDEX, References};
pub use role::{Claim, ObjectClaim, Role};
pub use root::Root;
