//! A store with the interface of S3 that takes objects, whole and in parts, and fails as a case tells it to. It ends with the
//! process.

use hashmill_digest::{find, hash};
use hashmill_testing::Request;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The objects of a page of a listing.
const PAGE: usize = 1000;

/// A store with the bucket `b`.
#[derive(Clone, Default)]
pub struct Keeper(Arc<Inner>);

/// The parts of an upload by their numbers.
type Parts = BTreeMap<u32, Vec<u8>>;

#[derive(Default)]
struct Inner {
    address: Mutex<String>,
    objects: Mutex<BTreeMap<String, Kept>>,
    uploads: Mutex<BTreeMap<String, Parts>>,
    /// The requests: method, key, and names of the query.
    log: Mutex<Vec<String>>,
    faults: Mutex<Vec<Fault>>,
    /// Entity tags are no digests, and there are no checksums.
    is_sealed: AtomicBool,
    /// Listings leave all objects out.
    hides: AtomicBool,
    /// Conditions are refused as not implemented.
    lacks_conditions: AtomicBool,
    pause: Mutex<Duration>,
    under_way: AtomicUsize,
    most: AtomicUsize,
    begun: AtomicUsize,
}

#[derive(Clone)]
struct Kept {
    body: Vec<u8>,
    etag: String,
}

/// A way to go wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// The bytes that are kept have one other bit.
    Flip,
    /// The answer has this status.
    Status(u16),
    /// The connection ends without an answer.
    Cut,
    /// No answer comes, ever.
    Hold,
}

/// A fault of all requests that begin so: `PUT b/key`, `PUT b/key?partNumber`.
struct Fault {
    begins: String,
    does: Does,
}

/// A request.
struct Asked {
    method: String,
    key: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Keeper {
    pub fn start() -> Keeper {
        let keeper = Keeper::default();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        *keeper.0.address.lock().unwrap() = format!("http://{}", listener.local_addr().unwrap());
        let inner = Arc::clone(&keeper.0);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let inner = Arc::clone(&inner);
                thread::spawn(move || while inner.serve(&stream).is_some() {});
            }
        });
        keeper
    }

    pub fn address(&self) -> String {
        self.0.address.lock().unwrap().clone()
    }

    /// Entity tags are no digests from now on, and there are no checksums.
    pub fn seal(&self) {
        self.0.is_sealed.store(true, Ordering::SeqCst);
    }

    /// Listings leave all objects out from now on, as if they came later.
    pub fn hide(&self, hides: bool) {
        self.0.hides.store(hides, Ordering::SeqCst);
    }

    /// Conditions are refused as not implemented from now on.
    pub fn lack_conditions(&self) {
        self.0.lacks_conditions.store(true, Ordering::SeqCst);
    }

    /// From now on requests that begin so go wrong.
    pub fn fail(&self, begins: &str, does: Does) {
        self.0.faults.lock().unwrap().push(Fault { begins: begins.into(), does });
    }

    /// From now on nothing goes wrong.
    pub fn heal(&self) {
        self.0.faults.lock().unwrap().clear();
    }

    /// From now on each answer takes so long.
    pub fn pause(&self, pause: Duration) {
        *self.0.pause.lock().unwrap() = pause;
    }

    pub fn put(&self, key: &str, body: impl AsRef<[u8]>) {
        self.0.keep(key, body.as_ref().to_vec(), None);
    }

    pub fn remove(&self, key: &str) {
        self.0.objects.lock().unwrap().remove(key);
    }

    /// Returns the objects.
    pub fn objects(&self) -> BTreeMap<String, Vec<u8>> {
        let objects = self.0.objects.lock().unwrap();
        objects.iter().map(|(key, kept)| (key.clone(), kept.body.clone())).collect()
    }

    pub fn object(&self, key: &str) -> Option<Vec<u8>> {
        self.objects().remove(key)
    }

    /// Returns the number of uploads that were neither completed nor given up.
    pub fn uploads(&self) -> usize {
        self.0.uploads.lock().unwrap().len()
    }

    /// Returns the most requests that were under way.
    pub fn most(&self) -> usize {
        self.0.most.load(Ordering::SeqCst)
    }

    /// Returns the requests since it was asked the last time.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.log.lock().unwrap())
    }

    /// Returns whether a request that begins so came.
    pub fn has_met(&self, begins: &str) -> bool {
        self.0.log.lock().unwrap().iter().any(|line| line.starts_with(begins))
    }
}

fn md5(bytes: &[u8]) -> hashmill_digest::Digest {
    hash(find("md5").unwrap(), bytes)
}

