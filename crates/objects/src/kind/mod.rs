//! The table of kinds of stores.
//!
//! To add a kind: its file, and a row here; its line in docs/audit.md (Stores); seeds for the fuzz target `objects`.

pub(crate) mod dvc;
pub(crate) mod git;
pub(crate) mod git_lfs;
pub(crate) mod huggingface;
pub(crate) mod nix;
pub(crate) mod oci;
pub(crate) mod ostree;
pub(crate) mod ostree_file;
pub(crate) mod restic;
pub(crate) mod swh;

use crate::{BadIndex, Coding, References, Role, Root};
use ostree_file::bare_mode;

/// Reads a link, by its path and its text.
type LinkReader = fn(&[u8], &[u8]) -> Option<References>;

/// Reads the mark of an index, by its path and its content.
type MarkReader = fn(&[u8], &[u8]) -> Option<Vec<u8>>;

/// Returns the path of the pack of an index, by its path.
type PackFinder = fn(&[u8]) -> Option<Vec<u8>>;

/// Reads the settings of a store.
type SettingsReader = fn(&[u8]) -> Option<&'static StoreKind>;

/// A kind of store.
pub struct StoreKind {
    /// The name in options and messages.
    pub name: &'static str,
    /// The description, one line.
    pub about: &'static str,
    /// The folders that may be the store, the likeliest first.
    pub roots: &'static [Root],
    /// The algorithms of its objects, the most frequent first.
    pub algorithms: &'static [&'static str],
    /// The codings that the objects may have, if only trying tells.
    pub codings: &'static [Coding],
    /// Whether a database states the digests of the entries of the store.
    pub(crate) is_stated: bool,
    /// Whether inventories in the store state the digests of its files.
    pub(crate) is_inventoried: bool,
    /// Whether files in the commits of the repository around the store stand for its objects.
    pub(crate) has_pointers: bool,
    /// Whether an object that no index or link names is superfluous.
    pub is_complete: bool,
    /// Returns the role of a file.
    pub(crate) role: fn(&[u8]) -> Role,
    /// Returns whether a file names objects, by its path. Files that an index says to name others are read, too.
    pub(crate) is_index: Option<fn(&[u8]) -> bool>,
    /// Reads an index.
    pub(crate) references: fn(&[u8], &[u8]) -> Result<References, BadIndex>,
    /// Reads a symbolic link; `None` if it leads to no object.
    pub(crate) link: Option<LinkReader>,
    /// Returns the files that must be beside another, by its path.
    pub(crate) companions: Option<fn(&[u8]) -> References>,
    /// Returns the path of the pack of an index of a pack.
    pub(crate) pack_of_index: Option<PackFinder>,
    /// Returns the index all of whose objects may be absent, if a file at this path with this content says so.
    pub(crate) partial: Option<MarkReader>,
    /// Returns the path by which references name an object.
    pub(crate) named: fn(&[u8]) -> Vec<u8>,
    /// The path of the settings on which the layout depends.
    pub settings: &'static str,
    /// Returns the kind of a store with these settings, if it is another.
    pub(crate) variant: Option<SettingsReader>,
}

/// The parts of a row that most kinds have in common.
pub(crate) const ROW: StoreKind = StoreKind {
    name: "",
    about: "",
    roots: &[],
    algorithms: &["sha256"],
    codings: &[],
    is_stated: false,
    is_inventoried: false,
    has_pointers: false,
    is_complete: false,
    role: |_| Role::Stranger,
    is_index: None,
    references: |_, _| Ok(References::default()),
    link: None,
    companions: None,
    pack_of_index: None,
    partial: None,
    named: <[u8]>::to_vec,
    settings: "",
    variant: None,
};

/// The kind of most repositories of OSTree.
const OSTREE: StoreKind = StoreKind {
    name: "ostree",
    about: "a repository of OSTree: metadata and files with their headers by SHA-256, and what references name",
    roots: ostree::ROOTS,
    algorithms: &["sha256"],
    is_complete: true,
    role: ostree::role,
    is_index: Some(ostree::is_index),
    references: ostree::references,
    partial: Some(ostree::partial),
    named: ostree::named,
    settings: "config",
    variant: Some(|config| {
        Some(match bare_mode(config)? {
            Coding::Bare => &OSTREE_BARE,
            Coding::BarePlain => &OSTREE_BARE_PLAIN,
            Coding::BareUser => &OSTREE_BARE_USER,
            Coding::BareUserOnly => &OSTREE_BARE_USER_ONLY,
            _ => return None,
        })
    }),
    ..ROW
};

/// The kind of a repository of OSTree in mode `bare`.
static OSTREE_BARE: StoreKind = StoreKind {
    role: |path| ostree::role_of_bare(path, Coding::Bare),
    references: ostree::references_of_bare,
    named: <[u8]>::to_vec,
    variant: None,
    ..OSTREE
};

