//! Digests of folders, made and compared with the digests of what is in them: `directoryhash`, and `roothash` of the whole
//! tree.
//!
//! The content digest of a folder is that of the digests of its files and the content digests of its folders, sorted. The
//! structure digest is made likewise of the digests of each name with the digest behind it. As the files of a list are
//! compared with their digests, no file is read for this.

use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::Naming;
use crate::format::xml::Element;
use crate::format::xml::mhl;
use crate::{Named, Time};
use hashmill_digest::{Algorithm, Digest, hash};
use std::collections::{BTreeMap, BTreeSet};

type Path = Box<[u8]>;

/// The two digests that a folder has by an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderDigest {
    /// Of the content of its files and folders, whatever their names.
    Content,
    /// Of their names, too.
    Structure,
}

impl FolderDigest {
    /// Returns the digest of a folder with these files and folders, each a name (or a path) with its digest.
    pub fn of<'n>(
        self,
        algorithm: &'static Algorithm,
        inside: impl Iterator<Item = (&'n [u8], Digest)>,
    ) -> Digest {
        let part = |(path, digest): (&[u8], Digest)| match self {
            FolderDigest::Content => digest,
            FolderDigest::Structure => hash(algorithm, &[last(path), digest.as_bytes()].concat()),
        };
        let mut parts: Vec<Digest> = inside.map(part).collect();
        parts.sort_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
        hash(algorithm, &parts.iter().flat_map(|part| part.as_bytes().to_vec()).collect::<Vec<u8>>())
    }
}

/// A folder in a generation.
#[derive(Debug, Clone, Default)]
pub struct GenerationFolder {
    /// The path; empty for the whole tree.
    pub path: Box<[u8]>,
    /// The time of the last change.
    pub mtime: Option<Time>,
    /// The content digests.
    pub content: Vec<Named>,
    /// The structure digests.
    pub structure: Vec<Named>,
    /// The previous path, if it was renamed.
    pub before: Option<Box<[u8]>>,
}

impl GenerationFolder {
    /// Reads the element of a folder, or of the whole tree.
    ///
    /// # Errors
    /// If it has elements that are not known.
    pub(super) fn read(element: &Element, naming: &mut Naming) -> Result<GenerationFolder, Bad> {
        const NAMES: [&[u8]; 5] = [b"path", b"content", b"structure", b"previousPath", b"metadata"];
        if let Some(child) = element.children.iter().find(|child| !NAMES.contains(&&*child.name)) {
            return Err(unknown(child));
        }
        let text = |name: &[u8]| element.child(name).map(|child| Path::from(child.text.as_slice()));
        let mut of = |name: &[u8]| match element.child(name) {
            Some(element) => digests(element, naming),
            None => Ok(Vec::new()),
        };
        let (content, structure) = (of(b"content")?, of(b"structure")?);
        let (path, before) = (text(b"path").unwrap_or_default(), text(b"previousPath"));
        Ok(GenerationFolder { path, mtime: None, content, structure, before })
    }
}

/// The digests that a generation states of files and folders.
#[derive(Debug, Default)]
pub(super) struct Folders {
    /// The digests of each file as it was found, those of failed ones, too.
    files: BTreeMap<Path, Vec<Named>>,
    /// The content digests and the structure digests of each folder; the whole tree has an empty path.
    folders: BTreeMap<Path, [Vec<Named>; 2]>,
    /// Folders with histories of their own, whose files are there.
    inner: BTreeSet<Path>,
}

impl Folders {
    /// Takes the element of a file.
    pub(super) fn file(&mut self, element: &Element, naming: &mut Naming) {
        if let Some(path) = element.child(b"path") {
            let all = element.children.iter();
            let digests = all.filter_map(|child| digest(child, naming)?.ok());
            self.files.entry(path.text.as_slice().into()).or_default().extend(digests);
        }
    }

    /// Takes a folder, or the whole tree.
    pub(super) fn folder(&mut self, folder: &GenerationFolder) {
        self.folders.insert(folder.path.clone(), [folder.content.clone(), folder.structure.clone()]);
    }

    /// Takes the path of a manifest of an inner history.
    pub(super) fn reference(&mut self, path: &[u8]) {
        let end = path.windows(8).rposition(|part| part == b"/ascmhl/");
        self.inner.extend(end.map(|end| path[..end].into()));
    }

