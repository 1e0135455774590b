//! A store that answers as a case tells it to, and records the requests.

use hashmill_digest::{Digest, find, hash};
use hashmill_testing::Request;
use std::fmt::Write as _;
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// One object.
#[derive(Clone, Default)]
pub struct Thing {
    pub key: String,
    pub body: Vec<u8>,
    /// Without its quotes.
    pub etag: String,
    /// Headers that are there without being asked for.
    pub plain: Vec<(&'static str, String)>,
    /// Headers that come with `x-amz-checksum-mode`.
    pub sums: Vec<(&'static str, String)>,
    /// Lengths of its parts; none if it was uploaded in one piece.
    pub parts: Vec<usize>,
    /// Whether their list is given on request, two at a time.
    pub listed: bool,
    /// Whether requests that need a permission are refused.
    pub denied: bool,
}

/// The store. It runs until the process ends.
pub struct Fake {
    pub address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Thing {
    /// Uploaded in one piece.
    pub fn whole(key: &str, body: impl AsRef<[u8]>) -> Thing {
        let body = body.as_ref().to_vec();
        let etag = hash(find("md5").unwrap(), &body).to_string();
        Thing { key: key.into(), body, etag, ..Thing::default() }
    }

    /// Uploaded in parts of these lengths.
    pub fn parts(key: &str, body: impl AsRef<[u8]>, parts: &[usize]) -> Thing {
        let (body, md5) = (body.as_ref().to_vec(), find("md5").unwrap());
        let (mut digests, mut at) = (Vec::new(), 0);
        for part in parts {
            digests.extend_from_slice(hash(md5, &body[at..at + part]).as_bytes());
            at += part;
        }
        let etag = format!("{}-{}", hash(md5, &digests), parts.len());
        Thing { key: key.into(), body, etag, parts: parts.to_vec(), ..Thing::default() }
    }

    /// Returns a checksum of all bytes beside it.
    pub fn sum(mut self, header: &'static str, algorithm: &str) -> Thing {
        let digest = hash(find(algorithm).unwrap(), &self.body);
        self.sums.push((header, base64(&digest)));
        self.sums.push(("x-amz-checksum-type", "FULL_OBJECT".into()));
        self
    }

    /// Encrypted with a key of the customer's: its entity tag is no digest.
    pub fn sealed(mut self) -> Thing {
        self.etag = hash(find("md5").unwrap(), b"something else").to_string();
        self.plain.push(("x-amz-server-side-encryption", "aws:kms".into()));
        self
    }

    /// In the store of another maker, with an entity tag of 32 digits that is no digest.
    pub fn foreign(mut self) -> Thing {
        self.etag = hash(find("md5").unwrap(), b"something else").to_string();
        self.plain.push(("server", "Ceph Object Gateway".into()));
        self
    }

    pub fn listed(self) -> Thing {
        Thing { listed: true, ..self }
    }

    pub fn denied(self) -> Thing {
        Thing { denied: true, ..self }
    }
}

fn base64(digest: &Digest) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in digest.as_bytes().chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

impl Fake {
    /// Starts a store with one bucket, `b`.
    pub fn start(things: Vec<Thing>) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (things, log) = (Arc::new(things), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (things, log) = (Arc::clone(&things), Arc::clone(&log));
                thread::spawn(move || while answer(&stream, &things, &log).is_some() {});
            }
        });
        Fake { address, asked }
    }

    /// Returns the number of requests so far, by kind.
    pub fn asked(&self) -> Vec<(String, usize)> {
        let asked = self.asked.lock().unwrap();
        let mut kinds: Vec<String> = asked.clone();
        kinds.sort();
        kinds.dedup();
        kinds
            .into_iter()
            .map(|kind| (kind.clone(), asked.iter().filter(|one| **one == kind).count()))
            .collect()
    }
}

/// Answers one request; none at the end of the connection.
fn answer(mut stream: &TcpStream, things: &[Thing], log: &Mutex<Vec<String>>) -> Option<()> {
    let request = Request::read(&mut BufReader::new(stream.try_clone().ok()?))?;
    let method = request.method.as_str();
    let (path, query) = request.path_and_query();
    let key = path.strip_prefix("/b/").unwrap_or_default();
    let header = |name: &str| request.header(name);
    let reply = match things.iter().find(|thing| escaped(&thing.key) == key && !key.is_empty()) {
        _ if query.contains("list-type=2") => {
            log.lock().unwrap().push("list".into());
            list(things, query)
        }
        None => reply(404, &[], b""),
        Some(thing) => {
            let kind = match (method, query.contains("partNumber"), header("x-amz-checksum-mode")) {
                ("HEAD", true, _) => "part",
                ("HEAD", _, Some(_)) => "sums",
                ("HEAD", _, None) => "head",
                _ if query.starts_with("attributes") => "attributes",
                _ => "get",
            };
            log.lock().unwrap().push(kind.into());
            match kind {
                "attributes" => attributes(thing, header("x-amz-part-number-marker")),
                _ => object(thing, kind, query, header("range")),
            }
        }
    };
    let body = if method == "HEAD" { &reply.0[..reply.1] } else { &reply.0[..] };
    stream.write_all(body).ok()
}

