//! Random trees of files, programs that archive them, and the members of the archives.

use hashmill_archive::{Limits, Member, MemberKind, Problem, stream};
use hashmill_testing::{cases, installed};
use std::collections::HashMap;
use std::fs::{self, File, Permissions};
use std::io::{Cursor, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

/// Random numbers (xorshift64*).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// Returns a number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn bytes(&mut self, length: u64) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }

    /// Returns the content of a file: often none or little, sometimes with zeros in it.
    pub fn content(&mut self) -> Vec<u8> {
        let length = match self.below(8) {
            0 | 1 => 0,
            2..=5 => self.below(40),
            6 => self.below(700),
            _ => self.below(40_000),
        };
        let mut content = self.bytes(length);
        if self.below(4) == 0 {
            content.resize(content.len() + self.below(9000) as usize, 0);
        }
        content
    }

    /// Returns a name that no other one of the number has.
    pub fn name(&mut self, number: u64) -> Vec<u8> {
        let odd =
            ["a b", "ü", "-x", "日本", "%s", "$(x)", "\\", "'", "*", ".hidden", "#", ";1", "{}", "070701"];
        let mut name = odd[self.below(odd.len() as u64) as usize].to_owned();
        name.push_str(&number.to_string());
        if self.below(8) == 0 {
            name.push_str(&"long".repeat(1 + self.below(50) as usize));
        }
        if self.below(3) == 0 {
            name.push_str(".o");
        }
        name.into_bytes()
    }
}

/// A tree of files.
pub struct Tree {
    pub folder: TempDir,
    /// The paths in it, each after its directory.
    pub paths: Vec<Vec<u8>>,
}

/// The kinds of files that a tree may have besides files and directories.
#[derive(Clone, Copy)]
pub struct Special {
    pub links: bool,
    pub fifos: bool,
}

impl Tree {
    pub fn new(random: &mut Random, special: Special) -> Tree {
        let mut tree = Tree { folder: tempfile::tempdir().unwrap(), paths: Vec::new() };
        let (mut directories, mut files) = (vec![Vec::new()], Vec::new());
        for number in 0..2 + random.below(14) {
            let mut path = directories[random.below(directories.len() as u64) as usize].clone();
            path.extend(random.name(number));
            let place = tree.place(&path);
            match random.below(12) {
                0 | 1 => {
                    fs::create_dir(&place).unwrap();
                    directories.push([&path[..], b"/"].concat());
                }
                2 if special.links => {
                    let target = random.name(random.0 % 9);
                    symlink(PathBuf::from(std::ffi::OsString::from_vec(target)), &place).unwrap();
                }
                3..=5 if !files.is_empty() => {
                    let other: &PathBuf = &files[random.below(files.len() as u64) as usize];
                    fs::hard_link(other, &place).unwrap();
                }
                6 if special.fifos => assert!(Command::new("mkfifo").arg(&place).status().unwrap().success()),
                _ => {
                    fs::write(&place, random.content()).unwrap();
                    fs::set_permissions(&place, Permissions::from_mode(0o400 + random.below(0o400) as u32))
                        .unwrap();
                    let time = UNIX_EPOCH + Duration::from_secs(random.below(1 << 31));
                    File::options().append(true).open(&place).unwrap().set_modified(time).unwrap();
                    files.push(place);
                }
            }
            tree.paths.push(path);
        }
        tree
    }

    /// Returns the place of a path.
    pub fn place(&self, path: &[u8]) -> PathBuf {
        self.folder.path().join(std::ffi::OsStr::from_bytes(path))
    }

    /// Asserts that an archive has each path of the tree once, with its facts and content.
    pub fn compare(&self, members: &[Read1], prefix: &str, context: &str) {
        let contents: HashMap<_, _> = members.iter().map(|read| (&read.member.path, &read.content)).collect();
        let mut paths: Vec<_> = members.iter().map(|read| read.member.path.clone()).collect();
        paths.sort();
        let mut expected: Vec<_> = self.paths.iter().map(|path| [prefix.as_bytes(), path].concat()).collect();
        expected.sort();
        assert_eq!(paths, expected, "{context}");
        for read in members {
            let path = &read.member.path[prefix.len()..];
            let context = format!("{context}: {:?}: {read:?}", String::from_utf8_lossy(path));
            assert!(read.member.problem.is_none() && read.problem.is_none(), "{context}");
            self.compare_one(path, read, &contents, prefix, &context);
        }
    }

    fn compare_one(
        &self,
        path: &[u8],
        read: &Read1,
        contents: &HashMap<&Vec<u8>, &Vec<u8>>,
        prefix: &str,
        context: &str,
    ) {
        let place = self.place(path);
        let meta = fs::symlink_metadata(&place).unwrap();
        assert_eq!(read.member.mode, Some(meta.mode() & 0o7777), "{context}");
        assert_eq!(read.member.times.modified.map(|time| time.seconds), Some(meta.mtime()), "{context}");
        match &read.member.kind {
            MemberKind::File => {
                assert!(meta.is_file(), "{context}");
                assert!(read.content == fs::read(&place).unwrap(), "{context}");
                assert_eq!(read.member.size, Some(meta.size()), "{context}");
            }
            MemberKind::HardLink(target) => {
                let other = fs::symlink_metadata(self.place(&target[prefix.len()..])).unwrap();
                assert_eq!(meta.ino(), other.ino(), "{context}");
                assert!(*contents[target] == fs::read(&place).unwrap(), "{context}");
            }
            MemberKind::Directory => assert!(meta.is_dir(), "{context}"),
            MemberKind::Link(target) => {
                assert_eq!(target, fs::read_link(&place).unwrap().as_os_str().as_bytes(), "{context}");
            }
            MemberKind::Fifo => assert!(!meta.is_file() && !meta.is_dir() && !meta.is_symlink(), "{context}"),
            other => panic!("{context}: {other:?}"),
        }
    }
}

