//! A small web server that does what a test says.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// A request, as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: String,
    /// The path, still escaped.
    pub path: String,
    pub query: HashMap<String, String>,
    /// Headers, with names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// The connection is cut after this many bytes of the body.
    pub cut: Option<usize>,
    /// The answer has no length: the body ends with the connection.
    pub unsized_body: bool,
}

/// A server; it ends when it is dropped.
pub struct Server {
    pub address: String,
    log: Arc<Mutex<Vec<Asked>>>,
    ended: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

type Handler = dyn Fn(&Asked, usize) -> Answer + Send + Sync;

impl Answer {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status, body: body.into(), ..Answer::default() }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }

    pub fn error(status: u16, code: &str) -> Answer {
        Answer::new(status, format!("<Error><Code>{code}</Code><Message>m</Message></Error>"))
    }
}

impl Server {
    /// Starts a server. The handler answers each request and gets its number, from 0.
    pub fn start(handler: impl Fn(&Asked, usize) -> Answer + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
        let (log, ended) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::<AtomicBool>::default());
        let (kept, end, handler) =
            (Arc::clone(&log), Arc::clone(&ended), Arc::<Handler>::from(Box::new(handler) as Box<Handler>));
        let listening = thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::Relaxed) {
                    return;
                }
                let (log, handler) = (Arc::clone(&kept), Arc::clone(&handler));
                // A client that closed the connection is no error.
                thread::spawn(move || stream.ok().and_then(|stream| serve(stream, &log, &*handler)));
            }
        });
        Server { address, log, ended, listening: Some(listening) }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.log.lock().unwrap().clone()
    }

    /// Returns how many requests have this method.
    pub fn count(&self, method: &str) -> usize {
        self.asked().iter().filter(|asked| asked.method == method).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // Without the wait, a later connection would still be taken, and reset.
        if TcpStream::connect(&self.address).is_ok() {
            self.listening.take().map(JoinHandle::join);
        }
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<Asked>>, handler: &Handler) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    // Answers are short, and written in parts: none waits for the last one to be acknowledged.
    writer.set_nodelay(true).ok()?;
    // This is a greeting of TLS: other servers answer it in plain text, too.
    if reader.fill_buf().ok()?.first() == Some(&0x16) {
        return writer.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok();
    }
    loop {
        let asked = read(&mut reader)?;
        let number = {
            let mut log = log.lock().unwrap();
            log.push(asked.clone());
            log.len() - 1
        };
        let answer = handler(&asked, number);
        let mut text = format!("HTTP/1.1 {} x\r\n", answer.status);
        for (name, value) in &answer.headers {
            text += &format!("{name}: {value}\r\n");
        }
        if !answer.unsized_body && !answer.headers.iter().any(|(name, _)| *name == "content-length") {
            text += &format!("content-length: {}\r\n", answer.body.len());
        }
        writer.write_all((text + "\r\n").as_bytes()).ok()?;
        if asked.method != "HEAD" {
            writer
                .write_all(&answer.body[..answer.cut.unwrap_or(answer.body.len()).min(answer.body.len())])
                .ok()?;
        }
        if answer.cut.is_some() || answer.unsized_body {
            return None;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs.map(|(name, value)| (unescaped(name), unescaped(value))).collect();
    Some(Asked { method, path: path.to_owned(), query, headers, body })
}

/// Decodes an escaped address.
pub fn unescaped(text: &str) -> String {
    String::from_utf8_lossy(&percent_encoding::percent_decode_str(text).collect::<Vec<u8>>()).into_owned()
}
