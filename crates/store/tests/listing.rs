//! Keys of every kind, in their order.

use crate::bucket::{Bucket, store};
use crate::server::{Answer, Server};
use hashmill_store::{Below, Cause, RequestKind};

fn keys(listed: impl Iterator<Item = Result<hashmill_store::Object, hashmill_store::Error>>) -> Vec<String> {
    listed.map(|object| String::from_utf8(object.unwrap().key.to_vec()).unwrap()).collect()
}

#[test]
fn all_keys_come_in_order_page_by_page() {
    let odd = ["a//b", "a/../b", "/", "//x", "ä/ö", "\u{1}\u{2}", "a b+c%20", "<&>\"'", "k\u{202e}txt", " "];
    let long = "x".repeat(1024);
    let all = odd.into_iter().chain([long.as_str()]).map(|key| (key, key.as_bytes().to_vec()));
    let bucket = Bucket::with_objects(all);
    let wanted: Vec<String> = bucket.objects.keys().cloned().collect();
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    assert_eq!(keys(store.list(b"")), wanted);
    assert_eq!(store.counts().count(RequestKind::List), 6, "11 keys, two to a page");
    assert_eq!(keys(store.list(b"a/")), ["a/../b", "a//b"]);
    // Every one of them can be read.
    for object in store.list(b"") {
        let object = object.unwrap();
        let (key, mut buffer) = (object.key.clone(), vec![0; 2000]);
        let read = store.open(object).read_at(0, &mut buffer).unwrap();
        assert_eq!(&buffer[..read], &*key);
    }
}

#[test]
fn an_empty_bucket_has_no_keys() {
    let server = Server::start(|asked, _| Bucket { page: 5, ..Bucket::default() }.answer(asked));
    assert_eq!(store(&server).list(b"").count(), 0);
}

fn listing(pages: &'static [&'static str]) -> Vec<Result<String, Cause>> {
    let server = Server::start(|_, number| {
        let (keys, next) = pages[number.min(pages.len() - 1)].split_once('>').unwrap();
        let contents: String = keys
            .split_whitespace()
            .map(|key| format!("<Contents><Key>{key}</Key><Size>1</Size></Contents>"))
            .collect();
        let next = if next.is_empty() {
            String::new()
        } else {
            format!("<NextContinuationToken>{next}</NextContinuationToken>")
        };
        let more = !next.is_empty();
        let text = format!(
            "<ListBucketResult><Name>b</Name><IsTruncated>{more}</IsTruncated>{contents}{next}</ListBucketResult>"
        );
        Answer::new(200, text)
    });
    let one = |object: Result<hashmill_store::Object, hashmill_store::Error>| match object {
        Ok(object) => Ok(String::from_utf8_lossy(&object.key).into_owned()),
        Err(error) => Err(error.cause),
    };
    store(&server).list(b"").map(one).collect()
}

#[test]
fn keys_out_of_order_are_noticed() {
    assert_eq!(listing(&["a c b>"]), [Ok("a".into()), Ok("c".into()), Err(Cause::Unordered)]);
    assert_eq!(listing(&["a>t", "a>"]), [Ok("a".into()), Err(Cause::Unordered)]);
}

#[test]
fn keys_that_come_twice_are_noticed_however_they_are_written() {
    assert_eq!(listing(&["a a>"]), [Ok("a".into()), Err(Cause::Unordered)]);
    assert_eq!(listing(&["a>t", "a>u", "a>"]), [Ok("a".into()), Err(Cause::Unordered)]);
    // Several spellings of one key, where keys are escaped.
    let server = Server::start(|_, _| {
        let keys = ["a%2Fb", "a/b", "a%2fb"]
            .map(|key| format!("<Contents><Key>{key}</Key><Size>1</Size></Contents>"));
        let page = format!(
            "<ListBucketResult><Name>b</Name><EncodingType>url</EncodingType>{}</ListBucketResult>",
            keys.concat()
        );
        Answer::new(200, page)
    });
    let met: Vec<_> = store(&server).list(b"").map(|object| object.map_err(|error| error.cause)).collect();
    assert!(matches!(&met[..], [Ok(_), Err(Cause::Unordered)]), "{met:?}");
    let met: Vec<_> = store(&server).level(b"").map(|below| below.map_err(|error| error.cause)).collect();
    assert!(matches!(&met[..], [Ok(_), Err(Cause::Unordered)]), "{met:?}");
}

