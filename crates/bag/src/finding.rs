//! Findings about a bag.

use std::fmt;

/// A finding about a bag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// The path in the bag that it is about; empty if it is about the bag.
    pub path: String,
    /// More about it: a manifest, a line, a reason. May be empty.
    pub detail: String,
}

/// What a finding means for the bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The bag is good; its maker did something in an unusual way.
    Note,
    /// The bag is not what it says.
    Bad,
    /// Something could not be read or understood, so that nothing can be said of it.
    Unread,
}

impl Severity {
    /// Returns the word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Bad => "bad",
            Severity::Unread => "unread",
        }
    }
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A manifest lists it, and it is not there.
    Missing,
    /// `fetch.txt` says where to fetch it, and it is not there.
    ToBeFetched,
    /// It is in the payload, and no manifest lists it.
    Extra,
    /// Its digest is another.
    Changed,
    /// One payload manifest lists it and another does not.
    NotInAll,
    /// A manifest lists it twice with different digests.
    Conflict,
    /// A manifest lists it twice.
    Repeated,
    /// A path that leads out of the bag, or out of where it belongs.
    UnsafePath,
    /// A symbolic link where a file should be; links are not followed.
    Link,
    /// Neither file nor directory.
    Special,
    /// Bytes and files of the payload are not those of `Payload-Oxum`.
    OxumDiffers,
    /// There is no `Payload-Oxum` to compare with.
    NoOxum,
    /// There is no payload manifest.
    NoManifest,
    /// There is no directory `data`.
    NoPayload,
    /// It could not be read.
    Unreadable,
    /// A line of a tag file is not understood.
    Malformed,
    /// A manifest of an algorithm that is not known.
    UnknownAlgorithm,
    /// A tag file is not a text in the declared encoding.
    NotText,
    /// A path has a `*` in front, as md5sum marks binary files.
    Star,
    /// A path has parts that say nothing, like `./`.
    Spelling,
    /// The name on disk and that in the manifest are the same letters in other code points (NFC, NFD).
    Normalised,
    /// The name has a percent sign that the manifest should have encoded and has not.
    RawPercent,
    /// A tag file starts with a byte-order mark.
    Mark,
    /// A line is a comment, which BagIt does not have.
    Comment,
    /// A tag manifest lists payload, or another tag manifest.
    Misplaced,
    /// No manifest is by an algorithm that withstands forgery.
    Weak,
}

impl Kind {
    /// What it means for the bag.
    pub fn severity(self) -> Severity {
        match self {
            Kind::Star
            | Kind::Spelling
            | Kind::Normalised
            | Kind::RawPercent
            | Kind::Mark
            | Kind::Comment
            | Kind::Misplaced
            | Kind::Weak => Severity::Note,
            Kind::Unreadable | Kind::Malformed | Kind::UnknownAlgorithm | Kind::NotText => Severity::Unread,
            _ => Severity::Bad,
        }
    }

    /// The word in outputs.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Missing => "missing",
            Kind::ToBeFetched => "to-be-fetched",
            Kind::Extra => "new",
            Kind::Changed => "changed",
            Kind::NotInAll => "not-in-all-manifests",
            Kind::Conflict => "conflict",
            Kind::Repeated => "repeated",
            Kind::UnsafePath => "unsafe-path",
            Kind::Link => "link",
            Kind::Special => "special",
            Kind::OxumDiffers => "oxum-differs",
            Kind::NoOxum => "no-oxum",
            Kind::NoManifest => "no-manifest",
            Kind::NoPayload => "no-payload",
            Kind::Unreadable => "unreadable",
            Kind::Malformed => "malformed",
            Kind::UnknownAlgorithm => "unknown-algorithm",
            Kind::NotText => "not-text",
            Kind::Star => "star",
            Kind::Spelling => "spelling",
            Kind::Normalised => "normalised",
            Kind::RawPercent => "raw-percent",
            Kind::Mark => "byte-order-mark",
            Kind::Comment => "comment",
            Kind::Misplaced => "misplaced",
            Kind::Weak => "weak",
        }
    }
}

impl Finding {
    pub(crate) fn new(kind: Kind, path: impl Into<String>, detail: impl Into<String>) -> Finding {
        Finding { kind, path: path.into(), detail: detail.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.kind.word();
        match (self.path.is_empty(), self.detail.is_empty()) {
            (true, true) => write!(f, "{word}"),
            (true, false) => write!(f, "{word}: {}", self.detail),
            (false, true) => write!(f, "{}: {word}", self.path),
            (false, false) => write!(f, "{}: {word}: {}", self.path, self.detail),
        }
    }
}
