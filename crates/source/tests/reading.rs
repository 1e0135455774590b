//! Reads with settings: direct, with an unchanged page cache, from devices, around bad blocks, with a time limit, at a
//! limited rate. The bytes are always the same.
#![allow(unsafe_code)]

use crate::common::{Folder, entry, under_faults};
use hashmill_source::{AlignedBytes, BadBlocks, Error, Io, Origin, Rate, Reader, Reading};
use hashmill_testing::{installed, not_possible};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::num::NonZeroU64;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8 + 1).collect()
}

fn by(io: Io) -> Reading {
    Reading { io, ..Reading::default() }
}

fn open(path: &Path, reading: &Reading) -> Reader {
    Reader::open(&entry(path, Origin::Operand), reading).unwrap()
}

fn all(mut reader: Reader, buffer: &mut [u8]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    loop {
        let read = reader.read(buffer)?;
        bytes.extend_from_slice(&buffer[..read]);
        if read < buffer.len() {
            reader.finish(bytes.len() as u64)?;
            return Ok(bytes);
        }
    }
}

/// Returns whether files here can be read directly.
fn direct_works(path: &Path) -> bool {
    let reading = by(Io::Direct);
    drop(open(path, &reading));
    let works = reading.notes.take().is_empty();
    if !works {
        not_possible("O_DIRECT");
    }
    works
}

#[test]
fn direct_reads_give_the_same_bytes_in_any_buffer() {
    let folder = Folder::new("direct");
    let reading = by(Io::Direct);
    let mut memory = AlignedBytes::zeroed(MIB + 4096);
    for length in [0, 1, 511, 4095, 4096, 4097, 65536, 200_000, MIB + 5] {
        let content = paint(length);
        let path = folder.file("file", &content);
        for (start, size) in [(0, 4096), (0, 65536), (0, MIB), (1, 4096), (64, 5000), (4096, MIB)] {
            let buffer = &mut memory[start..start + size];
            assert!(all(open(&path, &reading), buffer).unwrap() == content, "{length} {start} {size}");
            let reader = open(&path, &reading);
            for offset in [0, 1, 4096, 4097, 100_000, length.saturating_sub(1), length, length + 9999] {
                let read = reader.read_at(offset as u64, buffer).unwrap();
                let rest = &content[offset.min(length)..];
                assert!(buffer[..read] == rest[..rest.len().min(size)], "{length} {start} {size} {offset}");
            }
        }
    }
    if direct_works(&folder.join("file")) {
        assert_eq!(reading.notes.take(), []);
    }
}

#[test]
fn threads_read_directly_at_once() {
    let folder = Folder::new("direct-threads");
    let content = paint(MIB);
    let reader = open(&folder.file("file", &content), &by(Io::Direct));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (reader, content) = (&reader, &content);
            scope.spawn(move || {
                let mut buffer = vec![0; 33_333];
                for offset in (thread * 10_000..MIB).step_by(40_000) {
                    let read = reader.read_at(offset as u64, &mut buffer).unwrap();
                    assert!(buffer[..read] == content[offset..offset + read]);
                    assert_eq!(read, buffer.len().min(MIB - offset));
                }
            });
        }
    });
    reader.finish(MIB as u64).unwrap();
}

/// Returns how many pages of a part of a file are cached, if the kernel tells.
fn cached(file: &File, offset: usize, length: usize) -> Option<u64> {
    let range = [offset as u64, length as u64];
    let mut counts = [0_u64; 5];
    // SAFETY: both arrays have the layout of the call's structures: 64-bit numbers in a row.
    let result = unsafe { libc::syscall(451, file.as_raw_fd(), range.as_ptr(), counts.as_mut_ptr(), 0) };
    (result == 0).then_some(counts[0])
}

/// Creates a file of which nothing is cached; `None` if pages can't be dropped or counted here.
fn uncached(folder: &Folder, length: usize) -> Option<(PathBuf, File)> {
    let path = folder.file("file", paint(length));
    let file = File::open(&path).unwrap();
    file.sync_all().unwrap();
    // An overlay file system keeps the pages elsewhere, and counts none.
    (&file).read_exact(&mut vec![0; length]).unwrap();
    let counts = cached(&file, 0, length).is_some_and(|pages| pages > 0);
    // SAFETY: the call touches no memory.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    if counts && cached(&file, 0, length) == Some(0) {
        return Some((path, file));
    }
    not_possible("dropping and counting pages of files");
    None
}

/// Caches a part of a file and nothing around it.
fn touch(file: &File, offset: usize, length: usize) {
    // SAFETY: the call touches no memory.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_RANDOM) };
    file.read_exact_at(&mut vec![0; length], offset as u64).unwrap();
}