#[test]
fn tokens_that_lead_nowhere_end_in_an_error() {
    let page = |token: &str| {
        format!(
            "<ListBucketResult><Name>b</Name><IsTruncated>true</IsTruncated>{token}\
             <Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>"
        )
    };
    for token in ["", "<NextContinuationToken></NextContinuationToken>", "<NextContinuationToken/>"] {
        let page = page(token);
        let server = Server::start(move |_, _| Answer::new(200, page.clone()));
        let met: Vec<_> =
            store(&server).list(b"").map(|object| object.map_err(|error| error.cause)).collect();
        assert!(matches!(met.last(), Some(Err(Cause::Malformed(_) | Cause::Unordered))), "{token}: {met:?}");
        assert!(server.count("GET") < 5, "{token}");
    }
}

#[test]
fn sizes_that_can_t_be_are_no_harm() {
    let server = Server::start(|asked, _| {
        if asked.query.contains_key("list-type") {
            let keys = ["a", "b"]
                .map(|key| format!("<Contents><Key>{key}</Key><Size>{}</Size></Contents>", u64::MAX));
            let page = format!("<ListBucketResult><Name>b</Name>{}</ListBucketResult>", keys.concat());
            return Answer::new(200, page);
        }
        // As long as requested, or shorter than it says.
        Answer { status: 206, cut: Some(1), ..Answer::new(206, "abc") }
            .header("content-range", format!("bytes 0-2/{}", u64::MAX))
            .header("last-modified", "Sun, 22 Nov 2026 20:00:00 GMT")
    });
    let store = store(&server);
    for object in store.list(b"") {
        let object = object.unwrap();
        assert_eq!(object.size, u64::MAX);
        let mut buffer = vec![0; 100];
        assert!(store.open(object).read_at(0, &mut buffer).is_err());
    }
}

#[test]
fn a_listing_that_goes_round_in_circles_ends() {
    let met = listing(&["a>t", "b>t", "c>t"]);
    assert!(matches!(met.last(), Some(Err(Cause::Malformed(_)))), "{met:?}");
}

#[test]
fn a_listing_of_empty_pages_ends() {
    let server = Server::start(|_, number| {
        Answer::new(
            200,
            format!(
                "<ListBucketResult><Name>b</Name><IsTruncated>true</IsTruncated>\
                 <NextContinuationToken>t{number}</NextContinuationToken></ListBucketResult>"
            ),
        )
    });
    let met: Vec<_> = store(&server).list(b"").map(|object| object.unwrap_err().cause).collect();
    assert_eq!(met, [Cause::Malformed("a listing has no end and no objects".into())]);
}

#[test]
fn keys_that_nobody_asked_for_are_refused() {
    let bucket = Bucket::with_objects([("a", Vec::new()), ("b", Vec::new())]);
    // A server that ignores the prefix.
    let server = Server::start(move |asked, _| {
        let mut asked = asked.clone();
        asked.query.remove("prefix");
        bucket.answer(&asked)
    });
    let first = store(&server).list(b"b").next().unwrap();
    assert!(matches!(first.unwrap_err().cause, Cause::Malformed(_)));
}

#[test]
fn a_level_has_its_objects_and_its_folders() {
    let keys = ["a", "b/1", "b/2", "b/c/3", "d", "e/4", "e//5"];
    let mut bucket = Bucket::with_objects(keys.map(|key| (key, Vec::new())));
    bucket.page = 1;
    let server = Server::start(move |asked, _| bucket.answer(asked));
    let store = store(&server);
    let level = |prefix: &[u8]| {
        let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
        let one = |below: Result<Below, _>| match below.unwrap() {
            Below::Object(object) => (text(&object.key), false),
            Below::Folder(folder) => (text(&folder), true),
        };
        store.level(prefix).map(one).collect::<Vec<(String, bool)>>()
    };
    let named =
        |found: &[(&str, bool)]| found.iter().map(|(key, is)| ((*key).to_owned(), *is)).collect::<Vec<_>>();
    assert_eq!(level(b""), named(&[("a", false), ("b/", true), ("d", false), ("e/", true)]));
    assert_eq!(level(b"b/"), named(&[("b/1", false), ("b/2", false), ("b/c/", true)]));
    assert_eq!(level(b"e/"), named(&[("e//", true), ("e/4", false)]));
    assert_eq!(level(b"x/"), named(&[]));
}

#[test]
fn a_level_of_a_bucket_that_is_not_there_says_so() {
    let server = Server::start(|_, _| Answer::error(404, "NoSuchBucket"));
    let met: Vec<_> = store(&server).level(b"").map(|below| below.unwrap_err().cause).collect();
    assert_eq!(met, [Cause::NoBucket]);
}
