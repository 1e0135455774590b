//! Reads of real files: all bytes or a failure, whatever happens meanwhile.
#![allow(unsafe_code)]

use crate::common::{Folder, as_nobody, built, entry, under_faults};
use hashmill_source::{BadBlocks, Cached, Error, Io, Origin, Problem, Reader, Reading};
use hashmill_testing::{installed, not_possible};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

fn open(path: &Path) -> Reader {
    Reader::open(&entry(path, Origin::Path), &Reading::default()).unwrap()
}

fn rest(reader: &mut Reader, buffer: usize) -> Result<Vec<u8>, Error> {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0xee; buffer]);
    loop {
        let read = reader.read(&mut buffer)?;
        bytes.extend_from_slice(&buffer[..read]);
        if read < buffer.len() {
            return Ok(bytes);
        }
    }
}

/// Returns bytes with a period that no buffer has.
fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

fn problem(result: Result<(), Error>) -> Problem {
    result.unwrap_err().problem
}

#[test]
fn all_lengths_come_whole_in_all_buffers() {
    let folder = Folder::new("lengths");
    for length in [0, 1, 511, 512, 4095, 4096, 4097, 65535, 65536, 65537, 200_000] {
        let path = folder.file("file", paint(length));
        for buffer in [1000, 4096, 65536, 1 << 20] {
            let mut reader = open(&path);
            assert_eq!(reader.meta().size, length as u64);
            assert_eq!(reader.seekable(), length > 0);
            assert!(rest(&mut reader, buffer).unwrap() == paint(length), "{length} {buffer}");
            assert_eq!(reader.read(&mut [0; 10]).unwrap(), 0, "the end stays the end");
            reader.finish(length as u64).unwrap();
        }
    }
}

#[test]
fn threads_read_at_offsets() {
    let folder = Folder::new("offsets");
    let reader = open(&folder.file("file", paint(1_000_000)));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let reader = &reader;
            scope.spawn(move || {
                let mut buffer = vec![0; 65536];
                for offset in (thread * 10_000..1_000_000).step_by(40_000) {
                    let read = reader.read_at(offset as u64, &mut buffer).unwrap();
                    assert_eq!(read, buffer.len().min(1_000_000 - offset));
                    assert!(buffer[..read] == paint(1_000_000)[offset..offset + read]);
                }
            });
        }
    });
    assert_eq!(reader.read_at(1_000_000, &mut [0; 10]).unwrap(), 0);
    assert_eq!(reader.read_at(1 << 40, &mut [0; 10]).unwrap(), 0);
    reader.finish(1_000_000).unwrap();
}

#[test]
fn a_growing_file_has_changed() {
    let folder = Folder::new("grow");
    for (size, buffer) in [(100_000, 50_000), (2000, 65536)] {
        let path = folder.file("file", paint(size));
        let mut reader = open(&path);
        let first = reader.read(&mut vec![0; buffer]).unwrap();
        File::options().append(true).open(&path).unwrap().write_all(b"more").unwrap();
        let read = first + rest(&mut reader, buffer).unwrap().len();
        let Problem::Changed { before, after } = problem(reader.finish(read as u64)) else { panic!() };
        assert_eq!((before.size, after.size), (size as u64, size as u64 + 4));
    }
}

#[test]
fn a_shrinking_file_has_changed() {
    let folder = Folder::new("shrink");
    let path = folder.file("file", paint(100_000));
    let mut reader = open(&path);
    assert_eq!(reader.read(&mut [0; 50_000]).unwrap(), 50_000);
    File::options().write(true).open(&path).unwrap().set_len(60_000).unwrap();
    assert_eq!(rest(&mut reader, 50_000).unwrap().len(), 10_000);
    assert!(matches!(problem(reader.finish(60_000)), Problem::Changed { .. }));
}

