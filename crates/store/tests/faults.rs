//! Servers that fail, lie, or change their content.

use crate::bucket::{Bucket, bytes, etag, location, range_of, read_all, store};
use crate::server::{Answer, Asked, Server};
use hashmill_store::{Access, Cause, Environment, Object, Store};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// More bytes than one part has.
const SIZE: usize = 9 << 20;

fn object(content: &[u8]) -> Object {
    Object {
        key: b"k".as_slice().into(),
        size: content.len() as u64,
        etag: Some(etag(content).into()),
        ..Object::default()
    }
}

fn cause(store: &Store, content: &[u8]) -> Cause {
    read_all(&store.open(object(content)), 256 << 10).unwrap_err().cause
}

#[test]
fn one_failure_in_four_does_no_harm() {
    let names: Vec<String> = (0..100).map(|number| format!("k{number:03}")).collect();
    let bucket = Bucket::with_objects(names.iter().map(|name| (name.as_str(), bytes(3000))));
    let server = Server::start(move |asked, number| match number % 4 {
        1 => Answer::error(503, "SlowDown"),
        _ => bucket.answer(asked),
    });
    let store = store(&server);
    let ahead = store.ahead();
    let all: Vec<_> = store.list(b"").map(|object| ahead.announce(object.unwrap())).collect();
    assert_eq!(all.len(), 100);
    assert!(all.iter().all(|one| read_all(&one.open(), 4096).unwrap() == bytes(3000)));
    assert!(store.counts().retries >= 30, "{:?}", store.counts());
}

#[test]
fn a_cut_connection_goes_on_at_its_byte() {
    let content = bytes(SIZE);
    let bucket = Bucket::with_objects([("k", content.clone())]);
    // Every answer breaks off after 700,000 bytes.
    let server = Server::start(move |asked, _| Answer { cut: Some(700_000), ..bucket.answer(asked) });
    let store = store(&server);
    assert!(read_all(&store.open(object(&content)), 256 << 10).unwrap() == content);
    assert_eq!(store.counts().received, SIZE as u64, "no byte came twice");
    assert!(store.counts().retries > 0);
}

#[test]
fn a_store_that_is_down_is_given_up() {
    let server = Server::start(|_, _| Answer::error(503, "SlowDown").header("retry-after", "0"));
    let store = store(&server);
    let (content, first) = (bytes(10), std::time::Instant::now());
    let causes: Vec<Cause> = std::thread::scope(|scope| {
        let reads: Vec<_> = (0..60).map(|_| scope.spawn(|| cause(&store, &content))).collect();
        reads.into_iter().map(|read| read.join().unwrap()).collect()
    });
    assert!(
        causes.iter().any(|cause| matches!(cause, Cause::GaveUp(why) if **why == Cause::Throttled)),
        "{causes:?}"
    );
    assert!(store.counts().retries <= 101, "{:?}", store.counts());
    assert!(first.elapsed().as_secs() < 60);
}

/// Starts a server that answers with this text and a byte every few milliseconds; returns its address, and the number of
/// connections so far.
fn dripping(text: String) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let counted = Arc::<AtomicUsize>::default();
    let number = Arc::clone(&counted);
    thread::spawn(move || {
        for stream in listener.incoming() {
            number.fetch_add(1, Ordering::Relaxed);
            let text = text.clone();
            thread::spawn(move || {
                let mut stream = stream?;
                // It waits for the request.
                let _ = stream.read(&mut [0; 4096])?;
                stream.write_all(text.as_bytes())?;
                while !text.is_empty() {
                    thread::sleep(Duration::from_millis(5));
                    stream.write_all(b"x")?;
                }
                thread::sleep(Duration::from_secs(60));
                std::io::Result::Ok(())
            });
        }
    });
    (address, counted)
}