/// Returns a key as it stands in a path.
fn escaped(key: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
    key.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn list(things: &[Thing], query: &str) -> (Vec<u8>, usize) {
    let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult><Name>b</Name>\
         <EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>",
    );
    let mut there: Vec<&Thing> = things.iter().collect();
    there.sort_by(|one, other| one.key.cmp(&other.key));
    for thing in there {
        if escaped(&thing.key).replace('/', "%2F").starts_with(&prefix.replace('/', "%2F")) {
            let (key, size, etag) = (escaped(&thing.key), thing.body.len(), &thing.etag);
            write!(
                xml,
                "<Contents><Key>{key}</Key><LastModified>2026-11-22T20:00:00.000Z</LastModified>\
                 <ETag>&quot;{etag}&quot;</ETag><Size>{size}</Size></Contents>"
            )
            .unwrap();
        }
    }
    xml.push_str("</ListBucketResult>");
    reply(200, &[("content-type", "application/xml".into())], xml.as_bytes())
}

fn object(thing: &Thing, kind: &str, query: &str, range: Option<&str>) -> (Vec<u8>, usize) {
    if thing.denied && matches!(kind, "sums" | "part") {
        return reply(403, &[], b"");
    }
    let mut headers: Vec<(&str, String)> = vec![
        ("etag", format!("\"{}\"", thing.etag)),
        ("last-modified", "Sun, 22 Nov 2026 20:00:00 GMT".into()),
        ("accept-ranges", "bytes".into()),
    ];
    headers.extend(thing.plain.iter().cloned());
    if headers.iter().all(|(name, _)| *name != "server") {
        headers.push(("server", "AmazonS3".into()));
    }
    if kind == "sums" {
        headers.extend(thing.sums.iter().cloned());
    }
    let number = query.split('&').find_map(|pair| pair.strip_prefix("partNumber=")?.parse::<usize>().ok());
    if let Some(number) = number {
        let length = thing.parts.get(number - 1).copied().unwrap_or(thing.body.len());
        if !thing.parts.is_empty() {
            headers.push(("x-amz-mp-parts-count", thing.parts.len().to_string()));
        }
        return reply(206, &headers, &thing.body[..length]);
    }
    let wanted = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    if let Some((from, to)) = wanted.filter(|_| !thing.body.is_empty()) {
        let from: usize = from.parse().unwrap();
        let to = to.parse().unwrap_or(usize::MAX).min(thing.body.len() - 1);
        headers.push(("content-range", format!("bytes {from}-{to}/{}", thing.body.len())));
        return reply(206, &headers, &thing.body[from..=to]);
    }
    reply(200, &headers, &thing.body)
}

/// Returns the lengths of two parts behind this one.
fn attributes(thing: &Thing, behind: Option<&str>) -> (Vec<u8>, usize) {
    if !thing.listed || thing.denied {
        return reply(403, &[], b"");
    }
    let behind: usize = behind.and_then(|number| number.parse().ok()).unwrap_or(0);
    let mut xml = String::from("<GetObjectAttributesResponse><ObjectParts>");
    for (place, size) in thing.parts.iter().enumerate().skip(behind).take(2) {
        write!(xml, "<Part><PartNumber>{}</PartNumber><Size>{size}</Size></Part>", place + 1).unwrap();
    }
    let more = behind + 2 < thing.parts.len();
    write!(
        xml,
        "<IsTruncated>{more}</IsTruncated><NextPartNumberMarker>{}</NextPartNumberMarker>",
        behind + 2
    )
    .unwrap();
    xml.push_str("</ObjectParts></GetObjectAttributesResponse>");
    reply(200, &[], xml.as_bytes())
}

/// Returns the answer, and where its body begins.
fn reply(status: u16, headers: &[(&str, String)], body: &[u8]) -> (Vec<u8>, usize) {
    let mut text = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        write!(text, "{name}: {value}\r\n").unwrap();
    }
    text.push_str("\r\n");
    let head = text.len();
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    (bytes, head)
}
