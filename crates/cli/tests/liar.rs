//! File systems that lie, served by FUSE: holes where bytes are, sizes that are too small, folders that are their own
//! ancestors, listings that fail in the middle.
#![allow(unsafe_code)]

use crate::case;
use crate::util::Place;
use hashmill_testing::not_possible;
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::thread;

/// The sizes that are stated of longer files.
const SIZES: [usize; 5] = [5, 4096, 70_000, 131_072, 1 << 20];

/// The answer to a question for data or a hole.
#[derive(Clone, Copy)]
enum Holes {
    /// There is no data.
    All,
    /// Everything is at the offset that was asked about.
    Here,
}

/// A file of the file system.
struct Lie {
    name: String,
    content: Vec<u8>,
    size: usize,
    holes: Holes,
}

/// A mounted file system.
struct Liar(CString);

impl Liar {
    /// Mounts one at `liar`; returns `None`, with a note, if this process may not.
    fn mount(t: &Place) -> Option<Liar> {
        let place = t.path("liar");
        fs::create_dir(&place).unwrap();
        let place = CString::new(place.as_os_str().as_bytes()).unwrap();
        let device = OpenOptions::new().read(true).write(true).open("/dev/fuse").ok();
        let mounted = device.as_ref().is_some_and(|device| {
            let options = format!("fd={},rootmode=40000,user_id=0,group_id=0", device.as_raw_fd());
            let options = CString::new(options).unwrap();
            let (from, kind) = (c"liar".as_ptr(), c"fuse".as_ptr());
            // SAFETY: all arguments are C strings that outlive the call.
            unsafe { libc::mount(from, place.as_ptr(), kind, 0, options.as_ptr().cast()) == 0 }
        });
        let Some(device) = device.filter(|_| mounted) else {
            not_possible("mounting a file system in user space");
            return None;
        };
        thread::spawn(move || serve(device));
        Some(Liar(place))
    }
}

impl Drop for Liar {
    fn drop(&mut self) {
        // SAFETY: the path is a C string.
        unsafe { libc::umount2(self.0.as_ptr(), libc::MNT_DETACH) };
    }
}

fn content(length: usize, seed: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + seed + (at >> 8)) as u8).collect()
}

fn files() -> Vec<Lie> {
    let lie = |name: &str, content: Vec<u8>, size, holes| Lie { name: name.into(), content, size, holes };
    let large = 2 << 20;
    let mut files = vec![
        lie("hole-a", content(large, 1), large, Holes::All),
        lie("hole-b", content(large, 9), large, Holes::All),
        lie("stuck", content(large, 1), large, Holes::Here),
    ];
    files.extend(
        ["twin-a", "twin-b", "twin-c"]
            .map(|name| lie(name, content(5000, if name == "twin-c" { 4 } else { 5 }), 5000, Holes::All)),
    );
    files.extend(SIZES.map(|size| lie(&format!("short-{size}"), content(size + 999, 3), size, Holes::All)));
    files
}

/// The folder that is in itself; each visit of it has another node, and the same number.
const LOOP: u64 = 1 << 32;
/// The folder whose listing fails after three entries, and the first file.
const BROKEN: u64 = 3;
const FIRST: u64 = 10;

fn serve(mut device: File) {
    let (files, mut request) = (files(), vec![0; 1 << 18]);
    while let Ok(length) = device.read(&mut request) {
        if let Some((error, answer)) = answer(&files, &request[..length]) {
            let head =
                [&(16 + answer.len() as u32).to_le_bytes()[..], &(-error).to_le_bytes(), &request[8..16]];
            // The caller may have gone.
            let _ = device.write(&[&head.concat()[..], &answer].concat());
        }
    }
}