#[test]
fn a_rewritten_or_touched_file_has_changed() {
    let folder = Folder::new("rewrite");
    let path = folder.file("file", paint(1000));
    let old = |path: &Path| {
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(UNIX_EPOCH + Duration::from_secs(1))
            .unwrap();
    };
    old(&path);
    let mut reader = open(&path);
    File::options().write(true).open(&path).unwrap().write_all_at(b"x", 5).unwrap();
    assert_eq!(rest(&mut reader, 4096).unwrap().len(), 1000);
    assert!(matches!(problem(reader.finish(1000)), Problem::Changed { .. }));
    // The modification time can be set back; the change time of the inode can't. Clocks of files tick slower than this
    // test runs, so it repeats until they tick.
    old(&path);
    let reader = open(&path);
    let before = *reader.meta();
    while open(&path).meta().ctime == before.ctime {
        old(&path);
    }
    assert_eq!(open(&path).meta().mtime, before.mtime);
    assert!(matches!(problem(reader.finish(1000)), Problem::Changed { .. }));
}

#[test]
fn bytes_that_did_not_come_are_missed() {
    let folder = Folder::new("short");
    let reader = open(&folder.file("file", paint(1000)));
    assert!(matches!(problem(reader.finish(999)), Problem::Short { read: 999, size: 1000 }));
    let reader = open(&folder.join("file"));
    assert!(matches!(problem(reader.finish(1001)), Problem::Longer { size: 1000 }));
}

#[test]
fn nothing_but_regular_files_is_read_below_operands() {
    let folder = Folder::new("replaced");
    let fifo = folder.fifo("fifo");
    for path in [fifo.as_path(), Path::new("/dev/null"), Path::new("/dev/zero")] {
        let error = Reader::open(&entry(path, Origin::Path), &Reading::default()).unwrap_err();
        assert!(matches!(error.problem, Problem::Replaced { .. }), "{error}");
    }
    for origin in [Origin::Path, Origin::Operand] {
        let error = Reader::open(&entry(folder.path(), origin), &Reading::default()).unwrap_err();
        assert!(
            matches!(&error.problem, Problem::Open(source) if source.raw_os_error() == Some(libc::EISDIR))
        );
    }
    let error = Reader::open(&entry(&folder.join("nosuch"), Origin::Path), &Reading::default()).unwrap_err();
    assert!(
        error.to_string().ends_with("nosuch: cannot open: No such file or directory (os error 2)"),
        "{error}"
    );
}

#[test]
fn files_of_others_are_read() {
    // Only the owner may open a file without changing its access time.
    let folder = Folder::new("others");
    let path = folder.file("file", "theirs");
    let read = as_nobody(move || {
        let mut reader = open(&path);
        let bytes = rest(&mut reader, 100).unwrap();
        reader.finish(6).unwrap();
        bytes
    });
    assert!(read.is_none_or(|bytes| bytes == b"theirs"));
}

#[test]
fn operands_are_read_as_streams() {
    let folder = Folder::new("streams");
    let fifo = folder.fifo("fifo");
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || {
            let mut end = File::options().write(true).open(fifo).unwrap();
            for part in paint(200_000).chunks(7000) {
                end.write_all(part).unwrap();
            }
        }
    });
    let mut reader = Reader::open(&entry(&fifo, Origin::Operand), &Reading::default()).unwrap();
    assert!(!reader.seekable());
    assert!(rest(&mut reader, 65536).unwrap() == paint(200_000));
    reader.finish(200_000).unwrap();
    writer.join().unwrap();
    let mut reader =
        Reader::open(&entry(Path::new("/dev/zero"), Origin::Operand), &Reading::default()).unwrap();
    assert_eq!(reader.read(&mut vec![1; 100_000]).unwrap(), 100_000);
    reader.finish(100_000).unwrap();
}

#[test]
fn pseudo_files_are_read_whatever_their_size_says() {
    for (path, size) in [("/proc/version", 0), ("/sys/kernel/mm/transparent_hugepage/enabled", 4096)] {
        let Ok(expected) = fs::read(path) else {
            not_possible(path);
            continue;
        };
        let mut reader = open(Path::new(path));
        assert_eq!(reader.meta().size, size);
        assert!(!reader.seekable());
        assert_eq!(rest(&mut reader, 16).unwrap(), expected);
        reader.finish(expected.len() as u64).unwrap();
    }
}

