//! Decoders against the programs that compress.

mod programs;
mod random;

use hashmill_archive::{Compression, Limits, Problem, decoder};
use hashmill_testing::{cases, installed};
use programs::{PROGRAMS, Program, run};
use random::Random;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::Command;

/// A source that yields random numbers of bytes, so that input ends everywhere.
struct Source {
    bytes: io::Cursor<Vec<u8>>,
    random: Random,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = 1 + self.random.short(17);
        let count = most.min(buffer.len());
        self.bytes.read(&mut buffer[..count])
    }
}

/// Decodes bytes in random steps. Returns the content and the problem behind it.
fn decode(compression: Compression, packed: &[u8], seed: u64) -> (Vec<u8>, Option<Problem>) {
    let (mut random, mut content) = (Random(seed | 1), Vec::new());
    let source = Source { bytes: io::Cursor::new(packed.to_vec()), random: Random(seed | 1) };
    let mut reader = match decoder(compression, Box::new(source), &Limits::default()) {
        Ok(reader) => reader,
        Err(problem) => return (content, Some(problem)),
    };
    let mut buffer = vec![0; 256 << 10];
    loop {
        let size = 1 + random.short(17);
        match reader.read(&mut buffer[..size]) {
            Ok(0) => return (content, None),
            Ok(count) => content.extend_from_slice(&buffer[..count]),
            Err(error) => return (content, Some(error.into())),
        }
    }
}

/// Returns the ways to compress of programs that are installed.
fn available(program: &Program) -> Vec<&'static str> {
    let is_there = |words: &&str| {
        let Some((packed, succeeded)) = run(words, b"a") else { return false };
        assert!(succeeded && !packed.is_empty(), "{words}");
        true
    };
    program.compress.iter().copied().filter(is_there).collect()
}

/// Returns a file of a few members or frames, and its content.
fn file(program: &Program, ways: &[&str], random: &mut Random, most: u32) -> (Vec<u8>, Vec<u8>) {
    let members = if program.concatenates { 1 + random.below(5) / 2 } else { 1 };
    let (mut packed, mut content) = (Vec::new(), Vec::new());
    for _ in 0..members {
        let part = random.content(most);
        // lz4 fails at times with blocks of 32 bytes.
        let Some((bytes, true)) = run(ways[random.below(ways.len())], &part) else { continue };
        packed.extend_from_slice(&bytes);
        content.extend_from_slice(&part);
        if program.compression == Compression::Xz && random.below(3) == 0 {
            packed.resize(packed.len() + 4 * random.below(20), 0);
        }
    }
    (packed, content)
}

