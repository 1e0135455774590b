//! Zip against the programs that write it: Info-ZIP, Python, 7-Zip, libarchive and Java.

mod attacks;
mod damage;
mod files;
mod made;
mod tree;

use hashmill_archive::{Archive, Limits, MemberKind, Problem, Time, archive};
use hashmill_testing::{cases, installed};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use tree::Tree;

/// The number of random trees that each program packs.
const TREES: usize = 1;

/// A member as it was read.
#[derive(Debug)]
pub(crate) struct Unpacked {
    pub path: Vec<u8>,
    pub kind: MemberKind,
    pub size: Option<u64>,
    pub mode: Option<u32>,
    pub modified: Option<Time>,
    pub place: u64,
    /// The content, or the reason why it can't be read.
    pub content: Result<Vec<u8>, Problem>,
}

/// Reads all members of an archive, and the error after them.
pub(crate) fn unpack(bytes: Vec<u8>) -> (Vec<Unpacked>, Option<Problem>) {
    unpack_within(bytes, &Limits::default())
}

/// Reads all members within limits.
pub(crate) fn unpack_within(bytes: Vec<u8>, limits: &Limits) -> (Vec<Unpacked>, Option<Problem>) {
    let Some(format) = archive(&bytes) else { return (Vec::new(), Some(Problem::Unsupported("it".into()))) };
    assert_eq!(format.name, "zip");
    let directory = match (format.open)(Arc::new(bytes), limits) {
        Ok(Archive::Directory(directory)) => directory,
        Ok(Archive::Members(_)) => panic!("zip has a directory"),
        Err(problem) => return (Vec::new(), Some(problem)),
    };
    let (mut members, mut last) = (Vec::new(), None);
    for listed in directory.members() {
        assert!(last.is_none(), "a member follows an error");
        match listed {
            Ok(listed) => {
                let content = match listed.member.problem {
                    Some(problem) => Err(problem),
                    None => read(&*listed.bytes),
                };
                members.push(Unpacked {
                    path: listed.member.path,
                    kind: listed.member.kind,
                    size: listed.member.size,
                    mode: listed.member.mode,
                    modified: listed.member.times.modified,
                    place: listed.place,
                    content,
                });
            }
            Err(problem) => last = Some(problem),
        }
    }
    (members, last)
}

fn read(bytes: &dyn hashmill_archive::MemberBytes) -> Result<Vec<u8>, Problem> {
    let mut content = Vec::new();
    bytes.open()?.take(64 << 20).read_to_end(&mut content)?;
    Ok(content)
}

/// A way to pack a tree. The command runs in the tree; `OUT` is the archive and `PYTHON` the script.
struct Packer {
    line: &'static str,
    /// Whether symbolic links stay links.
    keeps_links: bool,
    /// The seconds by which times may be earlier.
    precision: i64,
    has_modes: bool,
}

/// The programs that pack.
const PROGRAMS: [&str; 5] = ["zip", "python3", "7zz", "bsdtar", "jar"];

impl Packer {
    /// Returns the program that packs.
    fn program(&self) -> &'static str {
        let is_in_line = |program: &&str| self.line.split([' ', '(', ';']).any(|word| word == *program);
        PROGRAMS.into_iter().find(is_in_line).unwrap()
    }
}

const fn packer(line: &'static str, keeps_links: bool, precision: i64, has_modes: bool) -> Packer {
    Packer { line, keeps_links, precision, has_modes }
}

const PACKERS: &[Packer] = &[
    packer("zip -qr OUT .", false, 0, true),
    packer("zip -qry OUT .", true, 0, true),
    packer("zip -qry0 OUT .", true, 0, true),
    packer("zip -qry -Z bzip2 OUT .", true, 0, true),
    packer("zip -qry -fz OUT .", true, 0, true),
    packer("zip -qryX OUT .", true, 1, true),
    packer("zip -qr - . | cat >OUT", false, 0, true),
    packer("zip -qr -fz- - . | cat >OUT", false, 0, true),
    packer("(printf prefix; zip -qr - . | cat) >OUT", false, 0, true),
    packer("zip -qry OUT . && mv OUT OUT.0 && (printf 'a stub'; cat OUT.0) >OUT", true, 0, true),
    packer(
        "zip -qry OUT . && (printf 'a stub'; cat OUT) >OUT.0 && zip -qA OUT.0 && mv OUT.0 OUT",
        true,
        0,
        true,
    ),
    packer("zip -qry OUT . && printf 'a comment' | zip -qz OUT", true, 0, true),
    packer("python3 PYTHON 0 OUT .", false, 1, true),
    packer("python3 PYTHON 8 OUT .", false, 1, true),
    packer("python3 PYTHON 12 OUT .", false, 1, true),
    packer("python3 PYTHON 14 OUT .", false, 1, true),
    packer("python3 PYTHON 8 - . | cat >OUT", false, 1, true),
    packer("python3 PYTHON 14 - . | cat >OUT", false, 1, true),
    packer("python3 PYTHON wide OUT .", false, 1, true),
    packer("7zz a -bso0 -snl -tzip OUT .", true, 1, true),
    packer("7zz a -bso0 -snl -tzip -mm=Copy OUT .", true, 1, true),
    packer("7zz a -bso0 -snl -tzip -mm=Deflate64 OUT .", true, 1, true),
    packer("7zz a -bso0 -snl -tzip -mm=BZip2 OUT .", true, 1, true),
    packer("7zz a -bso0 -snl -tzip -mm=LZMA OUT .", true, 1, true),
    packer("7zz a -bso0 -snl -tzip -mm=PPMd OUT .", true, 1, true),
    packer("7zz a -bso0 -snl -tzip -mm=PPMd:mem=16m:o=16 OUT .", true, 1, true),
    packer("7zz a -bso0 -snl -tzip -mm=xz OUT .", true, 1, true),
    packer("7zz a -bso0 -snl -tzip -mtc=on -mcu=on OUT .", true, 0, true),
    packer("bsdtar -c --format zip -f OUT .", true, 0, true),
    packer("bsdtar -c --format zip -f - . | cat >OUT", true, 0, true),
    packer("bsdtar -c --format zip --options zip:compression=store -f OUT .", true, 0, true),
    packer("bsdtar -c --format zip --options zip:zip64 -f - . | cat >OUT", true, 0, true),
    packer("jar cfM OUT .", false, 1, false),
    packer("jar cf0M OUT .", false, 1, false),
];