/// Returns an error number and an answer; none for what wants no answer.
fn answer(files: &[Lie], request: &[u8]) -> Option<(i32, Vec<u8>)> {
    let number = |at: usize| u64::from_le_bytes(request[at..at + 8].try_into().unwrap());
    let half = |at: usize| u32::from_le_bytes(request[at..at + 4].try_into().unwrap());
    let (node, done) = (number(16), |answer: Vec<u8>| Some((0, answer)));
    match half(4) {
        // FUSE_FORGET, FUSE_BATCH_FORGET
        2 | 42 => None,
        // FUSE_LOOKUP
        1 => {
            let name = request[40..].split(|byte| *byte == 0).next().unwrap();
            match found(files, node, name) {
                None => Some((libc::ENOENT, Vec::new())),
                Some(node) => done([&node.to_le_bytes()[..], &[0; 32], &attributes(files, node)].concat()),
            }
        }
        // FUSE_GETATTR
        3 => done([&[0; 16][..], &attributes(files, node)].concat()),
        // FUSE_OPEN, past the page cache, and FUSE_OPENDIR
        14 => done([&[0; 8][..], &1_u32.to_le_bytes(), &[0; 4]].concat()),
        27 => done(vec![0; 16]),
        // FUSE_READ
        15 => {
            let content = &files[(node - FIRST) as usize].content;
            let start = content.len().min(number(48) as usize);
            done(content[start..content.len().min(start + half(56) as usize)].to_vec())
        }
        // FUSE_READDIR
        28 if node == BROKEN && number(48) >= 3 => Some((libc::ENOENT, Vec::new())),
        28 => done(listed(files, node, number(48), half(56) as usize)),
        // FUSE_INIT
        26 => done(
            [
                &7_u32.to_le_bytes()[..],
                &31_u32.to_le_bytes(),
                &[0; 8],
                &[12, 0, 10, 0],
                &(1_u32 << 17).to_le_bytes(),
                &1_u32.to_le_bytes(),
                &[0; 36],
            ]
            .concat(),
        ),
        // FUSE_LSEEK
        46 => match files[(node - FIRST) as usize].holes {
            Holes::All => Some((libc::ENXIO, Vec::new())),
            Holes::Here => done(number(48).to_le_bytes().to_vec()),
        },
        // FUSE_RELEASE, FUSE_FLUSH, FUSE_RELEASEDIR
        18 | 25 | 29 => done(Vec::new()),
        _ => Some((libc::ENOSYS, Vec::new())),
    }
}

fn found(files: &[Lie], node: u64, name: &[u8]) -> Option<u64> {
    match name {
        b"loop" if node == 1 => Some(LOOP),
        b"broken" if node == 1 => Some(BROKEN),
        b"again" if node >= LOOP => Some(node + 1),
        _ => Some(files.iter().position(|file| file.name.as_bytes() == name)? as u64 + FIRST),
    }
}

/// The structure fuse_attr.
fn attributes(files: &[Lie], node: u64) -> Vec<u8> {
    let file = node.checked_sub(FIRST).and_then(|place| files.get(place as usize));
    let first_twin = || files.iter().position(|file| file.name.starts_with("twin")).unwrap() as u64 + FIRST;
    let number =
        if file.is_some_and(|file| file.name.starts_with("twin")) { first_twin() } else { node.min(LOOP) };
    let (mode, size) = file.map_or((0o40755_u32, 0), |file| (0o100_644, file.size as u64));
    // No file has blocks.
    [
        &number.to_le_bytes()[..],
        &size.to_le_bytes(),
        &[0; 44],
        &mode.to_le_bytes(),
        &1_u32.to_le_bytes(),
        &[0; 12],
        &4096_u32.to_le_bytes(),
        &[0; 4],
    ]
    .concat()
}