/// Compares random files of one format with their content.
fn agrees(compression: Compression, most: u32, usual: usize) {
    let program = PROGRAMS.iter().find(|program| program.compression == compression).unwrap();
    let ways = available(program);
    if ways.is_empty() {
        return;
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for case in 0..cases(usual) {
        let (packed, content) = file(program, &ways, &mut random, most);
        if packed.is_empty() {
            continue;
        }
        let first = &packed[..packed.len().min(Compression::FIRST)];
        assert_eq!(Compression::of(first), Some(compression), "{compression:?} case {case}");
        let (decoded, problem) = decode(compression, &packed, random.next());
        assert!(problem.is_none(), "{compression:?} case {case}: {problem:?}");
        assert!(decoded == content, "{compression:?} case {case}: other content");
    }
}

#[test]
fn gzip_agrees() {
    agrees(Compression::Gzip, 18, 20);
}

#[test]
fn zstandard_agrees() {
    agrees(Compression::Zstandard, 18, 20);
}

#[test]
fn xz_agrees() {
    agrees(Compression::Xz, 17, 20);
}

#[test]
fn lzma_agrees() {
    agrees(Compression::Lzma, 16, 8);
}

#[test]
fn lzip_agrees() {
    agrees(Compression::Lzip, 17, 10);
}

#[test]
fn bzip2_agrees() {
    agrees(Compression::Bzip2, 20, 12);
}

#[test]
fn lz4_agrees() {
    agrees(Compression::Lz4, 22, 20);
}

#[test]
fn compress_agrees() {
    agrees(Compression::Compress, 19, 15);
}

/// The problems that only this crate has with a file that its program accepts, possibly with a warning.
fn is_stricter(compression: Compression, problem: &Problem) -> bool {
    let text = problem.to_string();
    let follows = text.contains("other bytes follow") || text.contains("begins there");
    match compression {
        // Other programs take what follows a member for no part of the file, or look at fewer fields.
        Compression::Gzip => follows || text.contains("flags") || text.contains("a header of gzip"),
        Compression::Compress => text.contains("flags"),
        // Since 1.5.6 the library looks at bits that must be zero.
        Compression::Zstandard => text.contains("corruption"),
        // The last bytes of the range coder must be those that end it.
        Compression::Lzip => follows || text.contains("LZMA"),
        Compression::Lz4 | Compression::Bzip2 => follows,
        _ => false,
    }
}

#[test]
fn damaged_files_are_accepted_by_nobody_or_by_all() {
    let mut random = Random(0xDEAD_BEEF_CAFE_F00D);
    for program in PROGRAMS {
        let mut ways = available(program);
        // Nothing but a checksum finds some damage, and versions of the library make different content of it.
        ways.retain(|words| *words != "zstd --no-check");
        for case in 0..if ways.is_empty() { 0 } else { cases(8) } {
            let (mut packed, _) = file(program, &ways, &mut random, 13);
            damage(&mut packed, &mut random);
            // Some programs accept nothing at all. Without a magic number, xz looks at the header more strictly
            // than a decoder must.
            let is_lzma = program.compression == Compression::Lzma;
            if packed.is_empty() || (is_lzma && Compression::of(&packed) != Some(Compression::Lzma)) {
                continue;
            }
            let (decoded, problem) = decode(program.compression, &packed, random.next());
            let (theirs, accepted) = run(program.decompress, &packed).unwrap();
            let of = format!("{:?} case {case}: {problem:?}, they {accepted}", program.compression);
            match problem {
                None => assert!(accepted && decoded == theirs, "{of}"),
                Some(problem) => assert!(!accepted || is_stricter(program.compression, &problem), "{of}"),
            }
        }
    }
}

/// Changes, removes, repeats or cuts bytes.
fn damage(packed: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(packed.len());
        match random.below(5) {
            0 => packed.truncate(at),
            1 if at < packed.len() => drop(packed.remove(at)),
            2 => packed.insert(at, random.next() as u8),
            _ => {
                if let Some(byte) = packed.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}

#[test]
fn windows_beyond_the_limit_are_told() {
    let limits = Limits { memory: 1 << 20 };
    let content = b"All work and no play. ".repeat(1 << 20);
    for (words, compression) in [
        ("zstd --zstd=wlog=24", Compression::Zstandard),
        ("xz --lzma2=preset=0,dict=16MiB", Compression::Xz),
        ("lzip -0 -s 16MiB", Compression::Lzip),
        ("xz --format=lzma --lzma1=preset=0,dict=16MiB", Compression::Lzma),
    ] {
        let Some((packed, succeeded)) = run(words, &content) else { continue };
        assert!(succeeded, "{words}");
        let opened = decoder(compression, Box::new(io::Cursor::new(packed)), &limits);
        let needed = match opened.err() {
            Some(Problem::Memory(bytes)) => bytes,
            other => panic!("{words}: {other:?}"),
        };
        assert!((16 << 20..17 << 20).contains(&needed), "{words}: {needed}");
    }
}

#[test]
fn names_and_comments_of_gzip_are_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a name");
    File::create(&path).unwrap().write_all(b"content").unwrap();
    for words in ["gzip -Nc", "pigz -Nc", "pigz -c -C comment"] {
        let mut words_of = words.split(' ');
        let Some(program) = installed(words_of.next().unwrap()) else { continue };
        let output = Command::new(program).args(words_of).arg(&path).output().unwrap();
        let (decoded, problem) = decode(Compression::Gzip, &output.stdout, 3);
        assert!(problem.is_none() && decoded == b"content", "{words}: {problem:?}");
    }
}
