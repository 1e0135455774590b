//! Reparse points: files that stand for something else, by a tag that says for what.
//!
//! Source: [MS-FSCC] 2.1.2.1.

use crate::NodeKind;

/// Tags with this bit stand for another file or directory.
const SURROGATE: u32 = 0x2000_0000;

/// The tags of files whose content may be in the cloud; four bits of them differ.
const CLOUD: u32 = 0x9000_001a;
const CLOUD_MASK: u32 = 0xffff_0fff;

/// The meaning of a reparse point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It is of this kind, and has no content of its own.
    Special(NodeKind),
    /// Its content is what is in the file.
    Content,
    /// Its content is in the file, unless there are holes.
    ContentUnlessSparse(&'static str),
    /// Its content is elsewhere, or in another form.
    Elsewhere(&'static str),
    /// It is not known.
    Unknown,
}

/// Tags, and what files are that have them.
const TAGS: &[(u32, Meaning)] = &[
    (0x8000_0006, Meaning::Elsewhere("content that was moved to other storage (HSM)")),
    (0xc000_0004, Meaning::Elsewhere("content that was moved to other storage (HSM)")),
    (0x8000_0007, Meaning::Elsewhere("content that several files share (SIS)")),
    (0x8000_0008, Meaning::Elsewhere("content that is in a WIM image")),
    (0x8000_0013, Meaning::Elsewhere("deduplicated content")),
    (0x8000_0014, Meaning::Special(NodeKind::Link)),
    (0x8000_0015, Meaning::Elsewhere("content that is in the cloud (placeholder)")),
    (0x8000_0017, Meaning::Elsewhere("content that is compressed by the system (WOF)")),
    (0x8000_0018, Meaning::Elsewhere("content that is in a layer of a container (WCI)")),
    (0x9000_1018, Meaning::Elsewhere("content that is in a layer of a container (WCI)")),
    (0x8000_001b, Meaning::Content),
    (0x9000_001c, Meaning::Elsewhere("content that a program provides (ProjFS)")),
    (0x8000_001e, Meaning::Elsewhere("content that is on another server (Storage Sync)")),
    (0x8000_0021, Meaning::Elsewhere("content that is in the cloud (OneDrive)")),
    (0x8000_0023, Meaning::Special(NodeKind::Socket)),
    (0x8000_0024, Meaning::Special(NodeKind::Fifo)),
    (0x8000_0025, Meaning::Special(NodeKind::Device)),
    (0x8000_0026, Meaning::Special(NodeKind::Device)),
];

/// Returns whether a tag stands for another file or directory, as those of symbolic links and mount points do.
pub(super) fn is_surrogate(tag: u32) -> bool {
    tag & SURROGATE != 0
}

/// Returns what a file with this tag is.
pub(super) fn meaning(tag: u32) -> Meaning {
    if let Some((_, meaning)) = TAGS.iter().find(|row| row.0 == tag) {
        return *meaning;
    }
    match tag {
        _ if tag & CLOUD_MASK == CLOUD => {
            Meaning::ContentUnlessSparse("content that is in the cloud (placeholder)")
        }
        _ if is_surrogate(tag) => Meaning::Special(NodeKind::Link),
        _ => Meaning::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_there_once_and_links_are_found_by_their_bit() {
        for (tag, meaning_of) in TAGS {
            assert_eq!(TAGS.iter().filter(|row| row.0 == *tag).count(), 1);
            assert_eq!(meaning(*tag), *meaning_of);
        }
        for tag in [0xa000_0003, 0xa000_000c, 0xa000_001d] {
            assert_eq!(meaning(tag), Meaning::Special(NodeKind::Link));
        }
        assert!(matches!(meaning(0x9000_701a), Meaning::ContentUnlessSparse(_)));
        assert_eq!(meaning(0x0000_1234), Meaning::Unknown);
    }
}
