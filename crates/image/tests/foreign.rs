//! Files that are not readable images: containers of other programs, and special files.

use hashmill_image::{Family, Format, Image, Look, Problem, look};
use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

/// Names, and bytes at the start and at the end.
const CONTAINERS: &[(&str, &[u8], &[u8])] = &[
    ("a.qed", b"QED\0", b""),
    ("a.hds", b"WithoutFreeSpace", b""),
    ("a.chd", b"MComprHD", b""),
    ("a.aff", b"AFF10\r\n\0AFF\0", b""),
    ("a.dmg", b"\xeb\x63\x90", b"koly\0\0\0\x04\0\0\x02\0"),
    ("a.ad1", b"ADSEGMENTEDFILE\0", b""),
    ("a.hdd", b"WithouFreSpacExt", b""),
    ("a.gho", b"\xfe\xef\x01\x02", b""),
];

/// Writes a file of 4 KiB; the bytes of the end start 512 bytes before it.
fn write(path: &Path, start: &[u8], end: &[u8]) {
    let mut bytes = vec![0x20; 4096];
    bytes[..start.len()].copy_from_slice(start);
    bytes[4096 - 512..][..end.len()].copy_from_slice(end);
    fs::write(path, bytes).unwrap();
}

#[test]
fn containers_are_refused_by_name_unless_they_are_to_be_raw() {
    let folder = tempfile::tempdir().unwrap();
    for (name, start, end) in CONTAINERS {
        // The bytes count, not the name.
        for name in [*name, "media.dd", "x.E01"] {
            let path = folder.path().join(name);
            write(&path, start, end);
            let Err(error) = Image::open(&path) else { panic!("{name} was opened: {start:?}") };
            let Problem::Container(found) = error.problem else { panic!("{name}: {error}") };
            assert_eq!(found.family, Family::Image);
            let raw = Image::open_raw(&path).unwrap();
            assert_eq!((raw.format(), raw.media_size()), (Format::Raw, 4096));
        }
        assert!(matches!(look(&folder.path().join(name)), Ok(Look::Foreign(_))), "{name}");
    }
}

#[test]
fn archives_are_no_media_but_files_among_others() {
    let folder = tempfile::tempdir().unwrap();
    for (start, name) in [(&b"\x1f\x8b\x08"[..], "gzip"), (b"PK\x03\x04", "zip"), (b"MSWIM\0\0\0", "wim")] {
        let path = folder.path().join("disk.dd");
        write(&path, start, b"");
        let Err(Problem::Container(found)) = Image::open(&path).map_err(|error| error.problem) else {
            panic!("{name} was opened")
        };
        assert_eq!((found.name, found.family), (name, Family::Archive));
        assert_eq!(look(&path).unwrap(), Look::Other);
    }
}

#[test]
fn the_end_of_split_media_is_the_end_of_the_last_file() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("x.001"), b"\xeb\x63\x90", b"");
    write(&folder.path().join("x.002"), b"", b"");
    assert!(Image::open(&folder.path().join("x.001")).is_ok());
    write(&folder.path().join("x.002"), b"", b"conectix");
    let error = Image::open(&folder.path().join("x.001")).unwrap_err();
    assert!(matches!(error.problem, Problem::Container(found) if found.name == "vhd"), "{error}");
    // An image of segments is not judged by its end.
    assert_eq!(Image::open_raw(&folder.path().join("x.001")).unwrap().media_size(), 8192);
}

#[test]
fn raw_media_stay_raw_media() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("media.iso");
    for start in
        [&b"\xeb\x3c\x90MSDOS5.0"[..], b"hsqs", b"LUKS\xba\xbe", b"\0\0\0\0", b"XFSB", b"koly"[..3].as_ref()]
    {
        write(&path, start, b"");
        assert_eq!(Image::open(&path).unwrap().format(), Format::Raw, "{}", start.escape_ascii());
    }
    fs::write(&path, b"").unwrap();
    assert_eq!(Image::open(&path).unwrap().media_size(), 0);
}

/// Opening never blocks, and wakes no process at the other end.
#[test]
fn what_is_no_file_is_named_and_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").args([path("f.E01"), path("f")]).status().unwrap().success());
    let _socket = UnixListener::bind(path("s")).unwrap();
    fs::create_dir(path("d")).unwrap();
    for (name, what) in [
        ("f.E01", "a FIFO"),
        ("f", "a FIFO"),
        ("s", "a socket"),
        ("/dev/null", "a character device"),
        ("d", "directory"),
    ] {
        for result in [Image::open(&path(name)), Image::open_raw(&path(name))] {
            let Err(error) = result else { panic!("{name} was opened") };
            assert!(matches!(error.problem, Problem::Io(_)), "{name}");
            assert!(error.to_string().contains(what), "{name}: {error}");
        }
        assert!(look(&path(name)).is_err(), "{name}");
    }
    // A FIFO in place of a later segment, or of the first.
    fs::write(path("g.E01"), b"EVF\x09\x0d\x0a\xff\0\x01\x01\0\0\0").unwrap();
    assert!(Command::new("mkfifo").args([path("g.E02"), path("h.E01")]).status().unwrap().success());
    let error = Image::open(&path("g.E01")).unwrap_err();
    assert!(error.findings.iter().any(|finding| finding.to_string().contains("a FIFO")), "{error:?}");
    fs::write(path("h.E02"), b"EVF\x09\x0d\x0a\xff\0\x01\x02\0\0\0").unwrap();
    assert_eq!(look(&path("h.E02")).unwrap(), Look::Later { first: None });
}