/// A member as it was read.
#[derive(Debug)]
pub struct Read1 {
    pub member: Member,
    pub content: Vec<u8>,
    pub problem: Option<Problem>,
}

/// Reads an archive in pieces of random sizes: its members, and the problem that ends it.
pub fn read(name: &str, bytes: &[u8], random: &mut Random) -> (Vec<Read1>, Option<Problem>) {
    let format = stream(&bytes[..bytes.len().min(512)]).filter(|format| format.name == name);
    let Some(format) = format else {
        return (Vec::new(), Some(Problem::Unsupported("not recognised".into())));
    };
    read_from((format.open)(Box::new(Chopped::new(bytes, random)), &Limits::default()), random)
}

/// Bytes that come in pieces of any size.
struct Chopped(Cursor<Vec<u8>>, Random, u64);

impl Chopped {
    fn new(bytes: &[u8], random: &mut Random) -> Chopped {
        let most = [1, 7, 300, 1 << 20][random.below(4) as usize];
        Chopped(Cursor::new(bytes.to_vec()), Random(1 + random.next()), most)
    }
}

impl Read for Chopped {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let piece = 1 + self.1.below(self.2);
        Read::by_ref(&mut self.0).take(piece).read(buffer)
    }
}

/// Returns the paths of the members of an archive of which most contents are not read, or not to the end.
pub fn skim(name: &str, bytes: &[u8], random: &mut Random) -> Vec<Vec<u8>> {
    let format = stream(&bytes[..bytes.len().min(512)]).filter(|format| format.name == name).unwrap();
    let mut archive = (format.open)(Box::new(Chopped::new(bytes, random)), &Limits::default()).unwrap();
    let mut paths = Vec::new();
    while let Some(member) = archive.next().unwrap() {
        paths.push(member.path);
        let mut some = vec![0; random.below(9) as usize * 3];
        archive.read(&mut some).unwrap();
    }
    paths
}

/// Reads the members of an open archive.
pub fn read_from(
    archive: Result<Box<dyn hashmill_archive::Members>, Problem>,
    random: &mut Random,
) -> (Vec<Read1>, Option<Problem>) {
    let mut found = Vec::new();
    let mut archive = match archive {
        Ok(archive) => archive,
        Err(problem) => return (found, Some(problem)),
    };
    loop {
        let member = match archive.next() {
            Ok(Some(member)) => member,
            Ok(None) => return (found, None),
            Err(problem) => return (found, Some(problem)),
        };
        let mut buffer = vec![0; 1 + random.below(5000) as usize];
        let (mut content, mut problem) = (Vec::new(), None);
        loop {
            match archive.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => content.extend(&buffer[..length]),
                Err(met) => {
                    problem = Some(met);
                    break;
                }
            }
        }
        found.push(Read1 { member, content, problem });
    }
}

/// Runs a program in a folder with an input, and returns its output; none if it is not installed or fails.
pub fn run(folder: &Path, program: &str, arguments: &[&str], input: Vec<u8>) -> Option<Vec<u8>> {
    let mut command = Command::new(installed(program)?);
    command.args(arguments).current_dir(folder).env("LC_ALL", "C.UTF-8");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that does not read its input is none of our concern.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let mut output = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    let rest = child.wait_with_output().unwrap();
    writer.join().unwrap();
    if !rest.status.success() {
        eprintln!("{program} {arguments:?}: {}", String::from_utf8_lossy(&rest.stderr));
        return None;
    }
    Some(output)
}

/// Returns the paths and sizes that 7-Zip lists.
pub fn seven_zip(folder: &Path, archive: &str, format: &str) -> Vec<(Vec<u8>, usize)> {
    let listing = run(folder, "7zz", &["l", "-slt", "-ba", format, archive], Vec::new()).expect("7zz failed");
    let listing = String::from_utf8(listing).unwrap();
    let mut found = Vec::new();
    for line in listing.lines() {
        if let Some(path) = line.strip_prefix("Path = ") {
            found.push((path.as_bytes().to_vec(), 0));
        } else if let Some(size) = line.strip_prefix("Size = ") {
            found.last_mut().unwrap().1 = size.parse().unwrap_or(0);
        }
    }
    found
}

/// Damages archives at random bytes: nothing panics or runs without end, and no more is read than is there.
pub fn damage(name: &str, archive: &[u8], random: &mut Random, usual: usize) {
    for _ in 0..cases(usual) {
        let mut damaged = archive.to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(damaged.len() as u64) as usize;
            damaged[at] = random.next() as u8;
        }
        let (members, _) = read(name, &damaged, random);
        assert!(members.iter().map(|read| read.content.len()).sum::<usize>() <= archive.len());
    }
}

/// Asserts that members before the end of a cut archive are those of the whole.
pub fn cut(name: &str, archive: &[u8], random: &mut Random) {
    let (whole, _) = read(name, archive, random);
    for length in 0..archive.len() {
        let (members, _) = read(name, &archive[..length], random);
        for read in members.iter().filter(|read| read.problem.is_none() && read.member.problem.is_none()) {
            let same = whole.iter().find(|other| other.member.path == read.member.path).unwrap();
            assert_eq!((&read.content, &read.member.kind), (&same.content, &same.member.kind), "{length}");
        }
    }
}
