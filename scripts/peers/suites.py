"""The table of suites. To add one: the source, the cases in it, and how each is judged."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import archives, lists, media, vectors
from .sources import CRATES, Source, debian
from .verdict import Verdict

Cases = Iterator[tuple[str, Any]]


@dataclass(frozen=True)
class Suite:
    """Cases from the sources of a program, and how hashmill is judged by them."""

    name: str
    source: Source
    # Yields the names of cases and what they are, for the folder of sources and one for files.
    cases: Callable[[Path, Path], Cases]
    judge: Callable[[str, Any], Verdict]
    # What the verdicts follow.
    against: str


def of_archives(name: str, source: Source, *patterns: str) -> Suite:
    against = "bsdtar, Python, 7-Zip and the decompressors"
    return Suite(name, source, lambda folder, out: archives.prepared(folder, patterns, out), archives.judge, against)


def of_media(name: str, source: Source, judge: Callable[[str, Path], Verdict], against: str, *patterns: str) -> Suite:
    return Suite(name, source, lambda folder, out: media.unpacked(folder, patterns, out), judge, against)


def discs(folder: Path, out: Path) -> Cases:
    """Yields the discs among libarchive's archives, which are compressed."""
    for name, file in archives.prepared(folder, ("libarchive/test/*.iso.Z.uu",), out):
        disc = file.with_suffix("")
        disc.write_bytes(subprocess.run(["gzip", "-dc", str(file)], stdout=subprocess.PIPE, check=True).stdout)
        yield name.removesuffix(".Z"), disc


def files(*patterns: str) -> Callable[[Path, Path], Cases]:
    return lambda folder, _: ((str(file.relative_to(folder)), file) for pattern in patterns for file in sorted(folder.glob(pattern)))


LIBARCHIVE = debian(
    "libarchive", "3.6.2", "liba/libarchive/libarchive_3.6.2.orig.tar.xz",
    "9e2c1b80d5fbe59b61308fdfab6c79b5021d7ff4ff2489fb12daf0a96a83551d",
)  # fmt: skip
PYTHON = debian(
    "python", "3.11.2", "p/python3.11/python3.11_3.11.2.orig.tar.gz",
    "2411c74bda5bbcfcddaf4531f66d1adc73f247f529aee981b029513aefdbf849",
)  # fmt: skip