/// The kind of a repository of OSTree in mode `bare` whose settings say that files have no extended attributes.
static OSTREE_BARE_PLAIN: StoreKind =
    StoreKind { role: |path| ostree::role_of_bare(path, Coding::BarePlain), ..OSTREE_BARE };

/// The kind of a repository of OSTree in mode `bare-user`.
static OSTREE_BARE_USER: StoreKind =
    StoreKind { role: |path| ostree::role_of_bare(path, Coding::BareUser), ..OSTREE_BARE };

/// The kind of a repository of OSTree in mode `bare-user-only`, where digests of files don't depend on attributes.
static OSTREE_BARE_USER_ONLY: StoreKind =
    StoreKind { role: |path| ostree::role_of_bare(path, Coding::BareUserOnly), ..OSTREE_BARE };

/// All kinds.
pub static STORE_KINDS: &[StoreKind] = &[
    StoreKind {
        name: "huggingface",
        about: "the cache of Hugging Face: blobs by SHA-256 or git's SHA-1, and links of snapshots",
        roots: huggingface::ROOTS,
        algorithms: &["sha256", "git-blob"],
        is_complete: true,
        role: huggingface::role,
        is_index: Some(huggingface::is_index),
        references: huggingface::references,
        link: Some(huggingface::link),
        ..ROW
    },
    StoreKind {
        name: "git-lfs",
        about: "objects of Git LFS by SHA-256, and what files of HEAD stand for",
        roots: git_lfs::ROOTS,
        algorithms: &["sha256"],
        has_pointers: true,
        role: git_lfs::role,
        ..ROW
    },
    StoreKind {
        name: "dvc",
        about: "the cache of DVC: files by MD5, and lists of folders",
        roots: dvc::ROOTS,
        algorithms: &["md5"],
        role: dvc::role,
        is_index: Some(dvc::is_index),
        references: dvc::references,
        ..ROW
    },
    StoreKind {
        name: "oci",
        about: "an image layout of OCI: blobs, and what index and manifests name",
        roots: oci::ROOTS,
        algorithms: &["sha256", "sha512"],
        is_complete: true,
        role: oci::role,
        is_index: Some(oci::is_index),
        references: oci::references,
        ..ROW
    },
    StoreKind {
        name: "restic",
        about: "a repository of restic: packs, indexes, snapshots and keys by SHA-256",
        roots: restic::ROOTS,
        algorithms: &["sha256"],
        role: restic::role,
        ..ROW
    },
    StoreKind {
        name: "git",
        about: "objects of git by SHA-1 or SHA-256: loose ones, and those in packs",
        roots: git::ROOTS,
        algorithms: &["sha1", "sha256"],
        role: git::role,
        companions: Some(git::companions),
        pack_of_index: Some(git::pack_of_index),
        ..ROW
    },
    OSTREE,
    StoreKind {
        name: "nix",
        about: "store paths of Nix by SHA-256 of their archives, as its database states them",
        roots: nix::ROOTS,
        is_stated: true,
        role: nix::role,
        ..ROW
    },
    StoreKind {
        name: "swh",
        about: "an object store of Software Heritage: contents by SHA-1 or SHA-256, compressed or not",
        roots: swh::ROOTS,
        algorithms: &["sha1", "sha256"],
        codings: swh::CODINGS,
        role: swh::role,
        ..ROW
    },
    StoreKind {
        name: "ocfl",
        about: "a storage root of OCFL, or one object: files by the digests of its inventories, and the rules of OCFL",
        roots: &[Root { path: "", marks: &[], others: &[] }],
        algorithms: &["sha512", "sha256"],
        is_inventoried: true,
        ..ROW
    },
];

/// Finds a kind by name, in any case.
pub fn find_store(name: &str) -> Option<&'static StoreKind> {
    STORE_KINDS.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

impl StoreKind {
    /// Returns whether the layout depends on settings.
    pub fn has_variants(&self) -> bool {
        self.variant.is_some()
    }

    /// Returns the kind of a store with these settings.
    pub fn with_settings(&'static self, settings: &[u8]) -> &'static StoreKind {
        self.variant.and_then(|variant| variant(settings)).unwrap_or(self)
    }

    /// Reads an index file.
    ///
    /// # Errors
    /// If it is none.
    pub fn references(&self, path: &[u8], bytes: &[u8]) -> Result<References, BadIndex> {
        (self.references)(path, bytes)
    }
}

impl std::fmt::Debug for StoreKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::find;

    #[test]
    fn rows_are_complete() {
        for row in STORE_KINDS {
            assert!(std::ptr::eq(find_store(row.name).unwrap(), row));
            assert!(!row.roots.is_empty() && row.algorithms.iter().all(|name| find(name).is_ok()));
            for path in [&b""[..], b"/", b"a", b"\xff/\xff", b"objects//"] {
                let _ = (row.role)(path);
            }
        }
    }
}
