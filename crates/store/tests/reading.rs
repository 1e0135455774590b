//! Reading: all bytes of the listed object, with few requests and in bounded memory.

use crate::bucket::{Bucket, access, bytes, location, range_of, read_all, store};
use crate::server::{Answer, Server};
use hashmill_store::{Access, Cause, RequestKind, Store};
use std::io::Cursor;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

/// The store of a server, with this much memory for bytes that wait.
fn store_with(server: &Server, memory: usize) -> Store {
    Store::connect(&location("s3://b"), &Access { memory, ..access(server) }).unwrap()
}

#[test]
fn small_objects_cost_one_request_each() {
    let names: Vec<String> = (0..300).map(|number| format!("k{number:04}")).collect();
    let content = |name: &str| bytes(name[1..].parse::<usize>().unwrap() * 17);
    let mut bucket = Bucket::with_objects(names.iter().map(|name| (name.as_str(), content(name))));
    bucket.page = 100;
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    let ahead = store.ahead();
    let coming: Vec<_> = store.list(b"").map(|object| ahead.announce(object.unwrap())).collect();
    for (one, name) in coming.iter().zip(&names) {
        assert_eq!(read_all(&one.open(), 8192).unwrap(), content(name), "{name}");
    }
    let counts = store.counts();
    assert_eq!(
        (counts.count(RequestKind::List), counts.count(RequestKind::Get), counts.all()),
        (3, 300, 303)
    );
    assert!(
        server.asked().iter().all(|asked| asked.method != "GET"
            || asked.path == "/b"
            || asked.headers.contains_key("if-match"))
    );
}

#[test]
fn nobody_waits_for_memory_that_later_objects_hold() {
    let names: Vec<String> = (0..40).map(|number| format!("k{number:02}")).collect();
    let mut bucket = Bucket::with_objects(names.iter().map(|name| (name.as_str(), bytes(50_000))));
    bucket.page = 100;
    let server = Server::start(move |asked, _| bucket.answer(asked));
    // There is room for two of them.
    let store = store_with(&server, 240_000);
    let ahead = store.ahead();
    let coming: Vec<_> = store.list(b"").map(|object| ahead.announce(object.unwrap())).collect();
    for one in coming.iter().rev() {
        assert_eq!(read_all(&one.open(), 64 << 10).unwrap(), bytes(50_000));
    }
}

#[test]
fn large_objects_come_in_parts_side_by_side() {
    let (small, large) = (bytes(MIB + 5), bytes(9 * MIB + 5));
    let bucket = Bucket::with_objects([("small", small.clone()), ("large", large.clone())]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    // One request for each part, however little memory there is.
    for (key, content, memory, part) in [
        ("large", &large, 64 * MIB, 4 * MIB),
        ("large", &large, 8 * MIB, 4 * MIB),
        ("large", &large, 3 * MIB, MIB),
        ("small", &small, 4096, 64 << 10),
    ] {
        let store = store_with(&server, memory);
        let opened = store.open(store.look(key.as_bytes()).unwrap());
        assert!(read_all(&opened, 48 << 10).unwrap() == *content, "memory {memory}");
        let counts = store.counts();
        assert_eq!(counts.received, content.len() as u64, "no byte twice with {memory}");
        assert_eq!(counts.count(RequestKind::Get), content.len().div_ceil(part) as u64, "with {memory}");
    }
    let ranges = server.asked().iter().filter(|asked| asked.headers.contains_key("range")).count();
    assert!(
        ranges > 0
            && server
                .asked()
                .iter()
                .all(|asked| asked.method == "HEAD" || asked.headers.contains_key("if-match"))
    );
}

#[test]
fn what_was_asked_for_stays_for_whoever_opens_it_again() {
    for size in [MIB / 2, MIB, 5 * MIB] {
        let bucket = Bucket::with_objects([("k", bytes(size))]);
        let server = Server::start(move |asked, _| bucket.answer(asked));
        let store = store(&server);
        let object = store.list(b"").next().unwrap().unwrap();
        let listed = store.counts().received;
        let coming = store.ahead().announce(object);
        // It is opened and dropped without reading, as happens to files that are not small.
        drop(coming.open());
        assert_eq!(coming.open().read_at(0, &mut [0; 100]).unwrap(), 100);
        assert!(read_all(&coming.open(), 64 << 10).unwrap() == bytes(size));
        let counts = store.counts();
        assert_eq!(counts.count(RequestKind::Get), size.div_ceil(4 * MIB) as u64, "{size}");
        assert_eq!(counts.received - listed, size as u64);
    }
}

#[test]
fn objects_side_by_side_wait_for_memory_before_they_begin() {
    let names = ["a", "b", "c", "d"];
    let bucket = Bucket { page: 9, ..Bucket::with_objects(names.map(|name| (name, bytes(6 * MIB)))) };
    let server = Server::start(move |asked, _| bucket.answer(asked));
    // There is room for one part of one of them.
    let store = store_with(&server, 8 * MIB);
    let opened: Vec<_> = store.list(b"").map(|object| store.open(object.unwrap())).collect();
    let listed = store.counts().received;
    assert!(opened[0].prepare(false) && opened[0].prepare(true));
    assert!(!opened[1].prepare(false), "the first has the memory");
    assert_eq!(opened[0].read_at(0, &mut [0; 9]).unwrap(), 9);
    assert!(!opened[1].prepare(false), "and keeps it");
    let mut opened = opened.into_iter();
    let mut last = opened.next();
    for next in opened {
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| next.prepare(true));
            assert!(read_all(&last.take().unwrap(), 64 << 10).unwrap() == bytes(6 * MIB));
            assert!(waits.join().unwrap());
        });
        last = Some(next);
    }
    read_all(&last.unwrap(), 64 << 10).unwrap();
    assert_eq!(
        (store.counts().count(RequestKind::Get), store.counts().received - listed),
        (8, 24 * MIB as u64)
    );
}