#[test]
fn a_lease_is_waited_for() {
    let folder = Folder::new("lease");
    let path = folder.file("file", "leased");
    let holder = File::options().write(true).open(&path).unwrap();
    // SAFETY: no memory is touched; ignoring the signal that breaking a lease sends harms no other test.
    let taken = unsafe {
        libc::signal(libc::SIGIO, libc::SIG_IGN);
        libc::fcntl(holder.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK)
    };
    if taken != 0 {
        return not_possible("leases");
    }
    let reading = std::thread::spawn(move || rest(&mut open(&path), 100).unwrap());
    std::thread::sleep(Duration::from_millis(50));
    // SAFETY: as above.
    unsafe { libc::fcntl(holder.as_raw_fd(), libc::F_SETLEASE, libc::F_UNLCK) };
    assert_eq!(reading.join().unwrap(), b"leased");
}

/// Creates a file of 1 MB with data in some places.
fn sparse(folder: &Folder, data: &[(u64, usize)]) -> std::path::PathBuf {
    let path = folder.join("sparse");
    let file = File::create(&path).unwrap();
    file.set_len(1_000_000).unwrap();
    data.iter().for_each(|&(offset, length)| file.write_all_at(&vec![0xda; length], offset).unwrap());
    path
}

const PATTERNS: [&[(u64, usize)]; 6] = [
    &[],
    &[(0, 1)],
    &[(999_999, 1)],
    &[(500_000, 10)],
    &[(0, 5000), (300_000, 100_000), (700_000, 1)],
    &[(4096, 4096), (12288, 4096), (65536, 65536), (995_000, 5000)],
];

#[test]
fn holes_are_zeros() {
    let folder = Folder::new("sparse");
    for pattern in PATTERNS {
        let path = sparse(&folder, pattern);
        let expected = fs::read(&path).unwrap();
        for buffer in [1000, 65536, 1 << 20, 2 << 20] {
            let mut reader = open(&path);
            assert!(rest(&mut reader, buffer).unwrap() == expected, "{pattern:?} {buffer}");
            reader.finish(1_000_000).unwrap();
        }
        let reader = open(&path);
        let mut buffer = vec![0xee; 70_000];
        for offset in [0, 3, 4096, 299_990, 399_990, 930_000, 999_999, 1_000_000, 2_000_000] {
            let read = reader.read_at(offset as u64, &mut buffer).unwrap();
            let end = expected.len().min(offset + buffer.len()).max(offset.min(expected.len()));
            assert!(buffer[..read] == expected[offset.min(end)..end], "{pattern:?} {offset}");
        }
        reader.finish(1_000_000).unwrap();
    }
}

#[test]
fn a_sparse_file_that_shrinks_has_changed() {
    let folder = Folder::new("sparse-shrink");
    let path = sparse(&folder, &[(900_000, 10)]);
    let mut reader = open(&path);
    assert_eq!(reader.read(&mut vec![1; 100_000]).unwrap(), 100_000);
    File::options().write(true).open(&path).unwrap().set_len(200_000).unwrap();
    let read = 100_000 + rest(&mut reader, 65536).unwrap().len() as u64;
    assert!(matches!(problem(reader.finish(read)), Problem::Changed { .. }));
}

