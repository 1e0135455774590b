//! Formats by the signatures of PRONOM, from the files that The National Archives publish for DROID.
//!
//! Only the first and last [`END_BYTES`](crate::END_BYTES) of a stream are looked at.

mod compile;
mod compound;
mod container;
mod element;
mod error;
mod formats;
mod matcher;
mod members;
mod pattern;
mod zip;

use container::Containers;
use element::Element;
pub use error::SignatureError;
use formats::Formats;
use matcher::Bytes;
use std::sync::Arc;

/// The formats of a stream by PRONOM.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pronom {
    /// The versions of the signature files, and a checksum of them.
    pub signatures: Arc<str>,
    /// The formats, sorted by identifier; empty if none was found.
    pub formats: Box<[PronomFormat]>,
}

/// A format of PRONOM that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PronomFormat {
    /// The identifier, such as `fmt/18`.
    pub puid: Box<str>,
    /// The name; empty where PRONOM has none.
    pub name: Box<str>,
    /// The version; empty where PRONOM has none.
    pub version: Box<str>,
    /// The MIME types, separated by commas; empty where PRONOM has none.
    pub mime: Box<str>,
    /// The reason to name it.
    pub basis: Basis,
}

/// The reason to name a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Bytes of the stream.
    Signature,
    /// The members of a container, and bytes of these.
    Container,
    /// The extension of the name alone.
    Extension,
}

impl Pronom {
    /// Returns the identifiers of the formats.
    pub fn puids(&self) -> Vec<&str> {
        self.formats.iter().map(|format| &*format.puid).collect()
    }

    /// Returns the bytes that they take in memory.
    pub fn memory(&self) -> usize {
        let texts = |format: &PronomFormat| {
            let PronomFormat { puid, name, version, mime, basis: _ } = format;
            puid.len() + name.len() + version.len() + mime.len()
        };
        size_of_val(self)
            + self.formats.iter().map(|format| size_of_val(format) + texts(format)).sum::<usize>()
    }
}

impl Basis {
    const ALL: [Basis; 3] = [Basis::Signature, Basis::Container, Basis::Extension];

    /// Returns the word used in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Basis::Signature => "signature",
            Basis::Container => "container",
            Basis::Extension => "extension",
        }
    }

    /// Parses the word used in manifests.
    pub fn from_word(word: &str) -> Option<Basis> {
        Basis::ALL.into_iter().find(|basis| basis.word() == word)
    }
}

/// The compiled signature files.
#[derive(Debug, Default)]
pub struct Signatures {
    formats: Formats,
    containers: Containers,
    label: Arc<str>,
    checksum: u64,
}

impl Signatures {
    /// Adds a file: one of formats, or one of containers.
    ///
    /// # Errors
    /// If it is neither, or was not as it should be.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), SignatureError> {
        let root = Element::read(bytes)?;
        match &*root.name {
            b"FFSignatureFile" if self.formats.all.is_empty() => self.formats = Formats::new(&root)?,
            b"FFSignatureFile" => return Err(root.error("it is the second signature file of formats".into())),
            b"ContainerSignatureMapping" if self.containers.is_empty() => {
                self.containers = Containers::new(&root)?
            }
            b"ContainerSignatureMapping" => {
                return Err(root.error("it is the second signature file of containers".into()));
            }
            _ => {
                return Err(root.error(
                    "it is no signature file of DROID: neither FFSignatureFile nor ContainerSignatureMapping"
                        .into(),
                ));
            }
        }
        self.checksum = self.checksum.wrapping_add(checksum(bytes));
        let containers = match self.containers.is_empty() {
            true => String::new(),
            false => format!(" container {}", self.containers.version),
        };
        self.label = format!("V{}{containers} ({:016x})", self.formats.version, self.checksum).into();
        Ok(())
    }

    /// Returns whether there are no formats.
    pub fn is_empty(&self) -> bool {
        self.formats.all.is_empty()
    }

    /// Returns the versions of the files, and a checksum of their bytes.
    pub fn label(&self) -> &Arc<str> {
        &self.label
    }

    /// Returns the formats of a stream with these ends, size and name, which may be a path.
    pub fn identify(&self, head: &[u8], tail: &[u8], size: u64, name: &[u8]) -> Pronom {
        let mut basis = Basis::Signature;
        let mut places = self.formats.by_signature(Bytes { head, tail });
        let inside = self.containers.by_members(&self.formats, &places, (head, tail, size));
        if !inside.is_empty() {
            (places, basis) = (self.formats.without_lower(inside), Basis::Container);
        }
        if let Some(extension) = extension(name).filter(|_| places.is_empty()) {
            (places, basis) = (self.formats.by_extension(&extension), Basis::Extension);
        }
        let found = places.into_iter().map(|place| {
            let format = &self.formats.all[place];
            let (puid, name) = (format.puid.clone(), format.name.clone());
            PronomFormat { puid, name, version: format.version.clone(), mime: format.mime.clone(), basis }
        });
        let mut formats: Box<[PronomFormat]> = found.collect();
        formats.sort_unstable_by(|one, other| one.puid.cmp(&other.puid));
        Pronom { signatures: Arc::clone(&self.label), formats }
    }
}

/// Returns the FNV-1a checksum: it tells files of one version apart if one was edited, and proves nothing.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Returns the extension of a name in lower case.
fn extension(path: &[u8]) -> Option<String> {
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let extension = str::from_utf8(&name[dot + 1..]).ok()?;
    (!extension.is_empty()).then(|| extension.to_lowercase())
}
