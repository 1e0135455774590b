//! The reparse points of Windows: files and folders that stand for something else, with a tag that says for what.

use crate::FileKind;

/// The tag of a symbolic link.
pub const SYMLINK: u32 = 0xa000_000c;
/// The tag of a junction, which stands for a folder.
pub const JUNCTION: u32 = 0xa000_0003;

/// The bit of the tags that stand for another name (a symbolic link, a junction).
const SURROGATE: u32 = 0x2000_0000;
/// The tag of sockets.
const SOCKET: u32 = 0x8000_0023;

/// Attributes of folders and of reparse points: `FILE_ATTRIBUTE_DIRECTORY`, `FILE_ATTRIBUTE_REPARSE_POINT`.
const FOLDER: u32 = 0x10;
const REPARSE_POINT: u32 = 0x400;

/// The attributes of a file whose content a cloud or an archive has: `FILE_ATTRIBUTE_OFFLINE`, `…_RECALL_ON_OPEN`,
/// `…_RECALL_ON_DATA_ACCESS`. The reparse points of clouds stay when the content is here, and are hidden from most programs.
const ELSEWHERE: u32 = 0x1000 | 0x4_0000 | 0x40_0000;

/// Returns whether reading a file with these attributes would download its content.
pub fn is_elsewhere(attributes: u32) -> bool {
    attributes & ELSEWHERE != 0
}

/// Returns whether a file with these attributes is a reparse point.
pub fn is_reparse_point(attributes: u32) -> bool {
    attributes & REPARSE_POINT != 0
}

/// Returns the type of a file with these attributes. The tag has a meaning for reparse points only.
pub fn kind(attributes: u32, tag: u32) -> FileKind {
    let (is_folder, is_reparsed) = (attributes & FOLDER != 0, is_reparse_point(attributes));
    match tag {
        SOCKET if is_reparsed => FileKind::Socket,
        tag if is_reparsed && tag & SURROGATE != 0 => FileKind::Link,
        _ if is_folder => FileKind::Folder,
        _ => FileKind::File,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_counts_only_at_reparse_points() {
        for (attributes, tag, wanted) in [
            (0x20, 0, FileKind::File),
            (0x10, 0, FileKind::Folder),
            (0x10, SYMLINK, FileKind::Folder),
            (0x400, SYMLINK, FileKind::Link),
            (0x410, JUNCTION, FileKind::Link),
            (0x400, SOCKET, FileKind::Socket),
            (0x400, 0x9000_701a, FileKind::File),
            (0x410, 0x9000_701a, FileKind::Folder),
            (0x400, 0x8000_0013, FileKind::File),
        ] {
            assert_eq!(kind(attributes, tag), wanted, "{attributes:x} {tag:x}");
        }
    }
}