const PAGES_OF_A_MIB: u64 = 256;

#[test]
fn the_default_leaves_files_in_the_cache() {
    let folder = Folder::new("cache-auto");
    let Some((path, file)) = uncached(&folder, 9 * MIB) else { return };
    all(open(&path, &Reading::default()), &mut vec![0; 256 << 10]).unwrap();
    assert_eq!(cached(&file, 0, 9 * MIB), Some(9 * PAGES_OF_A_MIB));
}

#[test]
fn direct_reading_leaves_the_cache_alone() {
    let folder = Folder::new("cache-direct");
    let Some((path, file)) = uncached(&folder, 9 * MIB) else { return };
    if !direct_works(&path) {
        return;
    }
    assert!(all(open(&path, &by(Io::Direct)), &mut AlignedBytes::zeroed(MIB)).unwrap() == paint(9 * MIB));
    assert_eq!(cached(&file, 0, 9 * MIB), Some(0));
}

#[test]
fn buffered_reading_drops_what_it_brought() {
    let folder = Folder::new("cache-buffered");
    let Some((path, file)) = uncached(&folder, 20 * MIB + 5000) else { return };
    for buffer in [256 << 10, 3 * MIB + 1000] {
        let read = all(open(&path, &by(Io::Buffered)), &mut vec![0; buffer]).unwrap();
        assert!(read == paint(20 * MIB + 5000));
        assert_eq!(cached(&file, 0, 20 * MIB + 5000), Some(0));
    }
}

#[test]
fn buffered_reading_keeps_what_was_there() {
    let folder = Folder::new("cache-keep");
    let Some((path, file)) = uncached(&folder, 24 * MIB) else { return };
    touch(&file, 9 * MIB, MIB);
    touch(&file, 15 * MIB, 2 * MIB);
    assert_eq!(cached(&file, 0, 24 * MIB), Some(3 * PAGES_OF_A_MIB));
    let reader = open(&path, &by(Io::Buffered));
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let reader = &reader;
            scope.spawn(move || {
                for chunk in (thread..24 * 4).step_by(3) {
                    reader.read_at(chunk << 18, &mut vec![0; 256 << 10]).unwrap();
                }
            });
        }
    });
    assert_eq!(cached(&file, 9 * MIB, MIB), Some(PAGES_OF_A_MIB));
    assert_eq!(cached(&file, 15 * MIB, 2 * MIB), Some(2 * PAGES_OF_A_MIB));
    assert_eq!(cached(&file, 0, 24 * MIB), Some(3 * PAGES_OF_A_MIB));
    // A file that is cached as a whole stays cached. The kernel may take a page back at any moment, but hardly in
    // each of five attempts.
    let stays = || {
        touch(&file, 0, 24 * MIB);
        all(open(&path, &by(Io::Buffered)), &mut vec![0; MIB]).unwrap();
        cached(&file, 0, 24 * MIB) == Some(24 * PAGES_OF_A_MIB)
    };
    assert!((0..5).any(|_| stays()));
}

#[test]
fn small_files_stay_in_the_cache() {
    let folder = Folder::new("cache-small");
    let Some((path, file)) = uncached(&folder, MIB) else { return };
    all(open(&path, &by(Io::Buffered)), &mut vec![0; 65536]).unwrap();
    assert_eq!(cached(&file, 0, MIB), Some(PAGES_OF_A_MIB));
}

/// A loop device with this content, removed on drop.
struct Loop(PathBuf);