impl Asked {
    fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    fn line(&self) -> String {
        let mut line = format!("{} {}", self.method, self.key);
        for (at, (name, _)) in self.query.iter().enumerate() {
            line.push(if at == 0 { '?' } else { '&' });
            line += name;
        }
        line
    }
}

impl Inner {
    /// Answers a request; none at the end of the connection.
    fn serve(&self, mut stream: &TcpStream) -> Option<()> {
        let asked = read(stream)?;
        let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let line = asked.line();
        self.log.lock().unwrap().push(line.clone());
        let pause = *self.pause.lock().unwrap();
        thread::sleep(pause);
        let does = self
            .faults
            .lock()
            .unwrap()
            .iter()
            .find(|fault| line.starts_with(&fault.begins))
            .map(|fault| fault.does);
        let answer = match does {
            Some(Does::Status(status)) => reply(status, &[], b"<Error><Code>Made</Code></Error>"),
            Some(Does::Cut) => {
                self.under_way.fetch_sub(1, Ordering::SeqCst);
                let _ = stream.shutdown(std::net::Shutdown::Both);
                return None;
            }
            Some(Does::Hold) => loop {
                thread::sleep(Duration::from_millis(20));
                if self.faults.lock().unwrap().is_empty() {
                    break reply(500, &[], b"");
                }
            },
            _ => self.answer(&asked, does == Some(Does::Flip)),
        };
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        let end = if asked.method == "HEAD" { answer.1 } else { answer.0.len() };
        stream.write_all(&answer.0[..end]).ok()
    }

    fn answer(&self, asked: &Asked, flips: bool) -> (Vec<u8>, usize) {
        let key = &asked.key;
        match asked.method.as_str() {
            "GET" if key.is_empty() => self.list(asked),
            "GET" | "HEAD" => match self.objects.lock().unwrap().get(key) {
                Some(kept) => object(kept, asked),
                None => reply(404, &[], b"<Error><Code>NoSuchKey</Code></Error>"),
            },
            "PUT" if asked.query("partNumber").is_some() => self.part(asked, flips),
            "PUT" => self.written(asked, asked.body.clone(), flips, None),
            "POST" if asked.query("uploads").is_some() => self.begin(),
            "POST" => self.complete(asked),
            "DELETE" => self.remove(asked),
            _ => reply(405, &[], b""),
        }
    }

    fn list(&self, asked: &Asked) -> (Vec<u8>, usize) {
        let prefix = asked.query("prefix").unwrap_or_default();
        let from = asked.query("continuation-token").unwrap_or_default();
        let objects = self.objects.lock().unwrap();
        let hides = self.hides.load(Ordering::SeqCst);
        let below =
            objects.iter().filter(|(key, _)| !hides && key.starts_with(prefix) && key.as_str() > from);
        let page: Vec<_> = below.take(PAGE + 1).collect();
        let mut xml = String::from("<ListBucketResult><Name>b</Name><EncodingType>url</EncodingType>");
        for (key, kept) in page.iter().take(PAGE) {
            let key = escaped(key);
            write!(
                xml,
                "<Contents><Key>{key}</Key><ETag>&quot;{}&quot;</ETag><Size>{}</Size></Contents>",
                kept.etag,
                kept.body.len()
            )
            .unwrap();
        }
        if page.len() > PAGE {
            write!(
                xml,
                "<IsTruncated>true</IsTruncated><NextContinuationToken>{}</NextContinuationToken>",
                page[PAGE - 1].0
            )
            .unwrap();
        }
        xml += "</ListBucketResult>";
        reply(200, &[("content-type", "application/xml".into())], xml.as_bytes())
    }

    fn keep(&self, key: &str, body: Vec<u8>, etag: Option<String>) -> String {
        let etag = match self.is_sealed.load(Ordering::SeqCst) {
            true => format!("{}-x", self.begun.fetch_add(1, Ordering::SeqCst)),
            false => etag.unwrap_or_else(|| md5(&body).to_string()),
        };
        self.objects.lock().unwrap().insert(key.into(), Kept { body, etag: etag.clone() });
        etag
    }