/// Runs `readall` under faults on a file of 200,000 bytes. Returns the first line, and whether it succeeded.
fn faulty(folder: &Folder, faults: &[(&str, &str)], options: &[&str]) -> (String, bool) {
    let path = folder.join("file");
    let faults = [&[("FAULT_PATH", "/file")], faults].concat();
    let arguments: Vec<&OsStr> = options.iter().map(OsStr::new).chain([path.as_os_str()]).collect();
    let output = under_faults("readall", &faults, &arguments);
    assert!(output.stderr.is_empty(), "{output:?}");
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

#[test]
fn interrupted_and_short_reads_go_on() {
    let folder = Folder::new("signals");
    folder.file("file", paint(200_000));
    let sum: u64 = paint(200_000).iter().map(|&byte| u64::from(byte)).sum();
    for options in [&[][..], &["--at"], &["--buffer", "1048576"]] {
        for faults in [
            &[("FAULT_EINTR", "1")][..],
            &[("FAULT_SHORT", "777")],
            &[("FAULT_SHORT", "4096"), ("FAULT_EINTR", "1")],
        ] {
            assert_eq!(faulty(&folder, faults, options), (format!("200000 {sum}\n"), true), "{faults:?}");
        }
    }
}

#[test]
fn failing_reads_are_failures_with_their_place() {
    let folder = Folder::new("fail");
    folder.file("file", paint(200_000));
    for (errno, code) in [("EIO", libc::EIO), ("ESTALE", libc::ESTALE)] {
        for after in ["0", "1", "65536", "100000", "199999"] {
            let cause = std::io::Error::from_raw_os_error(code);
            let (line, success) = faulty(&folder, &[("FAULT_AFTER", after), ("FAULT_ERRNO", errno)], &[]);
            assert!(line.contains(&format!("/file: read failed at byte {after}: {cause}")), "{line}");
            assert!(!success);
        }
        let (line, success) =
            faulty(&folder, &[("FAULT_AFTER", "100000"), ("FAULT_ERRNO", errno)], &["--at"]);
        assert!(line.contains("read failed at byte") && !success, "{line}");
    }
}

#[test]
fn an_early_end_is_a_failure() {
    let folder = Folder::new("early");
    folder.file("file", paint(200_000));
    for after in ["0", "65536", "100000", "199999"] {
        for options in [&[][..], &["--at"]] {
            let (line, success) = faulty(&folder, &[("FAULT_AFTER", after), ("FAULT_EOF", "1")], options);
            assert!(line.contains(&format!("ended after {after} of 200000 bytes")) && !success, "{line}");
        }
    }
}

#[test]
fn a_sparse_file_fails_where_its_data_does() {
    let folder = Folder::new("sparse-fail");
    let path = sparse(&folder, &[(500_000, 10)]);
    fs::rename(path, folder.join("file")).unwrap();
    let (line, success) = faulty(&folder, &[("FAULT_AFTER", "500005")], &[]);
    assert!(line.contains("read failed at byte 500005: Input/output error") && !success, "{line}");
    let (line, success) = faulty(&folder, &[("FAULT_AFTER", "500005"), ("FAULT_EOF", "1")], &[]);
    assert!(line.contains("ended after 500005 of 1000000 bytes") && !success, "{line}");
}

#[test]
fn too_many_open_files_are_a_failure_to_open() {
    let folder = Folder::new("many");
    folder.file("file", "");
    let (line, success) = faulty(&folder, &[("FAULT_OPEN", "EMFILE")], &[]);
    let cause = std::io::Error::from_raw_os_error(libc::EMFILE);
    assert!(line.contains(&format!("/file: cannot open: {cause}")) && !success, "{line}");
}

#[test]
fn holes_are_not_read() {
    let folder = Folder::new("holes");
    let log = folder.join("log");
    let path = sparse(&folder, &[(500_000, 10)]);
    fs::rename(path, folder.join("file")).unwrap();
    if open(&folder.join("file")).meta().blocks * 512 >= 1_000_000 {
        return not_possible("files with holes");
    }
    let faults = [("FAULT_LOG", log.to_str().unwrap())];
    for options in [&[][..], &["--at"]] {
        assert_eq!(faulty(&folder, &faults, options), ("1000000 2180\n".to_owned(), true));
        let read: u64 = fs::read_to_string(&log)
            .unwrap()
            .lines()
            .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
            .sum();
        assert!((10..=65536).contains(&read), "{read} bytes were read");
        fs::remove_file(&log).unwrap();
    }
    let plain = [("FAULT_LOG", log.to_str().unwrap()), ("FAULT_NO_HOLES", "1")];
    assert_eq!(faulty(&folder, &plain, &[]), ("1000000 2180\n".to_owned(), true));
    assert!(fs::read_to_string(&log).unwrap().lines().count() > 10);
}

#[test]
fn a_small_file_costs_few_calls() {
    let folder = Folder::new("calls");
    if installed("strace").is_none() {
        return;
    }
    let path = folder.file("small", paint(2048));
    // The reader waits until a file is older than a tick of the file system's clock.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let output = Command::new("strace").arg(built("readall")).arg(&path).output().unwrap();
    let trace = String::from_utf8_lossy(&output.stderr).into_owned();
    let Some(from) = trace.find("small\", O_RDONLY") else {
        assert!(trace.contains("ptrace"), "{trace}");
        return not_possible("strace");
    };
    // In debug builds, the standard library checks that a descriptor is open before it closes it.
    let calls = trace[from..].lines().skip(1).map(|line| line.split('(').next().unwrap());
    let calls: Vec<&str> = calls.filter(|&call| call != "fcntl").take(4).collect();
    let [first, "read", last, "close"] = calls[..] else { panic!("{trace}") };
    assert!(first.contains("stat") && last.contains("stat"), "{trace}");
}

#[test]
fn standard_input_is_a_pipe_or_the_rest_of_a_file() {
    let folder = Folder::new("stdin");
    let path = folder.file("file", paint(200_000));
    let sum = |from: usize| paint(200_000)[from..].iter().map(|&byte| u64::from(byte)).sum::<u64>();
    for from in [0, 1234, 200_000] {
        let mut file = File::open(&path).unwrap();
        file.seek(SeekFrom::Start(from)).unwrap();
        let output = Command::new(built("readall")).arg("-").stdin(file).output().unwrap();
        let expected = format!("{} {}\n", 200_000 - from, sum(from as usize));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
    let mut child =
        Command::new(built("readall")).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&paint(200_000)).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("200000 {}\n", sum(0)));
}

