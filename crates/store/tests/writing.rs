//! Objects that are written, whole and in parts: the requests of each provider, and their conditions.

use crate::server::{Answer, Asked, Server};
use hashmill_store::{Access, Cause, Environment, Location, Object, Replace, Store};

/// Returns a store at a server: anonymous where that is possible.
fn store(location: &str, server: &Server) -> Store {
    let variables = [
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AZURE_STORAGE_ACCOUNT", "account"),
        ("AZURE_STORAGE_KEY", "c2VjcmV0"),
    ];
    let access = Access {
        endpoint: Some(server.endpoint()),
        anonymous: location.starts_with("gs:"),
        environment: Environment::from_variables(variables),
        ..Access::default()
    };
    Store::connect(&Location::parse(location.as_bytes()).unwrap().unwrap(), &access).unwrap()
}

/// Returns the requests in a short form.
fn lines(server: &Server) -> Vec<String> {
    let line = |asked: &Asked| {
        let mut names: Vec<String> = asked.query.keys().cloned().collect();
        names.sort();
        format!("{} {} {}", asked.method, asked.path, names.join(","))
    };
    server.asked().iter().map(line).collect()
}

const GOOGLE: &str =
    r#"{"name":"k","size":"3","etag":"CI=","generation":"7","md5Hash":"kAFQmDzST7DWlj99KOF/cg=="}"#;

#[test]
fn small_objects_are_one_request_with_a_condition() {
    let server = Server::start(|asked, _| match asked.headers.get("if-none-match") {
        Some(_) if asked.path.ends_with("taken") => Answer::error(412, "PreconditionFailed"),
        _ => Answer::new(200, "").header("etag", "\"e\"").header("x-amz-checksum-sha256", "s="),
    });
    let s3 = store("s3://b/", &server);
    let object = s3.put(b"a b/k", b"abc".to_vec(), Some("s="), Replace::Never).unwrap();
    assert_eq!((object.size, object.etag.as_deref()), (3, Some("\"e\"")));
    assert_eq!(object.stored("x-amz-checksum-sha256"), Some("s="));
    let asked = &server.asked()[0];
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str(), &*asked.body),
        ("PUT", "/b/a%20b/k", &b"abc"[..])
    );
    assert_eq!(asked.headers["x-amz-checksum-sha256"], "s=");
    assert_eq!(asked.headers["if-none-match"], "*");
    let taken = s3.put(b"taken", b"abc".to_vec(), None, Replace::Never).unwrap_err();
    assert_eq!(taken.cause, Cause::Changed);
    s3.put(b"taken", b"abc".to_vec(), None, Replace::Always).unwrap();
    let azure = store("az://c/", &server);
    azure.put(b"k", b"abc".to_vec(), None, Replace::Never).unwrap();
    let asked = &server.asked()[3];
    assert_eq!(asked.path, "/account/c/k");
    assert_eq!((&*asked.headers["x-ms-blob-type"], &*asked.headers["if-none-match"]), ("BlockBlob", "*"));
}

#[test]
fn google_has_its_own_conditions() {
    let server = Server::start(|_, _| Answer::new(200, GOOGLE));
    let object = store("gs://b/", &server).put(b"k", b"abc".to_vec(), None, Replace::Never).unwrap();
    assert_eq!((object.version.as_deref(), object.stored("md5Hash").is_some()), (Some("7"), true));
    assert_eq!(lines(&server), ["POST /upload/storage/v1/b/b/o ifGenerationMatch,name,uploadType"]);
}

#[test]
fn a_store_without_conditions_is_asked_before() {
    let server =
        Server::start(|asked, _| match (asked.method.as_str(), asked.headers.get("if-none-match")) {
            (_, Some(_)) => Answer::error(501, "NotImplemented"),
            ("HEAD", _) if asked.path.ends_with("new") => Answer::error(404, "NoSuchKey"),
            _ => Answer::new(200, "").header("etag", "\"e\""),
        });
    let s3 = store("s3://b/", &server);
    s3.put(b"new", b"abc".to_vec(), None, Replace::Never).unwrap();
    assert_eq!(s3.put(b"old", b"abc".to_vec(), None, Replace::Never).unwrap_err().cause, Cause::Changed);
    assert_eq!(lines(&server), ["PUT /b/new ", "HEAD /b/new ", "PUT /b/new ", "PUT /b/old ", "HEAD /b/old "]);
}