    fn written(
        &self,
        asked: &Asked,
        mut body: Vec<u8>,
        flips: bool,
        etag: Option<String>,
    ) -> (Vec<u8>, usize) {
        if asked.header("if-none-match") == Some("*") {
            if self.lacks_conditions.load(Ordering::SeqCst) {
                return reply(501, &[], b"<Error><Code>NotImplemented</Code></Error>");
            }
            if self.objects.lock().unwrap().contains_key(&asked.key) {
                return reply(412, &[], b"<Error><Code>PreconditionFailed</Code></Error>");
            }
        }
        if flips && !body.is_empty() {
            let middle = body.len() / 2;
            body[middle] ^= 1;
        }
        let etag = self.keep(&asked.key, body, etag);
        let xml =
            format!("<CompleteMultipartUploadResult><ETag>\"{etag}\"</ETag></CompleteMultipartUploadResult>");
        reply(
            200,
            &[("etag", format!("\"{etag}\""))],
            if asked.method == "POST" { xml.as_bytes() } else { b"" },
        )
    }

    fn begin(&self) -> (Vec<u8>, usize) {
        let id = format!("upload{}", self.begun.fetch_add(1, Ordering::SeqCst));
        self.uploads.lock().unwrap().insert(id.clone(), Parts::new());
        let xml = format!(
            "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
        );
        reply(200, &[], xml.as_bytes())
    }

    fn part(&self, asked: &Asked, flips: bool) -> (Vec<u8>, usize) {
        let number = asked.query("partNumber").unwrap().parse().unwrap();
        let mut body = asked.body.clone();
        let etag = md5(&body);
        if flips {
            body[0] ^= 1;
        }
        match self.uploads.lock().unwrap().get_mut(asked.query("uploadId").unwrap_or_default()) {
            Some(parts) => {
                parts.insert(number, body);
                reply(200, &[("etag", format!("\"{etag}\""))], b"")
            }
            None => reply(404, &[], b"<Error><Code>NoSuchUpload</Code></Error>"),
        }
    }

    fn complete(&self, asked: &Asked) -> (Vec<u8>, usize) {
        let id = asked.query("uploadId").unwrap_or_default();
        let Some(parts) = self.uploads.lock().unwrap().remove(id) else {
            return reply(404, &[], b"<Error><Code>NoSuchUpload</Code></Error>");
        };
        let listed = String::from_utf8_lossy(&asked.body).matches("<Part>").count();
        if listed != parts.len() {
            return reply(400, &[], b"<Error><Code>InvalidPart</Code></Error>");
        }
        let sums: Vec<u8> = parts.values().flat_map(|part| md5(part).as_bytes().to_vec()).collect();
        let etag = format!("{}-{}", md5(&sums), parts.len());
        let body = parts.into_values().flatten().collect();
        self.written(asked, body, false, Some(etag))
    }

    fn remove(&self, asked: &Asked) -> (Vec<u8>, usize) {
        match asked.query("uploadId") {
            Some(id) => drop(self.uploads.lock().unwrap().remove(id)),
            None => drop(self.objects.lock().unwrap().remove(&asked.key)),
        }
        reply(204, &[], b"")
    }
}

fn object(kept: &Kept, asked: &Asked) -> (Vec<u8>, usize) {
    let headers = [("etag", format!("\"{}\"", kept.etag)), ("accept-ranges", "bytes".into())];
    let wanted = asked.header("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    if let Some((from, to)) = wanted.filter(|_| !kept.body.is_empty()) {
        let from: usize = from.parse().unwrap();
        let to = to.parse().unwrap_or(usize::MAX).min(kept.body.len() - 1);
        let range = ("content-range", format!("bytes {from}-{to}/{}", kept.body.len()));
        return reply(206, &[&headers[..], &[range]].concat(), &kept.body[from..=to]);
    }
    reply(200, &headers, &kept.body)
}

/// Returns a key as it stands in a listing.
fn escaped(key: &str) -> String {
    key.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Returns a word of an address as it was meant.
fn plain(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|hex| u8::from_str_radix(str::from_utf8(hex).ok()?, 16).ok());
        match hex.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a request; none at the end of the connection.
fn read(stream: &TcpStream) -> Option<Asked> {
    let request = Request::read(&mut BufReader::new(stream.try_clone().ok()?))?;
    let (path, query) = request.path_and_query();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let query = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (plain(name), plain(value)));
    let query = query.collect();
    let key = plain(path.strip_prefix("/b").unwrap_or_default().trim_start_matches('/'));
    let Request { method, headers, body, .. } = request;
    Some(Asked { method, key, query, headers, body })
}

/// Returns an answer, and where its body begins.
fn reply(status: u16, headers: &[(&str, String)], body: &[u8]) -> (Vec<u8>, usize) {
    let mut text = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        write!(text, "{name}: {value}\r\n").unwrap();
    }
    text += "\r\n";
    let start = text.len();
    ([text.as_bytes(), body].concat(), start)
}