fn listed(files: &[Lie], node: u64, from: u64, room: usize) -> Vec<u8> {
    let mut entries = vec![(".", node, 4_u32), ("..", 1, 4)];
    match node {
        1 => entries.extend([("loop", LOOP, 4), ("broken", BROKEN, 4)]),
        LOOP.. => entries.push(("again", LOOP, 4)),
        _ => {}
    }
    let kept = if node == 1 { files.len() } else { 1 };
    let names = files.iter().zip(FIRST..).take(kept);
    entries.extend(names.map(|(file, node)| (file.name.as_str(), node, 8)));
    let mut list = Vec::new();
    for ((name, node, kind), place) in entries.into_iter().zip(1_u64..).skip(from as usize) {
        let length = name.len() as u32;
        let head =
            [&node.to_le_bytes()[..], &place.to_le_bytes(), &length.to_le_bytes(), &kind.to_le_bytes()];
        let mut entry = [&head.concat()[..], name.as_bytes()].concat();
        entry.resize(entry.len().next_multiple_of(8), 0);
        if list.len() + entry.len() > room {
            break;
        }
        list.extend(entry);
    }
    list
}

case!(holes_that_a_file_system_in_user_space_tells_are_read, |t| {
    let Some(_liar) = Liar::mount(t) else { return };
    t.file("plain/hole-a", content(2 << 20, 1)).file("plain/hole-b", content(2 << 20, 9));
    t.run("hash -f sums -c md5 -o sums plain/hole-a plain/hole-b").code(0);
    t.shell("sed -i s,plain/,liar/, sums").code(0);
    for options in ["", "--io direct", "-m 4M", "-j 1"] {
        t.run(&format!("audit -k sums liar/hole-a liar/hole-b {options}")).code(0).prints("matched: 2");
    }
    t.run("dupes liar/hole-a liar/hole-b").code(0).is("");
    t.run("check sums").code(0);
    // A place that makes no progress means nothing.
    t.run("hash -f sums -c md5 -o stuck plain/hole-a").code(0);
    t.shell("sed -i s,plain/hole-a,liar/stuck, stuck; timeout 60 $hashmill check stuck").code(0);
});

case!(a_size_that_is_too_small_is_told, |t| {
    let Some(_liar) = Liar::mount(t) else { return };
    for size in SIZES {
        for options in
            ["", "-m 4M", "--io direct", "--bad-blocks zero", "-p 4096", "--timeout 9", "-c md5,ssdeep"]
        {
            t.run(&format!("hash -f jsonl {options} liar/short-{size}"))
                .code(2)
                .says(&format!("liar/short-{size}: has more bytes than its size says, which is {size}"))
                .prints("\"reason\":\"longer\"");
        }
    }
});

case!(files_with_one_number_and_no_second_link_are_not_one_file, |t| {
    let Some(_liar) = Liar::mount(t) else { return };
    let twins = "liar/twin-a liar/twin-b liar/twin-c";
    for dupes in [format!("dupes {twins}"), format!("dupes --inside archives {twins} liar/../liar/twin-a")] {
        t.run(&dupes).code(0).is("liar/twin-a\nliar/twin-b\n");
    }
    // A file is not its own duplicate, however its path is spelled.
    t.run("dupes liar/twin-a liar/../liar/twin-a ./liar/twin-c").code(0).is("");
});

case!(a_folder_that_is_its_own_ancestor_is_a_loop, |t| {
    let Some(_liar) = Liar::mount(t) else { return };
    // Where links are followed, the folder was met before, as by a link.
    t.run("hash -f sums --follow liar/loop").code(0).prints("liar/loop/hole-a\n");
    for options in ["", "--timeout 9"] {
        t.run(&format!("hash -f sums {options} liar/loop"))
            .code(2)
            .says("liar/loop/again: is the same directory as one above it")
            .prints("liar/loop/hole-a\n");
    }
});

case!(a_listing_that_fails_in_the_middle_is_not_the_end, |t| {
    let Some(_liar) = Liar::mount(t) else { return };
    for options in ["", "--timeout 9"] {
        t.run(&format!("hash -f sums {options} liar/broken"))
            .code(2)
            .says("liar/broken: cannot list the directory: No such file or directory")
            .prints("liar/broken/hole-a\n");
    }
});