#[test]
fn readers_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Reader>();
}

#[test]
fn a_reader_tells_what_is_cached_and_takes_hints() {
    let folder = Folder::new("hints");
    let path = folder.file("file", vec![5; 300_000]);
    let file = fs::File::open(&path).unwrap();
    file.sync_all().unwrap();
    let mut reader = open(&path);
    // The system may decline either, so only check that nothing breaks.
    reader.will_need(0, 300_000);
    reader.will_need(u64::MAX, u64::MAX);
    reader.will_need(1 << 40, 1);
    let mut buffer = vec![0; 400_000];
    assert_eq!(reader.read(&mut buffer).unwrap(), 300_000);
    assert!(matches!(reader.cached(), Cached::Yes | Cached::Unknown));
    reader.finish(300_000).unwrap();
    // On the same file system, a file without bytes has no position.
    if reader.disk_position().is_some() {
        assert_eq!(open(&path).disk_position(), reader.disk_position());
        assert_eq!(open(&folder.file("empty", "")).disk_position(), None);
    }
    let null = Reader::open(&entry(Path::new("/dev/null"), Origin::Operand), &Reading::default()).unwrap();
    assert_eq!((null.cached(), null.disk_position()), (Cached::Unknown, None));
    null.will_need(0, 100);
}

/// Maps a file that was just written, which is cached. `None`, with a note, if files can't be mapped.
fn mapped(path: &Path) -> Option<(Reader, hashmill_source::Mapped)> {
    let reader = open(path);
    let map = reader.map();
    if map.is_none() {
        not_possible("mapping files");
    }
    Some((reader, map?))
}

#[test]
fn a_map_has_all_bytes_and_a_file_that_held_still_counts() {
    let folder = Folder::new("mapped");
    for length in [128 << 10, (128 << 10) + 1, 3_000_001] {
        let Some((reader, map)) = mapped(&folder.file("file", paint(length))) else { return };
        assert!(*map == paint(length));
        reader.check_map(&map).unwrap();
        reader.finish(length as u64).unwrap();
    }
}

#[test]
fn what_is_small_sparse_or_read_otherwise_is_not_mapped() {
    let folder = Folder::new("unmapped");
    assert!(open(&folder.file("small", paint((128 << 10) - 1))).map().is_none());
    let large = folder.file("large", paint(1 << 20));
    let sparse = folder.file("sparse", paint(1 << 20));
    File::options().write(true).open(&sparse).unwrap().set_len(4 << 20).unwrap();
    assert!(open(&sparse).map().is_none());
    let file = entry(&large, Origin::Path);
    let limited = Reading { timeout: Some(Duration::from_secs(60)), ..Reading::default() };
    let zeros = Reading { bad_blocks: BadBlocks::Zero, ..Reading::default() };
    for reading in [Reading { io: Io::Direct, ..Reading::default() }, limited, zeros] {
        assert!(Reader::open(&file, &reading).unwrap().map().is_none(), "{reading:?}");
    }
    let pretended = entry(Path::new("/proc/self/maps"), Origin::Operand);
    assert!(Reader::open(&pretended, &Reading::default()).unwrap().map().is_none());
}