#[test]
#[ignore = "campaign: takes long"]
fn an_object_that_is_left_half_read_holds_nobody_up_for_ever() {
    let bucket = Bucket::with_objects([("k", bytes(9 * MIB))]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store_with(&server, 8 * MIB);
    let open = || store.open(store.look(b"k").unwrap());
    let (left, read) = (open(), open());
    assert!(left.prepare(true) && read.prepare(true));
    assert!(read_all(&read, 64 << 10).unwrap() == bytes(9 * MIB));
    assert_eq!(store.counts().count(RequestKind::Get), 1 + 3);
}

#[test]
fn objects_that_are_read_here_and_there_keep_nobody_waiting() {
    let bucket = Bucket::with_objects([("k", bytes(9 * MIB))]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store_with(&server, 8 * MIB);
    let open = || store.open(store.look(b"k").unwrap());
    let left: Vec<_> = (0..9).map(|_| open()).collect();
    for (number, opened) in left.iter().enumerate() {
        assert_eq!(opened.read_at(number as u64 * 700_000, &mut [0; 9]).unwrap(), 9);
    }
    let read = open();
    assert!(read.prepare(true));
    assert!(read_all(&read, 64 << 10).unwrap() == bytes(9 * MIB));
}

/// Serves objects of this size with bytes that depend on their offsets, after a delay.
fn generated(size: u64, delay: Duration) -> Server {
    Server::start(move |asked, _| {
        let range = asked.headers.get("range").and_then(|range| range_of(range, size as usize));
        let (start, end) = range.unwrap_or((0, size as usize));
        std::thread::sleep(delay);
        let body: Vec<u8> = if asked.method == "HEAD" { Vec::new() } else { vec![7; end - start] };
        let answer = Answer { status: if range.is_some() { 206 } else { 200 }, ..Answer::new(200, body) };
        answer
            .header("etag", "\"e\"")
            .header("content-length", (end - start).to_string())
            .header("content-range", format!("bytes {start}-{}/{size}", end - 1))
    })
}

#[test]
fn a_gibibyte_is_one_request_for_each_part_whatever_a_request_takes() {
    for (size, delay, memory) in [(1 << 30, 0, 8 * MIB), (64 << 20, 0, 512 * MIB), (32 << 20, 30, 64 * MIB)] {
        let server = generated(size, Duration::from_millis(delay));
        let store = store_with(&server, memory);
        let opened = store.open(store.look(b"k").unwrap());
        assert!(opened.prepare(true));
        let (mut read, mut buffer) = (0, vec![0; 256 << 10]);
        while let more @ 1.. = opened.read_at(read, &mut buffer).unwrap() {
            read += more as u64;
        }
        assert_eq!((read, store.counts().received), (size, size));
        assert_eq!(store.counts().count(RequestKind::Get), size / (4 << 20));
    }
}

#[test]
fn every_byte_is_of_one_version() {
    let content = bytes(9 * MIB);
    for overwritten in [false, true] {
        let bucket = Bucket::with_objects([("large", content.clone())]);
        // Even if it has the same bytes.
        let server = Server::start(move |asked, _| {
            let first = asked.headers.get("range").is_some_and(|range| range.starts_with("bytes=0-"));
            let version = if overwritten && !first { "v2" } else { "v1" };
            bucket.answer(asked).header("x-amz-version-id", version)
        });
        let store = store(&server);
        let object = store.list(b"").next().unwrap().unwrap();
        assert_eq!(object.version, None, "listings name none");
        let opened = store.open(object);
        let read = read_all(&opened, 256 << 10);
        if overwritten {
            assert_eq!(read.unwrap_err().cause, Cause::Changed);
        } else {
            assert!(read.unwrap() == content);
            assert_eq!(opened.version(), Some("v1"));
        }
    }
}

#[test]
fn any_offset_can_be_read_from_any_thread() {
    let content = bytes(3 * MIB);
    let bucket = Bucket::with_objects([("large", content.clone())]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    let opened = store.open(store.look(b"large").unwrap());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (opened, content) = (&opened, &content);
            scope.spawn(move || {
                for step in 0..40 {
                    let offset = (step * 7_919 * 31 + thread * 100_003) % content.len();
                    let mut buffer = vec![0; 5000];
                    let read = opened.read_at(offset as u64, &mut buffer).unwrap();
                    assert!(read > 0);
                    assert_eq!(buffer[..read], content[offset..offset + read]);
                }
            });
        }
    });
    assert_eq!(opened.read_at(content.len() as u64, &mut [0; 9]).unwrap(), 0);
    assert_eq!(opened.read_at(u64::MAX, &mut [0; 9]).unwrap(), 0);
}