#[test]
fn a_server_that_is_silent_or_drips_is_given_up_at_once() {
    let content = bytes(1 << 20);
    let head =
        format!("HTTP/1.1 200 x\r\netag: {}\r\ncontent-length: {}\r\n\r\n", etag(&content), content.len());
    for (text, kind) in [(String::new(), "silent"), ("HTTP/1.1 200 x\r\na: ".into(), "head"), (head, "body")]
    {
        let (endpoint, connections) = dripping(text);
        let (silence, environment) = (Duration::from_millis(150), Environment::from_variables([]));
        let access =
            Access { endpoint: Some(endpoint), silence, anonymous: true, environment, ..Access::default() };
        let store = Store::connect(&location("s3://b"), &access).unwrap();
        let start = Instant::now();
        assert_eq!(store.list(b"").next().unwrap().unwrap_err().cause, Cause::Timeout, "{kind}");
        assert_eq!(cause(&store, &content), Cause::Timeout, "{kind}");
        assert!(connections.load(Ordering::Relaxed) <= 2, "{kind}");
        assert!(start.elapsed() < Duration::from_secs(20), "{kind}");
    }
}

#[test]
fn what_was_replaced_is_not_read() {
    let (was, is) = (bytes(SIZE), vec![7; SIZE]);
    let (old, new) = (Bucket::with_objects([("k", was.clone())]), Bucket::with_objects([("k", is)]));
    // From the second request on there is another object.
    let server =
        Server::start(move |asked, number| if number < 1 { old.answer(asked) } else { new.answer(asked) });
    assert_eq!(cause(&store(&server), &was), Cause::Changed);
}

#[test]
fn a_server_that_ignores_if_match_is_found_out() {
    let (was, is) = (bytes(SIZE), vec![7; SIZE]);
    let new = Bucket::with_objects([("k", is)]);
    let server = Server::start(move |asked, _| {
        let mut asked: Asked = asked.clone();
        asked.headers.remove("if-match");
        new.answer(&asked)
    });
    assert_eq!(cause(&store(&server), &was), Cause::IgnoresConditions);
}

#[test]
fn a_server_that_ignores_ranges_is_found_out() {
    let content = bytes(SIZE);
    let bucket = Bucket::with_objects([("k", content.clone())]);
    let server = Server::start(move |asked, _| {
        let mut asked: Asked = asked.clone();
        asked.headers.remove("range");
        bucket.answer(&asked)
    });
    assert_eq!(cause(&store(&server), &content), Cause::IgnoresRanges);
    // A server that sends other bytes than it says, too.
    let shifted = content.clone();
    let server = Server::start(move |asked, _| {
        let (start, end) = range_of(&asked.headers["range"], SIZE).unwrap();
        Answer::new(206, shifted[start..end].to_vec())
            .header("etag", etag(&shifted))
            .header("content-range", format!("bytes {}-{}/{SIZE}", start + 1, end))
    });
    assert_eq!(cause(&store(&server), &content), Cause::IgnoresRanges);
}

#[test]
fn another_size_is_a_change() {
    let content = bytes(SIZE);
    let bucket = Bucket::with_objects([("k", content[1..].to_vec())]);
    let tag = etag(&content);
    let server = Server::start(move |asked, _| {
        let mut asked: Asked = asked.clone();
        asked.headers.remove("if-match");
        let mut answer = bucket.answer(&asked);
        answer.headers.retain(|(name, _)| *name != "etag");
        answer.header("etag", &tag)
    });
    assert_eq!(cause(&store(&server), &content), Cause::Changed);
}

#[test]
fn pages_for_people_are_no_objects_and_no_listings() {
    let page = || Answer::new(200, "<!DOCTYPE html><html>Sign in</html>").header("content-type", "text/html");
    let server = Server::start(move |_, _| page());
    let store = store(&server);
    let page = b"<!DOCTYPE html><html>Sign in</html>";
    assert_eq!(cause(&store, &bytes(page.len())), Cause::NotAStore("HTML".into()));
    assert_eq!(store.list(b"").next().unwrap().unwrap_err().cause, Cause::NotAStore("HTML".into()));
    assert!(matches!(store.look(b"k").unwrap_err().cause, Cause::NotAStore(_)));
}

#[test]
fn empty_objects_are_asked_for_too() {
    let bucket = Bucket::with_objects([("k", Vec::new())]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    assert_eq!(read_all(&store.open(object(b"")), 4096).unwrap(), b"");
    assert_eq!(server.count("GET"), 1);
    let gone = Object { key: b"gone".as_slice().into(), ..object(b"") };
    assert_eq!(read_all(&store.open(gone), 4096).unwrap_err().cause, Cause::NotFound);
}
