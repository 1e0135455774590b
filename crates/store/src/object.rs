//! One object of a store.

/// The metadata of an object, as its store gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object {
    /// Its whole key, as bytes.
    pub key: Box<[u8]>,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written: seconds and nanoseconds since 1970, UTC. 0 where the store does not say.
    pub modified: (i64, u32),
    /// Its ETag as the store writes it, with quotes.
    pub etag: Option<Box<str>>,
    /// Its version: the version's name, or Google's generation.
    pub version: Option<Box<str>>,
    /// Whether this very version is read, even after another one replaced it. Stores require a separate permission for
    /// that.
    pub exact: bool,
    /// How the store sends its bytes.
    pub delivery: Delivery,
    /// The digests and other checksums that came with it.
    pub stored: Vec<Stored>,
}

/// How a store sends the bytes of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Any part of them.
    #[default]
    Parts,
    /// Only the whole object, from the first byte on.
    Whole,
    /// Likewise, and the server does not say how many bytes there are: [`Object::size`] is 0.
    Unsized,
}

/// A claim of a store about an object's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The provider's name for it: `ChecksumAlgorithm`, `ChecksumType`, `md5Hash`, `crc32c`, `Content-MD5`, or the name
    /// of a header, in small letters.
    pub name: &'static str,
    /// The value, as the provider writes it.
    pub text: Box<str>,
}

impl Delivery {
    /// Returns whether bytes come only in order.
    pub fn is_in_order(self) -> bool {
        self != Delivery::Parts
    }

    /// Returns whether the size is known before the bytes come.
    pub fn has_size(self) -> bool {
        self != Delivery::Unsized
    }
}

impl Object {
    /// Returns the value that is stored by this name.
    pub fn stored(&self, name: &str) -> Option<&str> {
        self.stored.iter().find(|stored| stored.name == name).map(|stored| &*stored.text)
    }

    /// Returns the ETag if it identifies exactly these bytes, which a weak one does not.
    pub(crate) fn strong_etag(&self) -> Option<&str> {
        self.etag.as_deref().filter(|etag| !etag.starts_with("W/"))
    }
}
