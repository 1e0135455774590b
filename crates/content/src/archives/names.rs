//! The names of archives. They decide what is said of a file in which nothing is found, and which objects of stores are
//! looked into, as a look would cost a request for each.

/// The extensions of archives, of packages that are archives, and of what was compressed.
const EXTENSIONS: &[&str] = &[
    // Archives.
    "zip", "zipx", "tar", "7z", "cpio", "ar", "a", "cbz", "cbt", "cb7", // Compressed tars.
    "tgz", "taz", "tzst", "txz", "tlz", "tbz", "tbz2", "tz2", "tz4", // Compressed files.
    "gz", "zst", "xz", "bz2", "lz4", "lzma", "lz", "z", "svgz",
    // Packages of systems and languages.
    "deb", "udeb", "ipk", "rpm", "apk", "jar", "war", "ear", "aar", "ipa", "whl", "egg", "gem", "crate",
    "nupkg", "xpi", "vsix", "kmz", "conda", "ova", // Documents that are archives.
    "docx", "docm", "dotx", "xlsx", "xlsm", "xlsb", "pptx", "pptm", "vsdx", "odt", "ods", "odp", "odg",
    "epub", // Archives that are told by name, as they can't be read.
    "rar", "cbr", "cab", "lzh", "lha", "arj", "ace", "xar", "pkg", "zoo", "sit", "wim", "esd", "lzo", "lrz",
    "zpaq", "sz",
];

/// Returns whether a path has a usual name of an archive, or is that of a layer of a container's image.
pub fn is_named(path: &[u8]) -> bool {
    let (folder, name) = split(path);
    // The first part of an archive that was cut.
    if let Some(whole) = name.strip_suffix(b".001") {
        return is_named(whole);
    }
    let extension =
        name.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0).map(|at| &name[at + 1..]);
    let is_usual =
        |extension: &[u8]| EXTENSIONS.iter().any(|usual| usual.as_bytes().eq_ignore_ascii_case(extension));
    extension.is_some_and(is_usual) || folder.ends_with(b"blobs/sha256") || folder.ends_with(b"blobs/sha512")
}

/// Returns the name that compressed bytes had before, as the programs restore it.
pub(super) fn unpacked(path: &[u8]) -> Vec<u8> {
    let (_, name) = split(path);
    let end = name.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0);
    let stem = &name[..end.unwrap_or(name.len())];
    let extension = end.map_or(&b""[..], |end| &name[end + 1..]).to_ascii_lowercase();
    match &*extension {
        b"svgz" => [stem, b".svg"].concat(),
        tar if tar.first() == Some(&b't') => [stem, b".tar"].concat(),
        _ => stem.to_vec(),
    }
}

/// Returns the folder and the name of a path.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_known_by_their_names() {
        for name in ["a.zip", "x/a.TAR", "a.tar.gz", "a.tgz", "l/blobs/sha256/00ff", "a.zip!/b.jar", "lib.a"]
        {
            assert!(is_named(name.as_bytes()), "{name}");
        }
        assert!(is_named(b"a.7z.001") && !is_named(b"a.7z.002") && !is_named(b"a.001"));
        for name in ["zip", ".zip", "a.txt", "tar/x", "a.zip/x", "blobs/sha256", "a."] {
            assert!(!is_named(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn compressed_files_get_their_names_back() {
        let of = |name: &str| String::from_utf8(unpacked(name.as_bytes())).unwrap();
        let names = ["x/a.txt.gz", "a.tgz", "a.TBZ2", "a.svgz", "noext", ".gz"].map(of);
        assert_eq!(names, ["a.txt", "a.tar", "a.tar", "a.svg", "noext", ".gz"]);
    }
}