    /// Returns the folders whose digests are not those of what is in them. A folder is left out by an algorithm that
    /// something in it has no digest by.
    pub(super) fn wrong(self) -> Vec<Path> {
        let mut inside: BTreeMap<Path, Vec<Path>> = BTreeMap::new();
        for path in self.files.keys().chain(self.folders.keys()).filter(|path| !path.is_empty()) {
            add(&mut inside, path);
        }
        let is_wrong = |path: &Path| {
            let names = inside.get(path).map_or(&[][..], Vec::as_slice);
            let [content, structure] = &self.folders[path];
            content.iter().any(|named| self.differs(named, names, FolderDigest::Content))
                || structure.iter().any(|named| self.differs(named, names, FolderDigest::Structure))
        };
        let folders = self.folders.keys().filter(|path| !self.inner.contains(*path));
        folders.filter(|path| is_wrong(path)).cloned().collect()
    }

    /// Returns whether a digest of a folder with these files and folders is another one: of contents, or of structures.
    fn differs(&self, stated: &Named, inside: &[Path], kind: FolderDigest) -> bool {
        let part = |path: &'_ Path| {
            let all = match self.files.get(path) {
                Some(file) => file,
                None => &self.folders.get(path)?[kind as usize],
            };
            digest_by(all, stated.algorithm)
        };
        let digests: Option<Vec<Digest>> = inside.iter().map(part).collect();
        let Some(digests) = digests else { return false };
        let inside = inside.iter().map(|path| &**path).zip(digests);
        kind.of(stated.algorithm, inside) != stated.digest
    }
}

/// Adds a path to its folder, and that to its own.
fn add(inside: &mut BTreeMap<Path, Vec<Path>>, path: &[u8]) {
    let above: Path =
        path.iter().rposition(|byte| *byte == b'/').map(|end| path[..end].into()).unwrap_or_default();
    let is_new = !inside.contains_key(&above);
    let all = inside.entry(above.clone()).or_default();
    if !all.iter().any(|known| **known == *path) {
        all.push(path.into());
    }
    if is_new && !above.is_empty() {
        add(inside, &above);
    }
}

/// Returns the last name of a path.
fn last(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(path, |slash| &path[slash + 1..])
}

fn digest_by(all: &[Named], algorithm: &'static Algorithm) -> Option<Digest> {
    all.iter().find(|named| named.algorithm == algorithm).map(|named| named.digest)
}

/// Returns the digests that an element of a folder has.
///
/// # Errors
/// If it has anything else.
fn digests(element: &Element, naming: &mut Naming) -> Result<Vec<Named>, Bad> {
    let all = element.children.iter();
    all.map(|child| digest(child, naming).unwrap_or_else(|| Err(unknown(child)))).collect()
}

/// Returns the digest that an element is.
pub(super) fn digest(element: &Element, naming: &mut Naming) -> Option<Result<Named, Bad>> {
    mhl::named(naming, &element.name, element.text.trim_ascii())
}

/// Makes the error of an element that is not known.
pub(super) fn unknown(element: &Element) -> Bad {
    Bad::new("element", Why::Element(String::from_utf8_lossy(&element.name).into()))
}

#[cfg(test)]
mod tests {
    use crate::format::Why;
    use crate::format::xml::history::{GenerationPart, Parts};

    /// The digests that the program `ascmhl` wrote of a tree: of files, and content and structure of folders.
    const FILES: [(&str, &str); 3] =
        [("A/B/y.mov", "e3dde5b3129fc8c3"), ("A/x.mov", "ca7ffbd94d5e0037"), ("a.mov", "cc98257fe4be8f5a")];
    const FOLDERS: [(&str, [&str; 2]); 4] = [
        ("", ["49d1d9de36a6b956", "6f0a26184b9e9d95"]),
        ("A", ["9b78bd974cd1bab7", "e8ca1234825dba62"]),
        ("A/B", ["d79e0b50e61b5adc", "03269e09ccf64994"]),
        ("empty", ["ef46db3751d8e999", "ef46db3751d8e999"]),
    ];