/// Packs a tree with Python by a method; to `-` without seeking, `wide` with 64-bit sizes.
const PYTHON: &str = r#"
import os, sys, zipfile
method, out, top = sys.argv[1:]
wide = method == "wide"
class Pipe:
    write = staticmethod(lambda data: sys.stdout.buffer.write(data))
    flush = staticmethod(lambda: sys.stdout.buffer.flush())
with zipfile.ZipFile(Pipe() if out == "-" else out, "w", 8 if wide else int(method)) as file:
    for folder, folders, names in os.walk(top, followlinks=True):
        folders.sort()
        for name in folders + sorted(names):
            path = os.path.join(folder, name)
            if wide and os.path.isfile(path):
                info = zipfile.ZipInfo.from_file(path, os.path.relpath(path, top))
                with file.open(info, "w", force_zip64=True) as member, open(path, "rb") as data:
                    member.write(data.read())
            else:
                file.write(path, os.path.relpath(path, top))
"#;

/// Runs a line of the shell in a folder. Returns whether it succeeded.
pub(crate) fn shell(folder: &Path, line: &str) -> bool {
    let mut command = Command::new("bash");
    command
        .args(["-o", "pipefail", "-c", line])
        .current_dir(folder)
        .env("TZ", "UTC")
        .env("LC_ALL", "C.UTF-8");
    command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
#[ignore = "campaign: needs jar"]
fn members_are_those_that_programs_packed() {
    let script = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&script, PYTHON).unwrap();
    let mut counts = vec![0_u32; PACKERS.len()];
    for seed in 1..=cases(TREES) as u64 {
        let tree = Tree::random(seed);
        for (packer, count) in PACKERS.iter().zip(&mut counts) {
            let out = tempfile::tempdir().unwrap();
            let file = out.path().join("out.zip");
            let line = packer.line.replace("OUT", file.to_str().unwrap());
            if installed(packer.program()).is_none() {
                continue;
            }
            assert!(
                shell(tree.path(), &line.replace("PYTHON", script.path().to_str().unwrap())),
                "seed {seed}: {line}"
            );
            let (members, last) = unpack(std::fs::read(&file).unwrap());
            let told = format!("seed {seed}: {}", packer.line);
            assert!(last.is_none(), "{told}: {last:?}");
            compare(&tree, packer, members, &told);
            *count += 1;
        }
        eprintln!("{} archives of {seed} trees agree", counts.iter().sum::<u32>());
    }
    for (packer, count) in PACKERS.iter().zip(counts) {
        eprintln!("{count} archives of `{}`", packer.line);
    }
}

/// Compares members with the tree that was packed.
fn compare(tree: &Tree, packer: &Packer, members: Vec<Unpacked>, told: &str) {
    let mut expected = tree.nodes(packer.keeps_links);
    for member in members {
        let path = member.path.strip_prefix(b"./").unwrap_or(&member.path);
        let path = path.strip_suffix(b"/").unwrap_or(path).to_vec();
        if path == b"." || path.is_empty() {
            continue;
        }
        let told = format!("{told}: {}", String::from_utf8_lossy(&path));
        let node = expected.remove(&path).unwrap_or_else(|| panic!("{told} is not in the tree"));
        assert_eq!(member.kind, node.kind, "{told}");
        if member.kind == MemberKind::File {
            let content = member.content.unwrap_or_else(|problem| panic!("{told}: {problem}"));
            assert!(content == node.content, "{told}: its content");
            assert_eq!(member.size, Some(content.len() as u64), "{told}");
        }
        if packer.has_modes && !matches!(member.kind, MemberKind::Link(_)) {
            assert_eq!(member.mode, Some(node.mode), "{told}: its mode");
        }
        let modified = member.modified.unwrap().seconds;
        assert!(
            (0..=packer.precision).contains(&(modified - node.modified).abs()),
            "{told}: {modified} for {}",
            node.modified
        );
    }
    assert!(expected.is_empty(), "{told}: members are missing: {:?}", expected.keys());
}
