//! Keys with `.` and `..` between slashes, which clients and servers resolve.

use crate::bucket::{Bucket, location, read_all, store};
use crate::server::{Asked, Server, unescaped};
use hashmill_store::{Cause, Request, RequestKind};
use std::io::Cursor;

const KEYS: [&str; 8] = ["a/../b", "a/./b", "../b", "./b", "b/.", "b/..", "x/../../b", "a//../b"];

/// A bucket in which each key is its object's content, and `b` lies where most of them lead to.
fn bucket() -> Bucket {
    Bucket::with_objects(KEYS.into_iter().chain(["b"]).map(|key| (key, key.as_bytes().to_vec())))
}

/// Returns the request as it reaches servers that resolve the dots in paths.
fn resolved(asked: &Asked, keeps_conditions: bool) -> Asked {
    let path = unescaped(&asked.path);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            // Not above the bucket.
            ".." => parts.truncate((parts.len() - 1).max(1)),
            part => parts.push(part),
        }
    }
    let mut asked = Asked { path: format!("/{}", parts.join("/")), ..asked.clone() };
    if !keeps_conditions {
        asked.headers.remove("if-match");
    }
    asked
}

#[test]
fn they_are_read_as_they_are() {
    let bucket = bucket();
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    for key in KEYS {
        let object = store.look(key.as_bytes()).unwrap();
        assert_eq!(read_all(&store.open(object), 100).unwrap(), key.as_bytes(), "{key}");
    }
    assert_eq!(store.counts().count(RequestKind::Head), 0);
    assert_eq!(store.look(b"a/../none").unwrap_err().cause, Cause::NotFound);
    assert_eq!(store.look(b"a/..").unwrap_err().cause, Cause::NotFound);
}

#[test]
fn never_is_another_object_read_for_them() {
    for keeps_conditions in [true, false] {
        let bucket = bucket();
        let server = Server::start(move |asked, _| bucket.answer(&resolved(asked, keeps_conditions)));
        let store = store(&server);
        for key in KEYS {
            let object = store.look(key.as_bytes()).unwrap();
            let error = read_all(&store.open(object), 100).unwrap_err();
            // The last of them leads to the bucket.
            let told = matches!(error.cause, Cause::DotSegment | Cause::NotAStore(_));
            assert!(told, "{key}: {error}");
            assert!(error.to_string().contains(key), "{error}");
        }
    }
}

#[test]
fn nothing_else_is_asked_or_written_by_them() {
    let bucket = bucket();
    let server = Server::start(move |asked, _| bucket.answer(&resolved(asked, true)));
    let store = store(&server);
    let head = Request::of_object(RequestKind::Head, http::Method::HEAD, b"a/../b");
    assert_eq!(store.send(&head).unwrap_err().cause, Cause::DotSegment);
    let version = location("s3://b/a/../b?versionId=1");
    assert_eq!(store.find(&version).unwrap_err().cause, Cause::DotSegment);
    assert!(store.upload(b"a/../b", &mut Cursor::new(b"x"), 1).is_err());
    assert_eq!(server.asked().len(), 0);
}
