//! Headless Chromium: the rendering of a page, and its network requests.

use crate::util::Place;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A container has no sandbox of its own to give, a test no use for the browser's own errands.
const FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1280,900",
];

/// One browser at a time: several would only wait for each other.
static ONE: Mutex<()> = Mutex::new(());

/// Returns the page's document, after its script has run. `fragment` is the part after `#`.
#[track_caller]
pub fn document(t: &Place, page: &str, fragment: &str) -> String {
    let address = address(t, page, fragment);
    // Virtual time: the script's timers fire at once, so the test waits for work and nothing else.
    let output = run(t, &["--virtual-time-budget=20000", "--dump-dom"], &address);
    String::from_utf8(output).unwrap()
}

/// Returns the value of an expression in the page on a screen of this width, as text. The page is in a frame, as a
/// browser's window can't be as narrow as a telephone.
#[track_caller]
pub fn measured(t: &Place, page: &str, width: u32, fragment: &str, expression: &str) -> String {
    let html = String::from_utf8(t.read(page)).unwrap().replace("Content-Security-Policy", "X-Nothing");
    let asks = format!("setTimeout(() => parent.postMessage(String({expression}), '*'), 200)");
    let script = format!("<script>addEventListener('load', () => {asks})</script></body>");
    t.file("framed.html", html.replace("</body>", &script));
    t.file(
        "frame.html",
        format!(
            "<title></title><script>onmessage = event => document.title = 'is:' + event.data</script>\
             <iframe width={width} height=900 style=border:0 src=framed.html#{fragment}></iframe>"
        ),
    );
    let flags = ["--virtual-time-budget=20000", "--dump-dom"];
    let output = String::from_utf8(run(t, &flags, &address(t, "frame.html", ""))).unwrap();
    let (_, title) = output.split_once("<title>is:").expect("the expression has a value");
    title.split('<').next().unwrap_or_default().to_string()
}

/// Returns the page as PDF, as its text.
#[track_caller]
pub fn printed(t: &Place, page: &str, fragment: &str) -> String {
    let pdf = format!("--print-to-pdf={}", t.path("page.pdf").display());
    run(t, &[&pdf, "--no-pdf-header-footer", "--virtual-time-budget=20000"], &address(t, page, fragment));
    assert!(t.read("page.pdf").starts_with(b"%PDF-"));
    pdf_text(t, "-layout")
}

/// Returns the page as PDF, as its text in the order of reading.
#[track_caller]
pub fn on_paper(t: &Place, page: &str) -> String {
    printed(t, page, "");
    pdf_text(t, "-raw")
}

/// Of the page that was printed last: the width of its paper, and the left end, the right end and the text of each word.
pub fn boxes(t: &Place) -> (f64, Vec<(f64, f64, String)>) {
    let text = pdf_text(t, "-bbox");
    let number = |line: &str, name: &str| -> f64 {
        let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let width = text.lines().find(|line| line.contains("<page ")).map(|line| number(line, "width")).unwrap();
    let words = text.lines().filter(|line| line.contains("<word "));
    let word = |line: &str| (number(line, "xMin"), number(line, "xMax"), line.trim().to_string());
    (width, words.map(word).collect())
}

fn pdf_text(t: &Place, form: &str) -> String {
    let text = Command::new("pdftotext").arg(form).arg(t.path("page.pdf")).arg("-").output();
    let text = text.expect("pdftotext is needed: scripts/setup test installs it");
    assert!(text.status.success());
    String::from_utf8(text.stdout).unwrap()
}

/// Returns the hosts that the page makes the browser ask, its own (`page.test`) among them. All that it asks goes
/// through a proxy, which is this test.
#[track_caller]
pub fn hosts(t: &Place, page: &str) -> BTreeSet<String> {
    let proxy = Proxy::start(t.read(page));
    let flag = format!("--proxy-server=127.0.0.1:{}", proxy.port);
    let output = run(
        t,
        &[&flag, "--proxy-bypass-list=<-loopback>", "--virtual-time-budget=20000", "--dump-dom"],
        "http://page.test/",
    );
    assert!(output.len() > 500, "the page was not served: {}", String::from_utf8_lossy(&output));
    let asked = proxy.asked.lock().unwrap_or_else(PoisonError::into_inner);
    asked.iter().filter(|host| !is_browsers_own(host)).cloned().collect()
}

/// Hosts that the browser itself asks whatever page it shows.
fn is_browsers_own(host: &str) -> bool {
    ["google.com", "googleapis.com", "gstatic.com", "gvt1.com", "chromium.org"]
        .iter()
        .any(|own| host == *own || host.ends_with(&format!(".{own}")))
}

fn address(t: &Place, page: &str, fragment: &str) -> String {
    let sign = if fragment.is_empty() { "" } else { "#" };
    format!("file://{}{sign}{fragment}", t.path(page).display())
}

#[track_caller]
fn run(t: &Place, flags: &[&str], address: &str) -> Vec<u8> {
    let _alone: MutexGuard<'_, ()> = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let profile: PathBuf = t.path("profile");
    let output = Command::new("timeout")
        .args(["--kill-after=5", "180", "chromium"])
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(flags)
        .arg(address)
        .output()
        .expect("timeout can be run");
    let errors = String::from_utf8_lossy(&output.stderr);
    let status = output.status;
    assert!(status.success(), "chromium is needed (scripts/setup test installs it): {status}\n{errors}");
    let refused = errors.lines().find(|line| line.contains("CONSOLE") && !line.contains("net::ERR"));
    assert!(refused.is_none(), "the page complains: {refused:?}");
    // The profile may be written to until the last process of the browser is gone.
    let _ = fs::remove_dir_all(profile);
    output.stdout
}

/// Serves one page for every address, and notes the hosts that were asked for.
struct Proxy {
    port: u16,
    asked: Arc<Mutex<BTreeSet<String>>>,
}

impl Proxy {
    fn start(page: Vec<u8>) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(BTreeSet::new()));
        let (notes, page) = (Arc::clone(&asked), Arc::new(page));
        // Ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (notes, page) = (Arc::clone(&notes), Arc::clone(&page));
                // A browser that hangs up is no matter.
                thread::spawn(move || answer(stream, &notes, &page).ok());
            }
        });
        Proxy { port, asked }
    }
}

fn answer(mut stream: TcpStream, notes: &Mutex<BTreeSet<String>>, page: &[u8]) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    (&mut lines).take(8192).read_line(&mut first)?;
    let mut line = String::new();
    while lines.read_line(&mut line)? > 2 {
        line.clear();
    }
    if first.is_empty() {
        return Ok(()); // A connection that was only opened ahead.
    }
    let target = first.split(' ').nth(1).unwrap_or_default();
    let target = target.strip_prefix("http://").unwrap_or(target);
    let host = target.split(['/', ':']).next().unwrap_or_default().to_string();
    let serves = host == "page.test" && first.starts_with("GET");
    notes.lock().unwrap_or_else(PoisonError::into_inner).insert(host);
    let (status, body) = if serves { ("200 OK", page) } else { ("404 Not Found", &b""[..]) };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)
}
