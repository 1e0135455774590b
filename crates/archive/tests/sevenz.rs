//! 7z archives of random trees, compared with the programs that wrote them.

use hashloom_archive::{Archive, Limits, Medium, Member, MemberKind, Members, Problem, archive};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

/// The number of archives; a campaign sets `HASHLOOM_CASES`.
const CASES: u64 = 60;

/// Random numbers (xorshift64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Runs a program in a folder; none, with a message, if it is not installed.
fn run(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env("TZ", "UTC")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null());
    let Ok(output) = command.output() else {
        eprintln!("skipped: {program} is not installed");
        return None;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    if error.contains("No module named") {
        eprintln!("skipped: {}", error.lines().last().unwrap_or_default());
        return None;
    }
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {error}{}",
        String::from_utf8_lossy(&output.stdout)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns bytes that methods and filters have something to do with.
fn content(random: &mut Random) -> Vec<u8> {
    let length = match random.below(8) {
        0 => random.below(8),
        1..6 => random.below(5_000),
        6 => random.below(60_000),
        _ => random.below(300_000),
    };
    let program = || fs::read(std::env::current_exe().unwrap()).unwrap();
    match random.below(6) {
        0 => (0..length).map(|_| random.next() as u8).collect(),
        1 => vec![random.next() as u8; length as usize],
        2 => program().into_iter().skip(random.below(1 << 20) as usize).take(length as usize).collect(),
        3 => (0..length / 4).flat_map(|_| instruction(random)).collect(),
        _ => {
            let words = ["\u{e4}pfel ", "the ", "archive ", "\n", "block ", "1 ", "coder ", "of "];
            let mut text = String::new();
            while (text.len() as u64) < length {
                text.push_str(random.pick(&words));
            }
            text.into_bytes()
        }
    }
}

/// Returns an instruction of some processor, often one that calls something.
fn instruction(random: &mut Random) -> [u8; 4] {
    let bits = random.next() as u32 & 0x00ff_ffff;
    match random.below(9) {
        0 => (0xeb00_0000 | bits).to_le_bytes(),
        1 => (0x9400_0000 | bits).to_le_bytes(),
        2 => (0x4800_0001 | bits & !3).to_be_bytes(),
        3 => (0x4000_0000 | bits).to_be_bytes(),
        4 => (0xf800_f000 | bits & 0x07ff_07ff).to_le_bytes(),
        5 => (0x0000_00ef | bits << 12).to_le_bytes(),
        6 => (0x0000_0097 | bits << 7).to_le_bytes(),
        7 => [0xe8, bits as u8, (bits >> 8) as u8, random.pick(&["\0", "\u{1}"]).as_bytes()[0]],
        _ => bits.to_le_bytes(),
    }
}

/// Makes a random tree.
fn tree(random: &mut Random, root: &Path) {
    let mut folders = vec![root.to_path_buf()];
    for number in 0..random.below(14) {
        let name =
            random.pick(&["a", "\u{e4}\u{20ac}", "\u{1f600} x", "long name with spaces.txt", ".hidden"]);
        let parent = folders[random.below(folders.len() as u64) as usize].clone();
        let path = parent.join(format!("{name}{number}"));
        match random.below(9) {
            0 | 1 => {
                fs::create_dir(&path).unwrap();
                folders.push(path);
                continue;
            }
            2 => {
                std::os::unix::fs::symlink(random.pick(&["a0", "../\u{e4}", "/nowhere at all"]), &path)
                    .unwrap();
                continue;
            }
            3 => fs::write(&path, "").unwrap(),
            _ => fs::write(&path, content(random)).unwrap(),
        }
        let mode = random.pick(&[&0o644, &0o600, &0o755, &0o4755, &0o400]);
        let file = fs::File::open(&path).unwrap();
        let time = Duration::new(random.below(4_000_000_000), random.below(10_000_000) as u32 * 100);
        file.set_modified(UNIX_EPOCH + time).unwrap();
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(fs::Permissions::from_mode(*mode)).unwrap();
    }
}

/// Returns random options of 7zz.
fn options(random: &mut Random) -> Vec<String> {
    let methods = [
        "-m0=Copy",
        "-m0=LZMA",
        "-m0=LZMA:d=64k:lc=1:lp=2:pb=0",
        "-m0=LZMA2:d=1m",
        "-m0=LZMA2:d=16m:c=1m",
        "-m0=PPMd",
        "-m0=PPMd:mem=2m:o=32",
        "-m0=BZip2",
        "-m0=BZip2:d=100k",
        "-m0=Deflate",
        "-m0=Deflate64",
        "-m0=BCJ2 -m1=LZMA:d=1m -m2=LZMA:d=64k -m3=Copy -mb0:1 -mb0s1:2 -mb0s2:3",
        "-m0=Delta:3 -m1=BCJ -m2=LZMA2:d=1m",
        "-m0=ARM64 -m1=Delta:2 -m2=Deflate",
        "",
    ];
    let filters = "off BCJ BCJ2 ARM ARM64 ARMT PPC SPARC IA64 RISCV Delta:1 Delta:4 Delta:256 SWAP2 SWAP4";
    let mut options = random.pick(&methods).to_string();
    if !options.contains("-m1") && random.below(2) == 0 {
        let filters: Vec<&str> = filters.split(' ').collect();
        options += &format!(" -mf={}", random.pick(&filters));
    }
    for choice in [
        &["", "-ms=on", "-ms=off", "-ms=2f", "-ms=10k", "-ms=e"][..],
        &["", "", "-mhc=off"],
        &["", "-mmt=1", "-mmt=2"],
        &["-mx=1", "-mx=3", "-mx=5"],
        &["", "-mtc=on -mta=on", "-mtm=off", "-mtr=off"],
        &["", "-mqs=on"],
        &["-snl"],
    ] {
        options = format!("{options} {}", random.pick(choice));
    }
    options.split_whitespace().map(str::to_string).collect()
}

/// A member with its content, or why that can't be read.
struct Read {
    member: Member,
    content: Result<Vec<u8>, Problem>,
}

/// Opens an archive in memory.
fn open(bytes: Vec<u8>, limits: &Limits) -> Result<Box<dyn Members>, Problem> {
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let format = archive(&*medium).ok_or(Problem::Truncated)?;
    assert_eq!(format.name, "7z");
    match (format.open)(medium, limits)? {
        Archive::Members(members) => Ok(members),
        Archive::Directory(_) => panic!("7z has no directory"),
    }
}

/// Reads all members, some of them in parts of odd sizes.
fn read(bytes: Vec<u8>, part: usize) -> Result<Vec<Read>, Problem> {
    let mut members = open(bytes, &Limits::default())?;
    let mut all = Vec::new();
    while let Some(member) = members.next()? {
        let mut content = Vec::new();
        let mut buffer = vec![0; part];
        let result = loop {
            match members.read(&mut buffer) {
                Ok(0) => break Ok(content),
                Ok(read) => content.extend_from_slice(&buffer[..read]),
                Err(problem) => break Err(problem),
            }
        };
        all.push(Read { member, content: result });
    }
    Ok(all)
}

/// Returns what 7zz lists: the fields of each member by its path.
fn listed(archive: &Path) -> Option<BTreeMap<String, BTreeMap<String, String>>> {
    let text = run("7zz", &["l", "-slt", "-sccUTF-8", archive.to_str().unwrap()], Path::new("/"))?;
    let list = text.split_once("----------\n").map_or("", |(_, list)| list);
    let fields = |block: &str| -> BTreeMap<String, String> {
        let lines = block.lines().filter_map(|line| line.split_once(" = "));
        lines.map(|(name, value)| (name.to_string(), value.to_string())).collect()
    };
    let members =
        list.split("\n\n").map(fields).filter_map(|fields| Some((fields.get("Path")?.clone(), fields)));
    Some(members.collect())
}

/// Returns a time as 7zz writes it.
fn shown(time: Option<hashloom_archive::Time>) -> String {
    let Some(time) = time else { return String::new() };
    let days = time.seconds.div_euclid(86_400);
    let (second, part) = (time.seconds.rem_euclid(86_400), time.nanoseconds / 100);
    // The calendar, counted from a March, with eras of 400 years.
    let day = days + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{part:07}")
}

/// Compares an archive with the tree that it was made of, and with the list of 7zz.
fn compare(path: &Path, bytes: Vec<u8>, root: &Path, part: usize, what: &str) -> bool {
    let Some(mut expected) = listed(path) else { return false };
    let mut content_ended = false;
    for Read { member, content } in read(bytes, part).unwrap_or_else(|p| panic!("{what}: {p}")) {
        let name = String::from_utf8(member.path.clone()).unwrap();
        let context = format!("{what}: {name}");
        let fields = expected.remove(&name).unwrap_or_else(|| panic!("{context}: 7zz has no such member"));
        assert!(member.problem.is_none(), "{context}: {:?}", member.problem);
        let content = content.unwrap_or_else(|problem| panic!("{context}: {problem}"));
        let field = |name| fields.get(name).cloned().unwrap_or_default();
        let source = root.join(&name);
        let mut stated = field("Size");
        match &member.kind {
            MemberKind::Directory => {
                assert!(source.is_dir(), "{context}");
                stated = "0".into();
            }
            MemberKind::Link(target) => {
                let expected = fs::read_link(&source).unwrap();
                assert_eq!(target, expected.to_str().unwrap().as_bytes(), "{context}");
                assert_eq!(stated, target.len().to_string(), "{context}");
                stated = "0".into();
            }
            // Without attributes, nothing tells a link from a file.
            MemberKind::File if source.is_symlink() && member.mode.is_none() => {
                assert_eq!(
                    content,
                    fs::read_link(&source).unwrap().to_str().unwrap().as_bytes(),
                    "{context}"
                );
            }
            _ => assert!(content == fs::read(&source).unwrap(), "{context}: other content"),
        }
        assert_eq!(member.size, Some(content.len() as u64), "{context}");
        assert_eq!(stated, content.len().to_string(), "{context}");
        if member.kind == MemberKind::File && !content.is_empty() {
            let mut crc = flate2::Crc::new();
            crc.update(&content);
            assert_eq!(field("CRC"), format!("{:08X}", crc.sum()), "{context}");
        }
        let has_content = !field("CRC").is_empty();
        assert!(!(has_content && content_ended), "{context}: content comes first");
        content_ended |= !has_content;
        assert_eq!(trimmed(&shown(member.times.modified)), trimmed(&field("Modified")), "{context}");
        assert_eq!(trimmed(&shown(member.times.created)), trimmed(&field("Created")), "{context}");
        assert_eq!(trimmed(&shown(member.times.accessed)), trimmed(&field("Accessed")), "{context}");
        let attributes = field("Attributes");
        let mode = attributes.split(' ').next_back().filter(|mode| mode.len() == 10);
        assert_eq!(
            member.mode.map(letters),
            mode.map(|mode| mode[1..].to_string()),
            "{context}: {attributes}"
        );
    }
    assert!(expected.is_empty(), "{what}: {:?} were not met", expected.keys());
    true
}

/// Returns a time without zeros at its end.
fn trimmed(time: &str) -> &str {
    time.trim_end_matches('0').trim_end_matches('.')
}

/// Returns a mode as `ls` writes it.
fn letters(mode: u32) -> String {
    let mut letters: Vec<u8> =
        (0..9).map(|bit| if mode >> (8 - bit) & 1 == 1 { b"rwx"[bit % 3] } else { b'-' }).collect();
    for (bit, at, set, unset) in [(11, 2, b's', b'S'), (10, 5, b's', b'S'), (9, 8, b't', b'T')] {
        if mode >> bit & 1 == 1 {
            letters[at] = if letters[at] == b'x' { set } else { unset };
        }
    }
    String::from_utf8(letters).unwrap()
}

/// Makes a tree and the path of an archive of it.
fn prepared(random: &mut Random) -> (TempDir, PathBuf, PathBuf) {
    let folder = TempDir::new().unwrap();
    let (root, path) = (folder.path().join("tree"), folder.path().join("made.7z"));
    fs::create_dir(&root).unwrap();
    tree(random, &root);
    (folder, root, path)
}

/// Calls 7zz with a command, options and an archive.
fn seven(command: &str, options: &[String], path: &Path, rest: &[&str], root: &Path) -> Option<String> {
    let mut arguments = vec![command, "-bso0", "-bsp0", "-y"];
    arguments.extend(options.iter().map(String::as_str));
    arguments.push(path.to_str().unwrap());
    arguments.extend(rest);
    run("7zz", &arguments, root)
}

/// Returns the number of archives of a test.
fn cases(usual: u64) -> u64 {
    std::env::var("HASHLOOM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

/// Returns the first seed; a campaign may have others.
fn seed(usual: u64) -> u64 {
    std::env::var("HASHLOOM_SEED").ok().and_then(|seed| seed.parse::<u64>().ok()).unwrap_or(0) << 32 | usual
}

#[test]
fn archives_of_7zz_are_read_as_7zz_reads_them() {
    for case in 0..cases(CASES) {
        let random = &mut Random((seed(7) + case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (_folder, root, path) = prepared(random);
        let options = options(random);
        let what = format!("case {case}, {options:?}");
        if seven("a", &options, &path, &["."], &root).is_none() {
            return;
        }
        // Members that are added have blocks of their own.
        if random.below(4) == 0 {
            fs::write(root.join("added"), content(random)).unwrap();
            fs::write(root.join("more"), content(random)).unwrap();
            seven("u", &self::options(random), &path, &["."], &root).unwrap();
        }
        let stub = if random.below(8) == 0 { stub(random) } else { Vec::new() };
        let part = 1 + random.below(100_000) as usize;
        let bytes = [stub, fs::read(&path).unwrap()].concat();
        if !compare(&path, bytes, &root, part, &what) {
            return;
        }
    }
}

/// Returns the start of a program, as it comes before archives that unpack themselves.
fn stub(random: &mut Random) -> Vec<u8> {
    let mut stub = fs::read(std::env::current_exe().unwrap()).unwrap();
    stub.truncate(random.below(1 << 20) as usize);
    if stub.starts_with(b"\x7fELF") { stub } else { Vec::new() }
}

#[test]
fn archives_of_other_programs_are_read_as_7zz_reads_them() {
    for case in 0..cases(CASES) / 5 {
        let random = &mut Random((seed(8) + case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (_folder, root, path) = prepared(random);
        let part = 1 + random.below(100_000) as usize;
        let made = if case % 5 == 0 { py7zr(random, &path, &root) } else { bsdtar(random, &path, &root) };
        let Some(what) = made else { continue };
        if !compare(&path, fs::read(&path).unwrap(), &root, part, &format!("case {case}, {what}")) {
            return;
        }
    }
}

/// Makes an archive with bsdtar; returns how.
fn bsdtar(random: &mut Random, path: &Path, root: &Path) -> Option<String> {
    let method = random.pick(&["store", "deflate", "bzip2", "lzma1", "lzma2", "ppmd"]);
    let option = format!("compression={method},compression-level={}", 1 + random.below(9));
    let arguments = ["--format", "7zip", "--options", &option, "-cf", path.to_str().unwrap(), "."];
    run("bsdtar", &arguments, root).map(|_| format!("bsdtar {option}"))
}

/// Makes an archive with py7zr; returns how. `HASHLOOM_PYTHON` says which Python has it.
fn py7zr(random: &mut Random, path: &Path, root: &Path) -> Option<String> {
    let filters = [
        "COPY",
        "LZMA",
        "LZMA2",
        "BZIP2",
        "DEFLATE",
        "DEFLATE64",
        "PPMD",
        "ZSTD",
        "X86 LZMA2",
        "ARM LZMA",
        "ARMTHUMB BZIP2",
        "POWERPC DEFLATE",
        "SPARC ZSTD",
        "DELTA LZMA2",
        "DELTA X86 LZMA",
    ];
    const SCRIPT: &str = "
import pathlib, sys, py7zr
more = {'PPMD': {'order': 6, 'mem': 24}, 'ZSTD': {'level': 3}, 'DELTA': {'dist': 1}}
filters = [{'id': getattr(py7zr, 'FILTER_' + name), **more.get(name, {})} for name in sys.argv[2].split()]
with py7zr.SevenZipFile(sys.argv[1], 'w', filters=filters) as archive:
    archive.set_encoded_header_mode(sys.argv[3] == '1')
    for path in sorted(pathlib.Path('.').rglob('*')):
        # It fails for links that lead nowhere.
        if not path.is_symlink():
            archive.write(path, str(path))
";
    let (filters, mode) = (random.pick(&filters), random.pick(&["0", "1"]));
    let python = std::env::var("HASHLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
    let arguments = ["-c", SCRIPT, path.to_str().unwrap(), filters, mode];
    run(&python, &arguments, root).map(|_| format!("py7zr {filters}"))
}

#[test]
fn what_is_encrypted_is_told_and_the_rest_is_read() {
    let random = &mut Random(9);
    let (_folder, root, path) = prepared(random);
    fs::write(root.join("plain"), "text").unwrap();
    if seven("a", &[], &path, &["."], &root).is_none() {
        return;
    }
    fs::write(root.join("secret"), "text").unwrap();
    seven("a", &["-psecret".into()], &path, &["secret"], &root).unwrap();
    let mut met = 0;
    for Read { member, content } in read(fs::read(&path).unwrap(), 100).unwrap() {
        let is_secret = member.path == b"secret";
        met += usize::from(is_secret);
        assert_eq!(member.problem.is_some_and(|problem| problem.word() == "encrypted"), is_secret);
        assert_eq!(content.is_err_and(|problem| problem.word() == "encrypted"), is_secret);
    }
    assert_eq!(met, 1);
    let hidden = path.with_file_name("hidden.7z");
    seven("a", &["-psecret".into(), "-mhe".into()], &hidden, &["."], &root).unwrap();
    assert_eq!(read(fs::read(&hidden).unwrap(), 100).err().unwrap().word(), "encrypted");
}

#[test]
fn items_that_stand_for_deletions_are_passed_over() {
    let random = &mut Random(10);
    let (_folder, root, path) = prepared(random);
    for name in ["gone", "empty", "stays"] {
        fs::write(root.join(name), if name == "empty" { "" } else { name }).unwrap();
    }
    fs::create_dir(root.join("folder")).unwrap();
    if seven("a", &["-snl".into()], &path, &["."], &root).is_none() {
        return;
    }
    for name in ["gone", "empty"] {
        fs::remove_file(root.join(name)).unwrap();
    }
    fs::remove_dir(root.join("folder")).unwrap();
    fs::write(root.join("new"), "new").unwrap();
    let update = path.with_file_name("update.7z");
    let option = format!("-up3q3r2x2y2z0w2!{}", update.display());
    seven("u", &["-snl".into(), "-u-".into(), option], &path, &["."], &root).unwrap();
    let expected = listed(&update).unwrap();
    let is_deletion = |path: &str| expected[path].get("Anti").is_some_and(|anti| anti == "+");
    assert!(is_deletion("gone") && is_deletion("empty") && is_deletion("folder"));
    let paths = read(fs::read(&update).unwrap(), 100).unwrap().into_iter().map(|read| read.member.path);
    let mut paths: Vec<String> = paths.map(|path| String::from_utf8(path).unwrap()).collect();
    paths.sort_unstable();
    let expected: Vec<&String> = expected.keys().filter(|path| !is_deletion(path)).collect();
    assert_eq!(paths.iter().collect::<Vec<&String>>(), expected);
    assert!(paths.contains(&"new".into()));
}

/// Returns the content of all members by their paths.
fn contents(all: Vec<Read>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    all.into_iter().map(|read| (read.member.path, read.content.unwrap())).collect()
}

#[test]
fn a_damaged_byte_fails_no_member_of_another_block() {
    for case in 0..cases(6) {
        let random = &mut Random((seed(11) + case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (_folder, root, path) = prepared(random);
        let mut options = options(random);
        options.retain(|option| !option.starts_with("-ms"));
        options.push("-ms=off".into());
        if seven("a", &options, &path, &["."], &root).is_none() {
            return;
        }
        let bytes = fs::read(&path).unwrap();
        let intact = contents(read(bytes.clone(), 10_000).unwrap());
        for _ in 0..30 {
            let mut damaged = bytes.clone();
            let at = random.below(bytes.len() as u64);
            damaged[at as usize] ^= 1 + random.below(255) as u8;
            let Ok(all) = read(damaged, 10_000) else { continue };
            assert_eq!(all.len(), intact.len());
            let mut end = 32;
            for Read { member, content } in all {
                let start = end;
                end += member.stored.unwrap_or(0);
                let context = format!(
                    "case {case}, {options:?}, byte {at}: {:?}",
                    String::from_utf8_lossy(&member.path)
                );
                match content {
                    Ok(_) if matches!(member.kind, MemberKind::Link(_)) => {}
                    Ok(content) => assert!(content == intact[&member.path], "{context}"),
                    Err(problem) => assert!((start..end).contains(&at), "{context}: {problem}"),
                }
            }
        }
    }
}

#[test]
fn damaged_headers_with_right_checksums_are_read_without_a_panic() {
    for case in 0..cases(6) {
        let random = &mut Random((seed(12) + case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (_folder, root, path) = prepared(random);
        let mut options = options(random);
        options.push("-mhc=off".into());
        if seven("a", &options, &path, &["."], &root).is_none() {
            return;
        }
        let bytes = fs::read(&path).unwrap();
        let offset = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize + 32;
        if bytes.len() == 32 {
            continue;
        }
        for _ in 0..40 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.below(3) {
                // The start of the header has the blocks.
                let length = (bytes.len() - offset) as u64;
                let length = if random.below(2) == 0 { length } else { length.min(60) };
                damaged[offset + random.below(length) as usize] = random.next() as u8;
            }
            let mut crc = flate2::Crc::new();
            crc.update(&damaged[offset..]);
            damaged[28..32].copy_from_slice(&crc.sum().to_le_bytes());
            let mut crc = flate2::Crc::new();
            crc.update(&damaged[12..32]);
            damaged[8..12].copy_from_slice(&crc.sum().to_le_bytes());
            let _ = read(damaged, 10_000);
        }
    }
}
