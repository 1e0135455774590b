//! One object of a store.

/// What a store says of an object.
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
    /// Its version: the version's name, of Google the generation.
    pub version: Option<Box<str>>,
    /// Whether this very version is read, also once another one has its key. Stores ask for a right of its own for that.
    pub exact: bool,
    /// How the store sends its bytes.
    pub delivery: Delivery,
    /// Digests and the like that came with it.
    pub stored: Vec<Stored>,
}

/// How a store sends the bytes of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Any part of them.
    #[default]
    Parts,
    /// All of them, from the first on.
    Whole,
    /// Likewise, and it does not say how many there are: [`Object::size`] is 0.
    Unsized,
}

/// Something that a store says of an object's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The provider's name for it: `ChecksumAlgorithm`, `ChecksumType`, `md5Hash`, `crc32c`, `Content-MD5`, or the name
    /// of a header, in small letters.
    pub name: &'static str,
    /// What it says, as the provider writes it.
    pub text: Box<str>,
}

impl Delivery {
    /// Whether bytes come only in order.
    pub fn is_in_order(self) -> bool {
        self != Delivery::Parts
    }

    /// Whether the number of bytes is known before they come.
    pub fn has_size(self) -> bool {
        self != Delivery::Unsized
    }
}

impl Object {
    /// What is stored by this name.
    pub fn stored(&self, name: &str) -> Option<&str> {
        self.stored.iter().find(|stored| stored.name == name).map(|stored| &*stored.text)
    }

    /// The ETag if it stands for exactly these bytes, which a weak one does not.
    pub(crate) fn strong_etag(&self) -> Option<&str> {
        self.etag.as_deref().filter(|etag| !etag.starts_with("W/"))
    }
}
