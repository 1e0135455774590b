//! The programs that compress.

use hashmill_archive::Compression;
use hashmill_testing::installed;
use std::io::{Seek, Write};
use std::process::{Command, Stdio};

/// The programs of a format.
pub(super) struct Program {
    pub(super) compression: Compression,
    /// The arguments with which programs compress their standard input, words separated by spaces.
    pub(super) compress: &'static [&'static str],
    /// The arguments with which one decompresses its standard input.
    pub(super) decompress: &'static str,
    /// Whether files may follow each other.
    pub(super) concatenates: bool,
}

/// The programs.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        compression: Compression::Gzip,
        compress: &[
            "gzip -1",
            "gzip",
            "gzip -9",
            "pigz -1",
            "pigz -9 -b 128",
            "pigz -6 -i -b 64",
            "pigz -0",
            "pigz -11 -J 1",
            "pigz -R",
            "pigz -H",
            "7zz a x -tgzip -si -so",
        ],
        decompress: "gzip -dc",
        concatenates: true,
    },
    Program {
        compression: Compression::Zstandard,
        compress: &[
            "zstd -1",
            "zstd -3",
            "zstd -9",
            "zstd -19",
            "zstd --fast=7",
            "zstd --no-check",
            "zstd --long=27",
            "zstd --zstd=wlog=10",
            "zstd --zstd=wlog=23,strat=9",
            "zstd -T2 -B65536",
            "zstd --no-compress-literals",
            "pzstd -p 2",
        ],
        decompress: "zstd -dc",
        concatenates: true,
    },
    Program {
        compression: Compression::Xz,
        compress: &[
            "xz -0",
            "xz -1 --check=none",
            "xz -3 --check=crc32",
            "xz --check=sha256 -2",
            "xz -T2 -1 --block-size=20000",
            "xz --block-size=5000 -0",
            "xz --x86 --lzma2=preset=1",
            "xz --arm --lzma2=preset=1,lc=0,lp=2",
            "xz --armthumb --delta=dist=3 --lzma2=preset=0,dict=4KiB",
            "xz --powerpc --lzma2=preset=0",
            "xz --ia64 --lzma2=preset=0",
            "xz --sparc --lzma2=preset=0,lc=4,pb=0",
            "xz --arm64 --lzma2=preset=0",
            "xz --delta=dist=1 --delta=dist=256 --x86=start=64 --lzma2=preset=1,lc=1,lp=3,pb=4",
            "7zz a x -txz -si -so",
        ],
        decompress: "xz -dc",
        concatenates: true,
    },
    Program {
        compression: Compression::Lzma,
        compress: &[
            "xz --format=lzma -0",
            "xz --format=lzma -4",
            "xz --format=lzma --lzma1=preset=1,lc=4,pb=0",
            "xz --format=lzma --lzma1=preset=1,lc=0,lp=4,dict=6KiB",
        ],
        decompress: "xz -dc --format=lzma",
        concatenates: false,
    },
    Program {
        compression: Compression::Lzip,
        compress: &[
            "lzip -0",
            "lzip -3",
            "lzip -6 -b 100000",
            "lzip -s 4KiB -m 5",
            "plzip -1 -n 2 -s 8KiB -B 16KiB",
        ],
        decompress: "lzip -dc",
        concatenates: true,
    },
    Program {
        compression: Compression::Bzip2,
        compress: &["bzip2 -1", "bzip2 -9", "pbzip2 -c -1 -p2 -b1", "7zz a x -tbzip2 -si -so"],
        decompress: "bzip2 -dc",
        concatenates: true,
    },
    Program {
        compression: Compression::Lz4,
        compress: &[
            "lz4 -1",
            "lz4 -9",
            "lz4 -12",
            "lz4 -B4 -BD",
            "lz4 -B5 -BD -BX -9",
            "lz4 -B32 -BD",
            "lz4 -B6 --no-frame-crc",
            "lz4 -B7 -BX",
            "lz4 --fast=5",
            "lz4 -l",
            "lz4 -l -9",
        ],
        decompress: "lz4 -dc",
        concatenates: true,
    },
    Program {
        compression: Compression::Compress,
        compress: &[
            "compress -c -f",
            "compress -c -f -b 10",
            "compress -c -f -b 11",
            "compress -c -f -b 12",
            "compress -c -f -b 13",
            "compress -c -f -b 14",
            "compress -c -f -b 15",
        ],
        decompress: "gzip -dc",
        concatenates: false,
    },
];

/// Runs a program over bytes. Returns its output and whether it succeeded; none if it is not installed.
pub(super) fn run(words: &str, input: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut words = words.split(' ');
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input).unwrap();
    file.rewind().unwrap();
    let mut command = Command::new(installed(words.next()?)?);
    command.args(words).stdin(Stdio::from(file)).stderr(Stdio::null());
    let output = command.output().unwrap();
    Some((output.stdout, output.status.success()))
}