    fn list() -> String {
        let digest = |text: &str| format!("<xxh64>{text}</xxh64>");
        let digests = |[content, structure]: [&str; 2]| {
            format!("<content>{}</content><structure>{}</structure>", digest(content), digest(structure))
        };
        let file = |(path, text): (&str, &str)| {
            format!("<hash><path size=\"1\">{path}</path>{}</hash>", digest(text))
        };
        let folder = |(path, both): (&str, [&str; 2])| match path {
            "" => format!("<roothash>{}</roothash>", digests(both)),
            path => format!("<directoryhash><path>{path}</path>{}</directoryhash>", digests(both)),
        };
        let all: String = FOLDERS.map(folder).into_iter().chain(FILES.map(file)).collect();
        format!("<hashlist xmlns=\"urn:ASC:MHL:v2.0\">{all}</hashlist>")
    }

    /// Returns the folders whose digests are wrong, and the number of files.
    fn read(text: &str) -> (Vec<String>, usize) {
        let (mut wrong, mut files) = (Vec::new(), 0);
        for part in Parts::new(Box::new(text.as_bytes())) {
            match part {
                Ok(GenerationPart::File(..)) => files += 1,
                Ok(_) => {}
                Err(malformed) => {
                    let Why::Folder(path) = malformed.why else { panic!("{malformed}") };
                    wrong.push(String::from_utf8(path.into()).unwrap());
                }
            }
        }
        (wrong, files)
    }

    #[test]
    fn digests_of_folders_are_those_of_the_reference() {
        assert_eq!(read(&list()), (vec![], 3));
    }

    #[test]
    fn a_wrong_digest_of_a_folder_is_told() {
        for (path, both) in FOLDERS {
            for text in both {
                let (wrong, files) = read(&list().replacen(text, "0000000000000000", 1));
                assert!(wrong.contains(&path.to_string()) && files == 3, "{path}");
            }
        }
        // A file that is not what the folders were made of, and one that they were not made of.
        assert_eq!(read(&list().replace("ca7ffbd94d5e0037", "ca7ffbd94d5e0038")).0, ["A"]);
        assert_eq!(read(&list().replace("A/B/y.mov", "A/B/z.mov")).0, ["A/B"]);
    }

    #[test]
    fn a_digest_of_a_file_that_is_not_known_is_told_beside_the_others() {
        let text = list().replacen("</hash>", "<sha256>00</sha256></hash>", 1);
        let parts: Vec<_> = Parts::new(Box::new(text.as_bytes())).collect();
        let files = parts.iter().filter(|part| matches!(part, Ok(GenerationPart::File(..)))).count();
        let told = parts.iter().filter_map(|part| part.as_ref().err());
        let told: Vec<String> = told.map(|malformed| malformed.why.to_string()).collect();
        assert_eq!((files, told.len()), (3, 1), "{told:?}");
        assert!(told[0].contains("'sha256' is not known"), "{told:?}");
    }

    #[test]
    fn elements_that_are_not_known_are_told() {
        for (from, to, name) in [
            ("<content>", "<content><sha256>00</sha256>", "sha256"),
            ("<structure>", "<structure><md4>00</md4>", "md4"),
            ("<roothash>", "<roothash><xxh64>00</xxh64>", "xxh64"),
            ("</directoryhash>", "<other/></directoryhash>", "other"),
        ] {
            let mut told = Vec::new();
            for part in Parts::new(Box::new(list().replacen(from, to, 1).as_bytes())) {
                told.extend(part.err().map(|malformed| malformed.why));
            }
            assert!(matches!(&told[..], [Why::Element(told)] if **told == *name), "{name}: {told:?}");
        }
    }

    #[test]
    fn what_has_another_algorithm_or_a_history_of_its_own_is_not_compared() {
        let other = list().replace("<xxh64>ca7ffbd94d5e0037</xxh64>", "<xxh3>ca7ffbd94d5e0037</xxh3>");
        assert_eq!(read(&other).0, [""; 0]);
        let reference =
            "<hashlistreference><path>empty/ascmhl/0001_x.mhl</path></hashlistreference></hashlist>";
        let inner = list().replace("ef46db3751d8e999", "ef46db3751d8e998").replace("</hashlist>", reference);
        assert_eq!(read(&inner).0, [""]);
    }
}
