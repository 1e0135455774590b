//! Findings about a bag.

use std::fmt;

/// A finding about a bag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of finding.
    pub kind: Kind,
    /// The path in the bag; empty if the finding concerns the whole bag.
    pub path: String,
    /// Details, such as a manifest, a line or a reason. May be empty.
    pub detail: String,
}

/// The consequence of a finding for the bag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The bag is valid but unusual.
    Note,
    /// The bag is not valid.
    Bad,
    /// Something could not be read or understood, so the bag can't be judged.
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
    /// A file in a manifest does not exist.
    Missing,
    /// A file in `fetch.txt` does not exist yet.
    ToBeFetched,
    /// A payload file is in no manifest.
    Extra,
    /// A file's digest differs.
    Changed,
    /// A file is in one payload manifest but not in another.
    NotInAll,
    /// A manifest lists a file twice with different digests.
    Conflict,
    /// A manifest lists a file twice.
    Repeated,
    /// A path leads out of the bag, or out of the directory where it belongs.
    UnsafePath,
    /// A symbolic link stands in place of a file; links are not followed.
    Link,
    /// Something is neither a file nor a directory.
    Special,
    /// The payload has another size or number of files than `Payload-Oxum`.
    OxumDiffers,
    /// There is no `Payload-Oxum`.
    NoOxum,
    /// There is no payload manifest.
    NoManifest,
    /// There is no directory `data`.
    NoPayload,
    /// A file could not be read.
    Unreadable,
    /// A line of a tag file is malformed.
    Malformed,
    /// A manifest uses an unknown algorithm.
    UnknownAlgorithm,
    /// A tag file is not text in the declared encoding.
    NotText,
    /// A path has a `*` in front, the binary mark of md5sum.
    Star,
    /// A path has redundant parts such as `./`.
    Spelling,
    /// The names on disk and in the manifest are the same letters in other code points (NFC, NFD).
    Normalised,
    /// A name has a percent sign that the manifest should have encoded.
    RawPercent,
    /// A tag file starts with a byte-order mark.
    Mark,
    /// A line is a comment; BagIt has none.
    Comment,
    /// A tag manifest lists payload, or another tag manifest.
    Misplaced,
    /// No payload manifest uses a cryptographic hash.
    Weak,
}

impl Kind {
    /// Returns the consequence for the bag.
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

    /// Returns the word for it in outputs.
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
