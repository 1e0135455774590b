//! Random trees and options, from a seed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

/// Returns the first seed; a campaign may have others.
pub fn seed(usual: u64) -> u64 {
    std::env::var("HASHMILL_SEED").ok().and_then(|seed| seed.parse::<u64>().ok()).unwrap_or(0) << 32 | usual
}

/// Random numbers (xorshift64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Makes a tree and the path of an archive of it.
pub fn prepared(random: &mut Random) -> (TempDir, PathBuf, PathBuf) {
    let folder = TempDir::new().unwrap();
    let (root, path) = (folder.path().join("tree"), folder.path().join("made.7z"));
    fs::create_dir(&root).unwrap();
    tree(random, &root);
    (folder, root, path)
}

/// Returns bytes that methods and filters have something to do with.
pub fn content(random: &mut Random) -> Vec<u8> {
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
pub fn instruction(random: &mut Random) -> [u8; 4] {
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
pub fn tree(random: &mut Random, root: &Path) {
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
                symlink(random.pick(&["a0", "../\u{e4}", "/nowhere at all"]), &path).unwrap();
                continue;
            }
            3 => fs::write(&path, "").unwrap(),
            _ => fs::write(&path, content(random)).unwrap(),
        }
        let mode = random.pick(&[&0o644, &0o600, &0o755, &0o4755, &0o400]);
        let file = fs::File::open(&path).unwrap();
        let time = Duration::new(random.below(4_000_000_000), random.below(10_000_000) as u32 * 100);
        file.set_modified(UNIX_EPOCH + time).unwrap();
        file.set_permissions(fs::Permissions::from_mode(*mode)).unwrap();
    }
}

/// Returns random options of 7zz.
pub fn options(random: &mut Random) -> Vec<String> {
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
