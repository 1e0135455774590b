//! Messages about refusals, and secrets that must not be in them.

use crate::bucket::{Bucket, SECRET, access, location, store};
use crate::server::{Answer, Server};
use hashmill_store::{Access, Cause, Environment, Store};

fn refusal(answer: Answer) -> (Cause, String) {
    let server = Server::start(move |_, _| answer.clone());
    let error = store(&server).list(b"p/").next().unwrap().unwrap_err();
    assert_eq!(&*error.location, "s3://b/p/");
    let text = error.to_string();
    (error.cause, text)
}

#[test]
fn each_refusal_is_one_clear_line() {
    for (status, code, says) in [
        (403, "AccessDenied", "s3://b/p/: cannot list: access denied (AccessDenied)"),
        (
            403,
            "InvalidAccessKeyId",
            "s3://b/p/: cannot list: the credentials are not accepted (InvalidAccessKeyId): check",
        ),
        (400, "ExpiredToken", "s3://b/p/: cannot list: the credentials have expired: get new ones"),
        (403, "RequestTimeTooSkewed", "s3://b/p/: cannot list: the clock of this machine differs"),
        (404, "NoSuchBucket", "s3://b/p/: cannot list: there is no such bucket"),
        (418, "Teapot", "s3://b/p/: cannot list: answers with status 418 (Teapot)"),
    ] {
        let (_, text) = refusal(Answer::error(status, code));
        assert!(text.starts_with(says) && !text.contains('\n'), "{code}: {text}");
    }
}

#[test]
fn an_object_that_is_refused_says_why_although_a_head_has_no_body() {
    let server = Server::start(|asked, _| match asked.method.as_str() {
        "HEAD" => Answer::new(403, ""),
        _ => Answer::error(403, "SignatureDoesNotMatch"),
    });
    let error = store(&server).look(b"p/a").unwrap_err();
    assert_eq!(error.cause, Cause::Unknown("SignatureDoesNotMatch".into()));
}

#[test]
fn other_regions_are_named() {
    let (cause, text) =
        refusal(Answer::error(301, "PermanentRedirect").header("x-amz-bucket-region", "eu-west-1"));
    assert_eq!(cause, Cause::Region(Some("eu-west-1".into())));
    assert!(text.ends_with("use --region eu-west-1"), "{text}");
}

#[test]
fn nobody_is_followed_elsewhere_with_a_signature() {
    let bucket = Bucket::default();
    let other = Server::start(move |asked, _| bucket.answer(asked));
    let to = format!("{}/b?X-Amz-Signature=abc", other.endpoint());
    let (cause, text) = refusal(Answer::new(307, "").header("location", to));
    assert!(matches!(cause, Cause::Redirect(Some(_))), "{cause:?}");
    assert!(!text.contains("Signature"), "{text}");
    assert_eq!(other.asked().len(), 0);
}

#[test]
fn nothing_is_written_elsewhere() {
    let other = Server::start(|_, _| Answer::new(200, "").header("etag", "\"x\""));
    let to = format!("{}/b/k", other.endpoint());
    let server = Server::start(move |_, _| Answer::new(307, "").header("location", &to));
    let session = [("AWS_SESSION_TOKEN", SECRET)];
    let access = access(&server);
    let variables = [("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"), ("AWS_SECRET_ACCESS_KEY", SECRET)];
    let environment = Environment::from_variables(variables.into_iter().chain(session));
    let store = Store::connect(&location("s3://b"), &Access { environment, ..access }).unwrap();
    let error = store.upload(b"k", &mut b"abc".as_slice(), 3).unwrap_err();
    assert!(!error.to_string().contains(SECRET), "{error}");
    assert_eq!(other.asked().len(), 0, "{:?}", other.asked());
    // The library would write to `k` instead.
    let error = store.upload(b"/k", &mut b"abc".as_slice(), 3).unwrap_err();
    assert_eq!(error.cause, Cause::Unsupported("no object can be written by this key".into()));
}

#[test]
fn what_is_not_there_fails_at_once() {
    let server = Server::start(|_, _| Answer::new(200, ""));
    let access = access(&server);
    // No program gets this port unless it asks for it: other tests can't be listening there.
    let nobody = Access { endpoint: Some("http://127.0.0.1:1".into()), ..access.clone() };
    let store = Store::connect(&location("s3://b"), &nobody).unwrap();
    let error = store.look(b"k").unwrap_err();
    assert_eq!(error.cause.word(), "ECONNREFUSED", "{error}");
    assert!(error.to_string().starts_with("s3://b/k: cannot look it up: no connection: "), "{error}");
    // A server that knows no TLS.
    let endpoint = Some(server.endpoint().replace("http:", "https:"));
    let store = Store::connect(&location("s3://b"), &Access { endpoint, ..access }).unwrap();
    let cause = store.look(b"k").unwrap_err().cause;
    assert!(matches!(cause, Cause::Tls(_)), "{cause:?}");
}

#[test]
fn credentials_are_asked_for_in_words() {
    let environment = Environment::from_variables([("AWS_EC2_METADATA_DISABLED", "true")]);
    let error =
        Store::connect(&location("s3://b"), &Access { environment, ..Access::default() }).unwrap_err();
    let says =
        "s3://b/: cannot connect: no credentials: neither the environment nor a profile has any; set them";
    assert!(error.to_string().starts_with(says), "{error}");
}

#[test]
fn without_credentials_nothing_is_signed() {
    let bucket = Bucket::default();
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let access = Access { anonymous: true, ..access(&server) };
    assert_eq!(Store::connect(&location("s3://b"), &access).unwrap().list(b"").count(), 0);
    assert!(server.asked().iter().all(|asked| !asked.headers.contains_key("authorization")));
    assert_eq!(store(&server).list(b"").count(), 0);
    assert!(
        server.asked()[1].headers["authorization"].starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    );
}

#[test]
fn secrets_are_never_shown() {
    let server = Server::start(|_, _| Answer::error(403, "SignatureDoesNotMatch"));
    let store = store(&server);
    let error = store.look(b"k").unwrap_err();
    for text in [format!("{store:?}"), format!("{error:?} {error}"), format!("{:?}", access(&server))] {
        assert!(!text.contains(SECRET) && !text.contains("AKID"), "{text}");
    }
}