#[test]
fn a_hole_that_is_punched_into_a_mapped_file_is_a_change() {
    let folder = Folder::new("punched");
    let path = folder.file("file", paint(1 << 20));
    std::thread::sleep(Duration::from_millis(20));
    let Some((reader, map)) = mapped(&path) else { return };
    let file = File::options().write(true).open(&path).unwrap();
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: the call touches no memory.
    if unsafe { libc::fallocate(file.as_raw_fd(), mode, 0, 512 << 10) } != 0 {
        return not_possible("punching holes");
    }
    assert!(map[..512 << 10].iter().all(|&byte| byte == 0));
    reader.check_map(&map).unwrap();
    assert!(matches!(problem(reader.finish(1 << 20)), Problem::Changed { .. }));
}

#[test]
fn a_mapped_file_that_is_cut_short_or_grows_is_a_change() {
    let folder = Folder::new("cut");
    for size in [0, 1, 4096, 100_000, (1 << 20) - 1, 2 << 20] {
        let path = folder.file("file", paint(1 << 20));
        std::thread::sleep(Duration::from_millis(20));
        let Some((reader, map)) = mapped(&path) else { return };
        File::options().write(true).open(&path).unwrap().set_len(size).unwrap();
        let read = map.iter().filter(|&&byte| byte == 255).count();
        assert_eq!(read, 0);
        let checked = reader.check_map(&map).and_then(|()| reader.finish(1 << 20));
        assert!(matches!(problem(checked), Problem::Changed { .. }), "{size}");
    }
}

#[test]
fn a_fault_in_a_map_is_told_as_a_failed_read_is() {
    let folder = Folder::new("map-faults");
    let path = folder.file("file", paint(500_000));
    let run = |faults: &[(&str, &str)], way: &str| {
        let faults = [&[("FAULT_PATH", "/file")], faults].concat();
        let output = under_faults("readall", &faults, &[way.as_ref(), path.as_os_str()]);
        assert!(output.status.code().is_some(), "killed: {:?} {faults:?}", output.status);
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    if run(&[], "--map").0.contains("not mapped") {
        return not_possible("mapping files");
    }
    assert_eq!(run(&[], "--map"), run(&[], "--at"));
    for errno in ["EIO", "ESTALE", "ENXIO"] {
        for after in ["0", "100000", "499999"] {
            let faults = [("FAULT_AFTER", after), ("FAULT_ERRNO", errno)];
            let (told, code) = run(&faults, "--map");
            assert_eq!((told.clone(), code), run(&faults, "--buffered"));
            assert!(told.contains("read failed at byte"), "{told}");
        }
    }
    for after in ["0", "100000", "499999"] {
        let faults = [("FAULT_AFTER", after), ("FAULT_EOF", "1")];
        assert_eq!(run(&faults, "--map"), run(&faults, "--buffered"));
    }
    let (told, code) = run(&[("FAULT_CUT", "100000")], "--map");
    assert!(told.contains("changed while it was read") && code == Some(2), "{told}");
}

#[test]
fn with_a_limit_of_addresses_or_without_maps_files_are_read() {
    let folder = Folder::new("limited");
    let path = folder.file("file", paint(500_000));
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 4000000; exec \"$0\" --map \"$1\""])
        .args([built("readall").as_os_str(), path.as_os_str()])
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"not mapped: 500000 "));
    let faults = [("FAULT_PATH", "/file"), ("FAULT_NO_MAP", "1")];
    let output = under_faults("readall", &faults, &["--map".as_ref(), path.as_os_str()]);
    assert!(output.status.success() && output.stdout.starts_with(b"not mapped: 500000 "));
}

/// Returns the time of the kernel's coarse clock since 1970, in nanoseconds.
fn coarse_clock() -> i128 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to a structure of ours.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut now) }, 0);
    i128::from(now.tv_sec) * 1_000_000_000 + i128::from(now.tv_nsec)
}

#[test]
fn a_file_is_not_read_in_the_tick_in_which_it_was_written() {
    let folder = Folder::new("young");
    for round in 0..20 {
        let path = folder.file("file", format!("{round}"));
        let reader = Reader::open(&entry(&path, Origin::Path), &Reading::default()).unwrap();
        let now = coarse_clock();
        let (seconds, nanoseconds) = reader.meta().ctime;
        let changed = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
        assert!(now > changed, "{now} {changed}");
    }
}