impl Loop {
    fn new(path: &Path) -> Option<Loop> {
        let output =
            Command::new(installed("losetup")?).args(["--find", "--show"]).arg(path).output().unwrap();
        if !output.status.success() {
            not_possible("a loop device");
            return None;
        }
        Some(Loop(String::from_utf8(output.stdout).unwrap().trim_end().into()))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

#[test]
fn a_block_device_is_read_like_a_file() {
    let folder = Folder::new("loop");
    let content = paint(3 * MIB + 512);
    let Some(device) = Loop::new(&folder.file("image", &content)) else { return };
    for io in [Io::Auto, Io::Buffered, Io::Direct] {
        let reader = open(&device.0, &by(io));
        assert_eq!(reader.meta().size, content.len() as u64);
        assert!(reader.seekable());
        let mut buffer = AlignedBytes::zeroed(65536);
        for offset in [0, 4096, 3 * MIB - 100, 3 * MIB, 3 * MIB + 512] {
            let read = reader.read_at(offset as u64, &mut buffer).unwrap();
            assert!(buffer[..read] == content[offset..content.len().min(offset + 65536)], "{io:?} {offset}");
        }
        assert!(all(reader, &mut buffer).unwrap() == content, "{io:?}");
    }
    let error = Reader::open(&entry(&device.0, Origin::Path), &Reading::default()).unwrap_err();
    assert!(error.to_string().contains("no longer a regular file"), "devices below operands are not read");
}

/// Runs `readall` on a file of 200,000 bytes under faults. Returns its output.
fn faulty(folder: &Folder, faults: &[(&str, &str)], options: &[&str]) -> String {
    let path = folder.join("file");
    if !path.exists() {
        folder.file("file", paint(200_000));
    }
    let faults = [&[("FAULT_PATH", "/file")], faults].concat();
    let arguments: Vec<&OsStr> = options.iter().map(OsStr::new).chain([path.as_os_str()]).collect();
    let output = under_faults("readall", &faults, &arguments);
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| u64::from(byte)).sum()
}

/// Returns the output of `readall` for that file with these ranges as zeros.
fn line(bad: &[(usize, usize)]) -> String {
    let mut bytes = paint(200_000);
    bad.iter().for_each(|&(offset, length)| bytes[offset..offset + length].fill(0));
    let bad: String = bad.iter().map(|(offset, length)| format!(" {offset}+{length}")).collect();
    format!("200000 {}{bad}\n", sum(&bytes))
}

#[test]
fn what_looks_like_a_device_has_the_size_that_it_says() {
    let folder = Folder::new("device");
    for options in [&[][..], &["--at"], &["--direct"], &["--zero", "--at"]] {
        assert_eq!(faulty(&folder, &[("FAULT_DEVICE", "yes")], options), line(&[]));
        let shrinks = faulty(&folder, &[("FAULT_DEVICE", "100000")], options);
        assert!(shrinks.contains("was 200000 bytes, is now 100000"), "{shrinks}");
    }
    for errno in ["ENXIO", "ENODEV", "EIO"] {
        let faults = [("FAULT_DEVICE", "yes"), ("FAULT_AFTER", "150000"), ("FAULT_ERRNO", errno)];
        let vanishes = faulty(&folder, &faults, &[]);
        assert!(vanishes.contains("read failed at byte 150000"), "{vanishes}");
    }
}

#[test]
fn direct_reading_falls_back_with_a_note() {
    let folder = Folder::new("fall-back");
    folder.file("file", paint(200_000));
    if !direct_works(&folder.join("file")) {
        return;
    }
    for how in ["flag", "read"] {
        for options in [&["--direct"][..], &["--direct", "--at"], &["--direct", "--buffer", "1000"]] {
            let wanted = line(&[]) + "not direct: 1 files\n";
            assert_eq!(faulty(&folder, &[("FAULT_NO_DIRECT", how)], options), wanted, "{how} {options:?}");
        }
    }
}

#[test]
fn short_and_interrupted_reads_go_on_every_way() {
    let folder = Folder::new("ways");
    for way in ["--direct", "--buffered", "--zero", "--timeout"] {
        for faults in [
            &[("FAULT_EINTR", "1")][..],
            &[("FAULT_SHORT", "777")],
            &[("FAULT_SHORT", "4096"), ("FAULT_EINTR", "1")],
        ] {
            for options in [&[way][..], &[way, "--at"], &[way, "--buffer", "100000"]] {
                let number = options.iter().position(|option| *option == "--timeout").map(|at| at + 1);
                let mut options = options.to_vec();
                number.into_iter().for_each(|at| options.insert(at, "60000"));
                let found = faulty(&folder, faults, &options);
                // A direct read that is cut to an odd length is followed by one that the kernel rejects.
                assert_eq!(found.replace("not direct: 1 files\n", ""), line(&[]), "{faults:?} {options:?}");
            }
        }
    }
}

#[test]
fn bad_blocks_are_zeros_and_listed() {
    let folder = Folder::new("bad");
    for (bad, ranges) in [
        ("5000-5001", &[(4608, 512)][..]),
        ("0-512", &[(0, 512)]),
        ("0-1,511-513,70000-80000", &[(0, 1024), (69632, 10752)]),
        ("199999-200000", &[(199_680, 320)]),
        ("0-200000", &[(0, 200_000)]),
    ] {
        for options in [
            &["--zero"][..],
            &["--zero", "--at"],
            &["--zero", "--buffer", "262144"],
            &["--zero", "--timeout", "60000"],
        ] {
            for errno in ["EIO", "ENODATA"] {
                let found = faulty(&folder, &[("FAULT_BAD", bad), ("FAULT_ERRNO", errno)], options);
                assert_eq!(found, line(ranges), "{bad} {options:?}");
            }
        }
        let failed = faulty(&folder, &[("FAULT_BAD", bad)], &[]);
        assert!(failed.contains("read failed at byte"), "zeros are only for those who ask: {failed}");
    }
}

#[test]
fn direct_reads_find_bad_sectors() {
    let folder = Folder::new("bad-direct");
    folder.file("file", paint(200_000));
    if !direct_works(&folder.join("file")) {
        return;
    }
    for options in [&["--zero", "--direct"][..], &["--zero", "--direct", "--at", "--buffer", "100000"]] {
        let found = faulty(&folder, &[("FAULT_BAD", "5000-5001,199900-199901")], options);
        // By sectors, unless the device has none smaller than a page.
        let found = found.replace(" 4096+4096", " 4608+512").replace(" 196608+3392", " 199680+320");
        assert_eq!(found.split_once(' ').unwrap().1.split_once(' ').unwrap().1, "4608+512 199680+320\n");
    }
}

#[test]
fn zeros_stand_for_bad_blocks_alone() {
    let folder = Folder::new("bad-else");
    for errno in ["ESTALE", "ENXIO", "ENODEV"] {
        let faults = [("FAULT_AFTER", "100000"), ("FAULT_ERRNO", errno)];
        let failed = faulty(&folder, &faults, &["--zero"]);
        assert!(failed.contains("read failed at byte 100000"), "{failed}");
    }
    let short = faulty(&folder, &[("FAULT_AFTER", "100000"), ("FAULT_EOF", "1")], &["--zero"]);
    assert!(short.contains("ended after 100000 of 200000 bytes"), "{short}");
    let folder = Folder::new("bad-gone");
    File::create(folder.join("file")).unwrap().set_len(1 << 40).unwrap();
    let gone = faulty(&folder, &[("FAULT_BAD", "0-1099511627776"), ("FAULT_NO_HOLES", "1")], &["--zero"]);
    assert!(gone.contains("read failed at byte 0: and nothing in the next 16 MiB can be read"), "{gone}");
}

#[test]
fn pseudo_files_are_read_every_way() {
    let wanted = fs::read("/proc/version").unwrap();
    for reading in [
        by(Io::Direct),
        by(Io::Buffered),
        Reading { bad_blocks: BadBlocks::Zero, ..Reading::default() },
        Reading { timeout: Some(Duration::from_secs(60)), ..Reading::default() },
    ] {
        let mut reader = open(Path::new("/proc/version"), &reading);
        let mut buffer = [0; 4096];
        let read = reader.read(&mut buffer).unwrap();
        assert_eq!(buffer[..read], wanted);
        reader.finish(read as u64).unwrap();
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn a_call_that_hangs_is_a_failure_after_the_time_limit() {
    let folder = Folder::new("hang");
    let good = folder.file("good", "good");
    let hang = |call: &str, option: &str, message: &str| {
        // Long enough for a busy machine to answer for the good file.
        let options = ["--timeout", "2000", option, good.to_str().unwrap()];
        let lines = faulty(&folder, &[("FAULT_HANG", call)], &options);
        let message = message.replace("START", if option == "--at" { "196608" } else { "0" });
        let wanted = format!("4 {}\n{}: {message}\n", sum(b"good"), folder.join("file").display());
        assert_eq!(lines, wanted, "{call} {option}");
    };
    for (call, message) in [
        ("open", "cannot open: no answer within 2s"),
        ("stat", "cannot open: no answer within 2s"),
        ("read", "read failed at byte START: no answer within 2s"),
    ] {
        // They wait side by side.
        std::thread::scope(|scope| {
            for option in ["--buffered", "--at", "--zero", "--direct"] {
                scope.spawn(move || hang(call, option, message));
            }
        });
    }
}

#[test]
fn a_rate_is_kept() {
    let folder = Folder::new("rate");
    let path = folder.file("file", paint(300_000));
    let rate = Some(Arc::new(Rate::new(NonZeroU64::new(1_000_000).unwrap())));
    let start = Instant::now();
    let read = all(open(&path, &Reading { rate, ..Reading::default() }), &mut vec![0; MIB]).unwrap();
    assert!(read == paint(300_000));
    assert!(start.elapsed() >= Duration::from_millis(200), "{:?}", start.elapsed());
}

#[test]
fn too_many_open_files_are_told_from_other_failures() {
    let folder = Folder::new("crowded");
    let error = Reader::open(&entry(&folder.join("nosuch"), Origin::Path), &Reading::default()).unwrap_err();
    assert!(!error.is_fd_limit());
    let problem = hashmill_source::Problem::Open(std::io::Error::from_raw_os_error(libc::EMFILE));
    assert!(Error { path: b"x".as_slice().into(), problem }.is_fd_limit());
}
