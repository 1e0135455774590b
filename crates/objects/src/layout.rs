//! The layout of a tree whose names are digests: that of a kind of store, or names by one algorithm.

use crate::kind::ROW;
use crate::name::of_path;
use crate::{Claim, Coding, ObjectClaim, References, Role, StoreKind};
use hashmill_digest::{Algorithm, find};

/// The layout of a tree whose names are digests.
#[derive(Debug, Clone, Copy)]
pub enum StoreLayout {
    /// A kind of store.
    Kind(&'static StoreKind),
    /// Any tree whose file names are digests by this algorithm.
    NameIs(&'static Algorithm),
}

impl StoreLayout {
    /// Returns the role of a file, by its path below the store.
    pub fn role(&self, path: &[u8]) -> Role {
        match self {
            StoreLayout::Kind(kind) => (kind.role)(path),
            StoreLayout::NameIs(algorithm) => match of_path(algorithm, path) {
                Some(digest) => {
                    let digest = Claim::Name(digest);
                    Role::Object(ObjectClaim { algorithm, digest, coding: Coding::Stored })
                }
                None => Role::Stranger,
            },
        }
    }

    /// Returns the algorithms of its objects, the most frequent first.
    pub fn algorithms(&self) -> Vec<&'static Algorithm> {
        match self {
            StoreLayout::Kind(kind) => kind.algorithms.iter().filter_map(|name| find(name).ok()).collect(),
            StoreLayout::NameIs(algorithm) => vec![algorithm],
        }
    }

    /// Returns the facts about the kind of store; those of a tree whose names are digests are empty.
    fn kind(&self) -> &'static StoreKind {
        match self {
            StoreLayout::Kind(kind) => kind,
            StoreLayout::NameIs(_) => &ROW,
        }
    }

    /// Returns whether a database states the digests of the entries of the store.
    pub fn is_stated(&self) -> bool {
        self.kind().is_stated
    }

    /// Returns whether inventories in the store state the digests of its files.
    pub fn is_inventoried(&self) -> bool {
        self.kind().is_inventoried
    }

    /// Returns whether files in the commits of the repository around the store stand for its objects.
    pub fn has_pointers(&self) -> bool {
        self.kind().has_pointers
    }

    /// Returns whether files or links of the store name objects that it must have.
    pub fn has_references(&self) -> bool {
        let kind = self.kind();
        kind.is_index.is_some() || kind.link.is_some() || kind.companions.is_some()
    }

    /// Returns whether an object that nothing names is superfluous.
    pub fn is_complete(&self) -> bool {
        self.kind().is_complete
    }

    /// Returns whether a file names objects, by its path.
    pub fn is_index(&self, path: &[u8]) -> bool {
        self.kind().is_index.is_some_and(|is_index| is_index(path))
    }

    /// Returns the references of a symbolic link with this text; `None` if it leads to no object of the store, as one to the
    /// part of an object that has come so far.
    pub fn link(&self, path: &[u8], text: &[u8]) -> Option<References> {
        let references = (self.kind().link?)(path, text)?;
        let is_object = |path: &[u8]| self.role(path) != Role::Apart;
        references.objects.iter().all(|path| is_object(path)).then_some(references)
    }

    /// Returns the files that must be beside another, by its path.
    pub fn companions(&self, path: &[u8]) -> References {
        self.kind().companions.map_or_else(References::default, |companions| companions(path))
    }

    /// Returns the path of the pack whose objects a file names, if that is the index of a pack.
    pub fn pack_of_index(&self, path: &[u8]) -> Option<Vec<u8>> {
        (self.kind().pack_of_index?)(path)
    }

    /// Returns the index all of whose objects may be absent, if a file at this path with this content says so.
    pub fn partial(&self, path: &[u8], content: &[u8]) -> Option<Vec<u8>> {
        (self.kind().partial?)(path, content)
    }

    /// Returns the path by which references name an object.
    pub fn named(&self, path: &[u8]) -> Vec<u8> {
        (self.kind().named)(path)
    }

    /// Returns the codings that the objects may have, if only trying tells.
    pub fn codings(&self) -> &'static [Coding] {
        self.kind().codings
    }

    /// Returns whether symbolic links are parts of the store.
    pub fn has_links(&self) -> bool {
        self.kind().link.is_some()
    }
}
