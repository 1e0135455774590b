//! Files of web servers.

use crate::bucket::{Bucket, bytes, location, read_all};
use crate::server::{Answer, Asked, Server};
use hashmill_store::{Access, Cause, Delivery, Environment, Object, Store};

fn connect(server: &Server, path: &str) -> (Store, Result<Object, Cause>) {
    let location = location(&format!("{}/{path}", server.endpoint()));
    let store = Store::connect(
        &location,
        &Access { environment: Environment::from_variables([]), ..Access::default() },
    )
    .unwrap();
    let looked = store.find(&location).map_err(|error| error.cause);
    (store, looked)
}

#[test]
fn files_are_read_by_ranges() {
    let content = bytes(9 << 20);
    let bucket = Bucket::with_objects([("f.iso", content.clone())]);
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let (store, object) = connect(&server, "b/f.iso");
    let object = object.unwrap();
    assert_eq!((object.size, object.modified.0), (9 << 20, 1_795_377_600));
    assert!(read_all(&store.open(object), 256 << 10).unwrap() == content);
    assert!(server.asked().iter().skip(1).all(|asked| asked.headers.contains_key("if-match")));
}

#[test]
fn empty_files_and_servers_without_ranges_are_read() {
    for size in [0, 1, 100_000, 9 << 20] {
        let content = bytes(size);
        let sent = content.clone();
        let server = Server::start(move |_, _| Answer::new(200, sent.clone()));
        let (store, object) = connect(&server, "f");
        let object = object.unwrap();
        assert_eq!((object.size, object.delivery), (size as u64, Delivery::Whole));
        let opened = store.open(object);
        assert!(read_all(&opened, 200_000).unwrap() == content);
        assert_eq!(server.asked().len(), 2, "it is sent once");
        // A read that goes back gets the same bytes.
        assert!(read_all(&opened, 70_000).unwrap() == content);
    }
    let bucket = Bucket::with_objects([("f", Vec::new())]);
    let server = Server::start(move |asked, _| match asked.headers.contains_key("range") {
        true => Answer::new(416, "").header("content-range", "bytes */0"),
        false => bucket.answer(asked),
    });
    assert_eq!(connect(&server, "b/f").1.unwrap().size, 0);
}

#[test]
#[ignore = "campaign: takes long"]
fn what_comes_whole_goes_on_where_it_was_cut() {
    let content = bytes(3 << 20);
    let sent = content.clone();
    let server = Server::start(move |_, number| {
        let cut = (number == 1).then_some(1_000_000);
        Answer { cut, ..Answer::new(200, sent.clone()) }
    });
    let (store, object) = connect(&server, "f");
    assert!(read_all(&store.open(object.unwrap()), 64 << 10).unwrap() == content);
    assert_eq!((server.asked().len(), store.counts().retries), (3, 1));
    // An answer that is always cut there has no end.
    let sent = content.clone();
    let server = Server::start(move |_, _| Answer { cut: Some(10), ..Answer::new(200, sent.clone()) });
    let (store, object) = connect(&server, "f");
    assert!(matches!(read_all(&store.open(object.unwrap()), 99).unwrap_err().cause, Cause::Connection(..)));
    // A file that has another length by now is another file.
    let server = Server::start(move |_, number| Answer::new(200, bytes(if number == 0 { 50 } else { 40 })));
    let (store, object) = connect(&server, "f");
    assert_eq!(read_all(&store.open(object.unwrap()), 99).unwrap_err().cause, Cause::Changed);
}

#[test]
fn files_of_unknown_length_are_read_to_their_end() {
    for size in [0, 5, 3 << 20] {
        let server =
            Server::start(move |_, _| Answer { unsized_body: true, ..Answer::new(200, bytes(size)) });
        let (store, object) = connect(&server, "f");
        let object = object.unwrap();
        assert_eq!((object.size, object.delivery), (0, Delivery::Unsized));
        // Where the size must be known, it is refused.
        assert!(matches!(store.look(&object.key).unwrap_err().cause, Cause::Unsupported(_)));
        let opened = store.open(object);
        assert!(read_all(&opened, 64 << 10).unwrap() == bytes(size));
        assert_eq!(opened.read_at(size as u64, &mut [0; 9]).unwrap(), 0);
    }
}

