//! A bucket that counts requests. Its objects have content of their own, or repeat one byte, so that they may be large.

use crate::util::{Place, Ran};
use hashmill_testing::Request;
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A bucket `b` with these objects, in the order of their keys. It ends with the process.
pub struct Bucket {
    pub port: u16,
    inner: Arc<Inner>,
}

struct Inner {
    objects: Vec<(String, Content)>,
    delay: Duration,
    gets: AtomicU64,
    bytes: AtomicU64,
}

/// The content of an object.
enum Content {
    Repeated(u8, u64),
    Bytes(Vec<u8>),
}

impl Content {
    fn size(&self) -> u64 {
        match self {
            Content::Repeated(_, size) => *size,
            Content::Bytes(bytes) => bytes.len() as u64,
        }
    }

    fn send(&self, mut stream: &TcpStream, start: u64, end: u64) -> std::io::Result<()> {
        let byte = match self {
            Content::Bytes(bytes) => return stream.write_all(&bytes[start as usize..end as usize]),
            Content::Repeated(byte, _) => *byte,
        };
        let block = vec![byte; 1 << 20];
        let mut left = end - start;
        while left > 0 {
            let now = left.min(1 << 20);
            stream.write_all(&block[..now as usize])?;
            left -= now;
        }
        Ok(())
    }
}

impl Bucket {
    /// Objects of these sizes, with the keys `k0000`, `k0001` and so on. Each answer comes after this delay.
    pub fn start(sizes: Vec<u64>, delay: Duration) -> Bucket {
        let object = |(number, size)| (format!("k{number:04}"), Content::Repeated(byte(number), size));
        Bucket::serve(sizes.into_iter().enumerate().map(object).collect(), delay)
    }

    /// Objects with these keys and this content.
    pub fn with(objects: Vec<(String, Vec<u8>)>) -> Bucket {
        let object = |(key, bytes)| (key, Content::Bytes(bytes));
        Bucket::serve(objects.into_iter().map(object).collect(), Duration::ZERO)
    }

    fn serve(objects: Vec<(String, Content)>, delay: Duration) -> Bucket {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let inner =
            Arc::new(Inner { objects, delay, gets: AtomicU64::default(), bytes: AtomicU64::default() });
        let shared = Arc::clone(&inner);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let inner = Arc::clone(&shared);
                // A client that goes away is no matter.
                std::thread::spawn(move || while inner.answer(&stream).is_some() {});
            }
        });
        Bucket { port, inner }
    }

    /// Runs a command for which the buckets are these.
    pub fn run(&self, t: &Place, args: &str) -> Ran {
        let args = format!("{args} --anonymous");
        let mut command = t.command(&args);
        command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)).env("AWS_REGION", "here");
        t.ran(command, &args)
    }

    /// Objects that were asked for, and bytes that were sent, since it was asked the last time.
    pub fn take(&self) -> (u64, u64) {
        (self.inner.gets.swap(0, Ordering::SeqCst), self.inner.bytes.swap(0, Ordering::SeqCst))
    }
}

/// Returns the byte that an object holds.
pub fn byte(number: usize) -> u8 {
    u8::try_from(number % 251).unwrap()
}

impl Inner {
    fn answer(&self, mut stream: &TcpStream) -> Option<()> {
        // Clients ask only when they have the answer before, so no byte is lost with the reader.
        let request = Request::read(&mut BufReader::new(stream))?;
        let is_get = request.method == "GET";
        std::thread::sleep(self.delay);
        let key = request.target.strip_prefix("/b/").unwrap_or_default();
        let Some(number) = self.objects.iter().position(|(other, _)| other == key) else {
            let list = self.list();
            return write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{list}", list.len()).ok();
        };
        let content = &self.objects[number].1;
        let size = content.size();
        let range = request.header("range").and_then(|range| range.strip_prefix("bytes="));
        let range = range.and_then(|range| range.split_once('-'));
        let range =
            range.and_then(|(first, last)| Some((first.parse().ok()?, last.parse::<u64>().ok()? + 1)));
        let (start, end) = range.unwrap_or((0, size));
        let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
        self.gets.fetch_add(u64::from(is_get), Ordering::SeqCst);
        self.bytes.fetch_add(if is_get { end - start } else { 0 }, Ordering::SeqCst);
        write!(
            stream,
            "HTTP/1.1 {status}\r\netag: \"{number}\"\r\ncontent-range: bytes {start}-{}/{size}\r\ncontent-length: {}\r\n\r\n",
            end.saturating_sub(1),
            end - start
        )
        .ok()?;
        if is_get {
            content.send(stream, start, end).ok()?;
        }
        Some(())
    }

    fn list(&self) -> String {
        let mut text = "<ListBucketResult><Name>b</Name><IsTruncated>false</IsTruncated>".to_owned();
        for (number, (key, content)) in self.objects.iter().enumerate() {
            let size = content.size();
            text += &format!(
                "<Contents><Key>{key}</Key><LastModified>2026-11-22T20:00:00Z</LastModified>\
                 <ETag>&quot;{number}&quot;</ETag><Size>{size}</Size></Contents>"
            );
        }
        text + "</ListBucketResult>"
    }
}
