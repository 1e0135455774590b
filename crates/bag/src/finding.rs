//! Findings about a bag.

use std::fmt;

/// A finding about a bag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of finding.
    pub kind: FindingKind,
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
pub enum FindingKind {
    /// A file in a manifest does not exist.
    Missing,
    /// A file in `fetch.txt` does not exist yet.
    ToBeFetched,
    /// A payload file is in no manifest.
    Extra,
    /// A file's digest differs.
    Changed,
    /// A payload file is in one payload manifest but not in another, or a payload manifest is not in a tag manifest.
    NotInAll,
    /// A manifest lists a file twice with different digests.
    Conflict,
    /// A manifest lists a file twice, or a field comes twice that may come once.
    Repeated,
    /// A path leads out of the bag, or out of the directory where it belongs.
    UnsafePath,
    /// `bagit.txt` has other lines than those that BagIt has.
    Declaration,
    /// The source of a file in `fetch.txt` is not an absolute URL.
    RelativeUrl,
    /// The bag is not what its profile wants.
    Profile,
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
    /// An archive has several things at one path, so programs that unpack it don't agree on the bag.
    Ambiguous,
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
    /// Two names differ only in the case or normal form of their letters.
    CaseTwin,
    /// A name has a percent sign that the manifest should have encoded.
    RawPercent,
    /// A tag file starts with a byte-order mark.
    Mark,
    /// A line is a comment; BagIt has none.
    Comment,
    /// A tag manifest lists payload, or another tag manifest.
    Misplaced,
    /// A tag file is in no tag manifest, and there is one.
    Unlisted,
    /// No payload manifest uses a cryptographic hash.
    Weak,
    /// All payload manifests are checksums, which prove nothing.
    Forgeable,
}

impl FindingKind {
    /// Returns the consequence for the bag.
    pub fn severity(self) -> Severity {
        match self {
            FindingKind::Star
            | FindingKind::Spelling
            | FindingKind::Normalised
            | FindingKind::CaseTwin
            | FindingKind::RawPercent
            | FindingKind::Mark
            | FindingKind::Comment
            | FindingKind::Misplaced
            | FindingKind::Unlisted
            | FindingKind::Weak => Severity::Note,
            FindingKind::Unreadable
            | FindingKind::Forgeable
            | FindingKind::Ambiguous
            | FindingKind::Malformed
            | FindingKind::UnknownAlgorithm
            | FindingKind::NotText => Severity::Unread,
            _ => Severity::Bad,
        }
    }

    /// Returns the word for it in outputs.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Missing => "missing",
            FindingKind::ToBeFetched => "to-be-fetched",
            FindingKind::Extra => "new",
            FindingKind::Changed => "changed",
            FindingKind::NotInAll => "not-in-all-manifests",
            FindingKind::Conflict => "conflict",
            FindingKind::Repeated => "repeated",
            FindingKind::UnsafePath => "unsafe-path",
            FindingKind::Declaration => "declaration",
            FindingKind::RelativeUrl => "relative-url",
            FindingKind::Profile => "profile",
            FindingKind::Link => "link",
            FindingKind::Special => "special",
            FindingKind::OxumDiffers => "oxum-differs",
            FindingKind::NoOxum => "no-oxum",
            FindingKind::NoManifest => "no-manifest",
            FindingKind::NoPayload => "no-payload",
            FindingKind::Unreadable => "unreadable",
            FindingKind::Ambiguous => "ambiguous",
            FindingKind::Malformed => "malformed",
            FindingKind::UnknownAlgorithm => "unknown-algorithm",
            FindingKind::NotText => "not-text",
            FindingKind::Star => "star",
            FindingKind::Spelling => "spelling",
            FindingKind::Normalised => "normalised",
            FindingKind::CaseTwin => "case-twin",
            FindingKind::RawPercent => "raw-percent",
            FindingKind::Mark => "byte-order-mark",
            FindingKind::Comment => "comment",
            FindingKind::Misplaced => "misplaced",
            FindingKind::Unlisted => "unlisted",
            FindingKind::Weak => "weak",
            FindingKind::Forgeable => "forgeable",
        }
    }
}

impl Finding {
    pub(crate) fn new(kind: FindingKind, path: impl Into<String>, detail: impl Into<String>) -> Finding {
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