#[test]
fn a_range_of_an_unknown_length_is_read_as_a_whole() {
    let server = Server::start(move |asked, _| match asked.headers.contains_key("range") {
        true => Answer::new(206, "a").header("content-range", "bytes 0-0/*"),
        false => Answer::new(200, "abc"),
    });
    let (store, object) = connect(&server, "f");
    let object = object.unwrap();
    assert_eq!(object.delivery, Delivery::Unsized);
    assert_eq!(read_all(&store.open(object), 9).unwrap(), b"abc");
}

#[test]
fn redirects_are_followed_and_missing_files_are_told() {
    let bucket = Bucket::with_objects([("f", b"abc".to_vec())]);
    let server = Server::start(move |asked: &Asked, _| match asked.path.as_str() {
        "/old" => Answer::new(302, "").header("location", "/b/f"),
        _ => bucket.answer(asked),
    });
    let (store, object) = connect(&server, "old");
    assert_eq!(read_all(&store.open(object.unwrap()), 9).unwrap(), b"abc");
    assert_eq!(connect(&server, "b/none").1, Err(Cause::NotFound));
    let listed = store.list(b"").next().unwrap();
    assert!(matches!(listed.unwrap_err().cause, Cause::Unsupported(_)));
}

/// Follows a redirect to an address: the outcome, the requests that the other server got, and the first server.
fn redirected(to: impl Fn(&Server) -> String) -> (Result<Object, Cause>, Vec<Asked>, Server) {
    let bucket = Bucket::with_objects([("f", b"abc".to_vec())]);
    let other = Server::start(move |asked, _| bucket.answer(asked));
    let to = to(&other);
    let server = Server::start(move |_, _| Answer::new(302, "").header("location", &to));
    let looked = connect(&server, "old?X-Amz-Signature=s3cr3t").1;
    (looked, other.asked(), server)
}

#[test]
fn a_redirect_takes_no_secret_along() {
    let (looked, asked, server) = redirected(|other| format!("{}/b/f", other.endpoint()));
    assert_eq!(looked.unwrap().size, 3);
    assert!(server.asked()[0].query.contains_key("X-Amz-Signature"));
    assert_eq!(asked.len(), 1);
    for header in ["referer", "authorization", "cookie"] {
        assert!(!asked[0].headers.contains_key(header), "{:?}", asked[0]);
    }
    assert!(!format!("{:?}", asked[0]).contains("s3cr3t"));
}

#[test]
fn redirects_to_worse_places_end_at_once() {
    for to in [
        "file:///etc/passwd",
        "ftp://127.0.0.1/f",
        "gopher://127.0.0.1/f",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fe80::1]/",
        "http://me:s3cr3t@127.0.0.1:1/f",
        "http://",
        "/old",
    ] {
        let (looked, _, server) = redirected(|_| to.to_owned());
        let cause = looked.unwrap_err();
        assert!(server.asked().len() <= 11, "{to}: {} requests", server.asked().len());
        let text = cause.to_string();
        assert!(text.contains("redirects") || text.contains("sends"), "{to}: {text}");
        assert!(!text.contains("s3cr3t") && !text.contains('\n'), "{to}: {text}");
    }
}

#[test]
fn a_file_without_etag_must_keep_its_time() {
    let server = Server::start(|asked, number| {
        let time = if number < 1 { "Sun, 22 Nov 2026 20:00:00 GMT" } else { "Sun, 22 Nov 2026 20:00:01 GMT" };
        let status = if asked.headers.contains_key("range") { 206 } else { 200 };
        Answer::new(status, "abc").header("last-modified", time).header("content-range", "bytes 0-0/3")
    });
    let (store, object) = connect(&server, "f");
    assert_eq!(read_all(&store.open(object.unwrap()), 9).unwrap_err().cause, Cause::Changed);
}