SUITES = [
    of_archives("libarchive", LIBARCHIVE, "libarchive/test/*.uu"),
    of_archives(
        "commons-compress",
        debian(
            "commons-compress", "1.22", "libc/libcommons-compress-java/libcommons-compress-java_1.22.orig.tar.xz",
            "c0270188ea43f7af708ff384a6421597e2eee5d68db152b60ad6e682f0e88160",
        ),
        "src/test/resources/**/*",
    ),
    of_archives(
        "libzip",
        debian("libzip", "1.7.3", "libz/libzip/libzip_1.7.3.orig.tar.xz", "a60473ffdb7b4260c08bfa19c2ccea0438edac11193c3afbbb1f17fbcf6c6132"),
        "regress/*.zip",
    ),
    of_archives(
        "go",
        debian("go", "1.19.4", "g/golang-1.19/golang-1.19_1.19.4.orig.tar.gz", "eda74db4ac494800a3e66ee784e495bfbb9b8e535df924a8b01b1a8028b7f368"),
        "src/archive/*/testdata/*",
        "src/compress/*/testdata/*",
    ),
    of_archives(
        "klauspost-compress",
        debian(
            "klauspost-compress", "1.15.12",
            "g/golang-github-klauspost-compress/golang-github-klauspost-compress_1.15.12+ds1.orig.tar.xz",
            "565369d3fe205ebfde2a1391dcf71898e79180808b53d4e62d94e843713a8a87",
        ),
        "**/testdata/*.zip", "**/testdata/*.gz", "**/testdata/*.zst",
    ),
    of_archives("python", PYTHON, "Lib/test/*.tar", "Lib/test/zip*.zip", "Lib/test/zip_*.*", "Lib/**/*.whl"),
    of_archives(
        "php",
        debian("php", "8.2.32", "p/php8.2/php8.2_8.2.32.orig.tar.xz", "e02aa173c236c12791696254d607da680e6d5516f8f5c2339642de7c4f944bd2"),
        "ext/zip/tests/*.zip", "ext/phar/tests/**/*.tar", "ext/phar/tests/**/*.zip", "ext/phar/tests/**/*.tar.*",
    ),
    of_archives(
        "perl",
        debian("perl", "5.36.0", "p/perl/perl_5.36.0.orig.tar.xz", "0f386dccbee8e26286404b2cca144e1005be65477979beb9b1ba272d4819bcf0"),
        "cpan/Archive-Tar/t/src/**/*", "cpan/IO-Compress/t/files/*",
    ),
    of_archives(
        "Archive::Zip",
        debian(
            "archive-zip", "1.68", "liba/libarchive-zip-perl/libarchive-zip-perl_1.68.orig.tar.gz",
            "984e185d785baf6129c6e75f8eb44411745ac00bf6122fb1c8e822a3861ec650",
        ),
        "t/data/*",
    ),
    of_archives(
        "zip (Rust)",
        Source("zip-rs", "0.6.3", f"{CRATES}zip/zip-0.6.3.crate", "537ce7411d25e54e8ae21a7ce0b15840e7bfcff15b51d697ec3266cc76bdf080"),
        "tests/data/*",
    ),
    of_archives(
        "xz",
        debian("xz", "5.4.1", "x/xz-utils/xz-utils_5.4.1.orig.tar.xz", "5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5"),
        "tests/files/*",
    ),
    of_archives(
        "lzip",
        debian("lzip", "1.23", "l/lzip/lzip_1.23.orig.tar.xz", "d269d8e204579cb7047d6187bce741acb484a27e24cf24f20cf017c48574147c"),
        "testsuite/*.lz",
    ),
    of_archives(
        "lziprecover",
        debian("lziprecover", "1.23", "l/lziprecover/lziprecover_1.23.orig.tar.xz", "49d332a028d11596f268fe449184b0434a045600ef79c7749ff51af5701e0b68"),
        "testsuite/*.lz*",
    ),
    of_archives(
        "zstd",
        debian("zstd", "1.5.4", "libz/libzstd/libzstd_1.5.4+dfsg2.orig.tar.xz", "8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953"),
        "tests/**/*.zst",
    ),
    of_archives(
        "bzip2",
        debian("bzip2", "1.0.8", "b/bzip2/bzip2_1.0.8.orig.tar.gz", "ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269"),
        "*.bz2",
    ),
    of_archives(
        "rpm",
        debian("rpm", "4.18.0", "r/rpm/rpm_4.18.0+dfsg.orig.tar.xz", "d0d9c58c036bc6308de6e195e898c10bf53eaef6f962c48b403e7cd262f4eb4d"),
        "tests/data/*RPMS/*",
    ),
    Suite("libarchive, discs", LIBARCHIVE, discs, media.judge_disc, "bsdtar"),
    of_media(
        "libcdio",
        debian("libcdio", "2.1.0", "libc/libcdio/libcdio_2.1.0.orig.tar.bz2", "78e246d591b1e8907943b844c68019c5b5a75a6d8cb1aa49a7d659b4ad95838b"),
        media.judge_disc, "bsdtar", "test/data/*.iso",
    ),
    of_media(
        "e2fsprogs",
        debian("e2fsprogs", "1.47.0", "e/e2fsprogs/e2fsprogs_1.47.0.orig.tar.gz", "6667afde56eef0c6af26684974400e4d2288ea49e9441bf5e6229195d51a3578"),
        media.judge_ext, "debugfs and e2fsck", "tests/*/image.gz", "tests/*/image.bz2",
    ),
    of_media(
        "qemu",
        debian("qemu", "7.2", "q/qemu/qemu_7.2+dfsg.orig.tar.xz", "91aca71520040edc40b8d437aa3004dae614f58e286cf653ee8996c07af2962f"),
        media.judge_disk, "qemu-img", "tests/qemu-iotests/sample_images/*.bz2",
    ),
    Suite(
        "coreutils",
        debian("coreutils", "9.1", "c/coreutils/coreutils_9.1.orig.tar.xz", "61a1f410d78ba7e7f37a5a4f50e6d1320aca33375484a3255eddf17a38580423"),
        lambda folder, _: lists.tables(folder), lists.judge_table, "the suite's tables",
    ),
    Suite(
        "uutils",
        Source("uutils", "0.5.0", f"{CRATES}coreutils/coreutils-0.5.0.crate", "e9f82a5f9f3f62d7167bfdf68fc0334511eb01b9ca06a99fa71bcba68733035b"),
        files(
            "tests/fixtures/cksum/*_file*.expected", "tests/fixtures/cksum/base64/*_file*.expected",
            "tests/fixtures/cksum/untagged/*_file*.expected", "tests/fixtures/hashsum/*.checkfile",
        ),
        lists.judge_list, "the suite's lists",
    ),
    Suite("python, hashlib", PYTHON, lambda folder, _: vectors.cases(folder), vectors.judge, "the suite's vectors"),
]  # fmt: skip
