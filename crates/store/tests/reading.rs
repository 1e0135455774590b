//! Bytes: all of them, of the object that was listed, with few requests and in bounded memory.

use crate::bucket::{Bucket, access, bytes, location, read_all, store};
use crate::server::{Answer, Server};
use hashloom_store::{Access, Cause, Kind, Store};
use std::io::Cursor;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

#[test]
fn small_objects_cost_one_request_each() {
    let names: Vec<String> = (0..300).map(|number| format!("k{number:04}")).collect();
    let content = |name: &str| bytes(name[1..].parse::<usize>().unwrap() * 17);
    let mut bucket = Bucket::of(names.iter().map(|name| (name.as_str(), content(name))));
    bucket.page = 100;
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    let ahead = store.ahead();
    let coming: Vec<_> = store.list(b"").map(|object| ahead.announce(object.unwrap())).collect();
    for (one, name) in coming.iter().zip(&names) {
        assert_eq!(read_all(&one.open(), 8192).unwrap(), content(name), "{name}");
    }
    let counts = store.counts();
    assert_eq!((counts.of(Kind::List), counts.of(Kind::Get), counts.all()), (3, 300, 303));
    assert!(
        server.asked().iter().all(|asked| asked.method != "GET"
            || asked.path == "/b"
            || asked.headers.contains_key("if-match"))
    );
}

#[test]
fn nobody_waits_for_memory_that_later_objects_hold() {
    let names: Vec<String> = (0..40).map(|number| format!("k{number:02}")).collect();
    let mut bucket = Bucket::of(names.iter().map(|name| (name.as_str(), bytes(50_000))));
    bucket.page = 100;
    let server = Server::start(move |asked, _| bucket.answer(asked));
    // There is room for two of them.
    let store = Store::connect(&location("s3://b"), &Access { memory: 120_000, ..access(&server) }).unwrap();
    let ahead = store.ahead();
    let coming: Vec<_> = store.list(b"").map(|object| ahead.announce(object.unwrap())).collect();
    for one in coming.iter().rev() {
        assert_eq!(read_all(&one.open(), 64 << 10).unwrap(), bytes(50_000));
    }
}

#[test]
fn large_objects_come_in_parts_side_by_side() {
    let content = bytes(21 * MIB + 5);
    let bucket = Bucket::of([("large", content.clone())]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    for memory in [64 * MIB, 3 * MIB, 300_000, 4096] {
        let store = Store::connect(&location("s3://b"), &Access { memory, ..access(&server) }).unwrap();
        let opened = store.open(store.look(b"large").unwrap());
        assert!(read_all(&opened, 256 << 10).unwrap() == content, "memory {memory}");
        let counts = store.counts();
        assert_eq!(counts.received, content.len() as u64, "no byte twice with {memory}");
        assert!(memory < 64 * MIB || counts.of(Kind::Get) <= 8, "{counts:?}");
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
fn every_byte_is_of_one_version() {
    let content = bytes(9 * MIB);
    for overwritten in [false, true] {
        let bucket = Bucket::of([("large", content.clone())]);
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
    let bucket = Bucket::of([("large", content.clone())]);
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
    let bucket = Bucket::of([("k", bytes(60_000))]);
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
    assert_eq!((store.counts().of(Kind::Put), store.counts().sent), (1, 70_000));
}

#[test]
fn of_a_range_nothing_else_is_asked_for() {
    let content = bytes(40 * MIB);
    let bucket = Bucket::of([("large", content.clone())]);
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
    let bucket = Bucket::of(names.iter().map(|name| (name.as_str(), bytes(name[1..].parse().unwrap()))));
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    let wanted =
        names.iter().map(|name| (name.as_bytes().into(), None)).chain([(b"gone".as_slice().into(), None)]);
    let found: Vec<_> = store.look_all(wanted.collect()).collect();
    let sizes: Vec<u64> = found[..200].iter().map(|object| object.as_ref().unwrap().size).collect();
    assert_eq!(sizes, (0..200).collect::<Vec<u64>>());
    assert_eq!(found[200].as_ref().unwrap_err().cause, Cause::NotFound);
    assert_eq!(store.counts().of(Kind::Head), 201);
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
    // Without a name the version that the store says is no part of the question: that takes another right.
    assert_eq!(of(None), b"newer");
    assert!(server.asked()[2..].iter().all(|asked| asked.query.is_empty()));
}