#[test]
fn the_rate_is_kept() {
    let bucket = Bucket::with_objects([("k", bytes(60_000))]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let rate = Access { bandwidth: NonZeroU64::new(100_000), ..access(&server) };
    let store = Store::connect(&location("s3://b"), &rate).unwrap();
    let opened = store.open(store.look(b"k").unwrap());
    let start = Instant::now();
    read_all(&opened, 70_000).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(450), "{:?}", start.elapsed());
}

#[test]
fn an_upload_is_one_request_with_the_bytes() {
    let server = Server::start(|_, _| crate::server::Answer::new(200, "").header("etag", "\"e\""));
    let store = store(&server);
    let content = bytes(70_000);
    store.upload(b"p/manifest", &mut Cursor::new(content.clone()), content.len() as u64).unwrap();
    let [put] = server.asked().try_into().unwrap();
    assert_eq!((put.method.as_str(), put.path.as_str()), ("PUT", "/b/p/manifest"));
    assert!(put.body == content);
    // Without a checksum, a bucket with Object Lock takes nothing: SHA-256, in base64.
    assert_eq!(put.headers["x-amz-checksum-sha256"].len(), 44);
    assert_eq!((store.counts().count(RequestKind::Put), store.counts().sent), (1, 70_000));
}

#[test]
fn of_a_range_nothing_else_is_asked_for() {
    let content = bytes(40 * MIB);
    let bucket = Bucket::with_objects([("large", content.clone())]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    let object = store.look(b"large").unwrap();
    let (start, end) = (3 * MIB as u64 + 1, 20 * MIB as u64);
    let opened = store.open_range(object, start..end);
    let (mut found, mut buffer) = (Vec::new(), vec![0; MIB]);
    loop {
        match opened.read_at(start + found.len() as u64, &mut buffer).unwrap() {
            0 => break,
            read => found.extend_from_slice(&buffer[..read]),
        }
    }
    assert!(found == content[start as usize..end as usize]);
    assert_eq!(store.counts().received, end - start);
}

#[test]
fn many_objects_are_looked_up_in_their_order() {
    let names: Vec<String> = (0..200).map(|number| format!("k{number:03}")).collect();
    let bucket =
        Bucket::with_objects(names.iter().map(|name| (name.as_str(), bytes(name[1..].parse().unwrap()))));
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    let wanted =
        names.iter().map(|name| (name.as_bytes().into(), None)).chain([(b"gone".as_slice().into(), None)]);
    let found: Vec<_> = store.look_all(wanted.collect()).collect();
    let sizes: Vec<u64> = found[..200].iter().map(|object| object.as_ref().unwrap().size).collect();
    assert_eq!(sizes, (0..200).collect::<Vec<u64>>());
    assert_eq!(found[200].as_ref().unwrap_err().cause, Cause::NotFound);
    assert_eq!(store.counts().count(RequestKind::Head), 201);
}

#[test]
fn a_version_that_was_named_is_asked_for_and_no_other() {
    let server = Server::start(|asked, _| {
        let is_old = asked.query.get("versionId").is_some_and(|version| version == "v1");
        let (content, version) = if is_old { ("old", "v1") } else { ("newer", "v2") };
        Answer::new(200, content).header("etag", format!("\"{content}\"")).header("x-amz-version-id", version)
    });
    let store = store(&server);
    let of = |version: Option<&str>| {
        let found = store.look_all(vec![(b"k".as_slice().into(), version.map(Box::from))]).next();
        read_all(&store.open(found.unwrap().unwrap()), 100).unwrap()
    };
    assert_eq!(of(Some("v1")), b"old");
    // Unless a version is named, the version that the store reports is not part of the request: that needs another
    // permission.
    assert_eq!(of(None), b"newer");
    assert!(server.asked()[2..].iter().all(|asked| asked.query.is_empty()));
}