#[test]
fn parts_become_an_object_at_the_end() {
    let server = Server::start(|asked, _| match asked.method.as_str() {
        "POST" if asked.query.contains_key("uploads") => Answer::new(
            200,
            "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>",
        ),
        "POST" => Answer::new(
            200,
            "<CompleteMultipartUploadResult><ETag>&quot;x-2&quot;</ETag></CompleteMultipartUploadResult>",
        ),
        "HEAD" => Answer::error(404, "NoSuchKey"),
        "GET" => Answer::error(404, "notFound"),
        _ => Answer::new(200, "").header("etag", "\"p\""),
    });
    for (location, path) in [("s3://b/", "/b/k"), ("gs://b/", "/b/k")] {
        let upload = store(location, &server).begin(b"k").unwrap();
        let parts = vec![upload.send(2, b"c".to_vec()).unwrap(), upload.send(1, b"ab".to_vec()).unwrap()];
        let object = upload.complete(parts, Replace::Never).unwrap();
        assert_eq!((object.size, object.etag.as_deref()), (3, Some("\"x-2\"")), "{location}");
        upload.abort().unwrap();
        let asked = server.asked();
        let done = asked.iter().rfind(|asked| asked.body.starts_with(b"<Complete")).unwrap();
        let (body, is_s3) = (String::from_utf8_lossy(&done.body).into_owned(), location.starts_with("s3"));
        let first = body.find("<PartNumber>1<").unwrap();
        assert!(first < body.find("<PartNumber>2<").unwrap(), "{body}");
        assert_eq!(body.contains("<ChecksumSHA256>"), is_s3, "{body}");
        assert_eq!(done.headers.contains_key("if-none-match"), is_s3);
        assert!(asked.iter().filter(|asked| asked.method == "PUT").all(|asked| asked.path == path));
        let ended = asked.last().unwrap();
        assert_eq!((ended.method.as_str(), &*ended.query["uploadId"]), ("DELETE", "u"));
    }
}

#[test]
fn blocks_of_azure_are_listed_in_their_order() {
    let server = Server::start(|_, _| Answer::new(201, "").header("etag", "\"e\""));
    let upload = store("az://c/", &server).begin(b"k").unwrap();
    let parts = vec![upload.send(2, b"c".to_vec()).unwrap(), upload.send(1, b"ab".to_vec()).unwrap()];
    assert_eq!(upload.complete(parts, Replace::Never).unwrap().size, 3);
    upload.abort().unwrap();
    let asked = server.asked();
    assert_eq!(lines(&server)[2], "PUT /account/c/k comp");
    let body = String::from_utf8_lossy(&asked[2].body).into_owned();
    let blocks = "<BlockList><Uncommitted>000000000001</Uncommitted><Uncommitted>000000000002</Uncommitted></BlockList>";
    assert!(body.ends_with(blocks), "{body}");
    assert_eq!((asked.len(), &*asked[2].headers["if-none-match"]), (3, "*"));
}

#[test]
fn only_what_was_written_is_removed() {
    let server = Server::start(|asked, _| match asked.method.as_str() {
        "HEAD" => Answer::new(200, "").header("etag", "\"now\""),
        _ => Answer::new(204, ""),
    });
    let s3 = store("s3://b/", &server);
    let object = |etag: &str, version: Option<&str>| Object {
        key: b"k".as_slice().into(),
        etag: Some(etag.into()),
        version: version.map(Box::from),
        ..Object::default()
    };
    assert_eq!(s3.remove(&object("\"was\"", None)).unwrap_err().cause, Cause::Changed);
    s3.remove(&object("\"now\"", None)).unwrap();
    s3.remove(&object("\"was\"", Some("7"))).unwrap();
    assert_eq!(lines(&server), ["HEAD /b/k ", "HEAD /b/k ", "DELETE /b/k ", "DELETE /b/k versionId"]);
    assert_eq!(server.asked()[2].headers["if-match"], "\"now\"");
}

#[test]
fn keys_that_no_store_has_are_refused() {
    let server = Server::start(|_, _| Answer::new(500, ""));
    let stores = ["s3://b/", "gs://b/", "az://c/"].map(|location| store(location, &server));
    let long = vec![b'k'; 1025];
    for key in [b"a//b".as_slice(), b"a/", b"/a", b"a/../b", b"./a", b"\xff", b"", &long] {
        assert!(stores.iter().all(|store| store.refusal_of(key).is_some()), "{}", key.escape_ascii());
    }
    for (key, refused) in
        [(b"a/b c".as_slice(), [false; 3]), (b"a./b", [false, false, true]), (b"a\nb", [false, true, false])]
    {
        let found = stores.each_ref().map(|store| store.refusal_of(key).is_some());
        assert_eq!(found, refused, "{}", key.escape_ascii());
    }
    assert!(server.asked().is_empty());
}
