//! Versions of objects: which one was read is in the record.

use super::gateway::{Gateway, KEY, SECRET};
use crate::case;
use crate::proof::gateway::python;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Returns the records of a manifest by their paths.
fn records(lines: &[u8]) -> BTreeMap<String, Value> {
    let lines = String::from_utf8(lines.to_vec()).unwrap();
    let record = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    lines.lines().map(record).map(|record| (record["path"].as_str().unwrap().to_owned(), record)).collect()
}

case!(
    #[ignore = "campaign: needs versitygw"]
    records_name_the_version_that_was_read,
    |t| {
        let Some(gateway) = Gateway::start_versioned(t) else { return };
        let Some(python) = python() else { return };
        let mut command = Command::new(python);
        command
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/versions.py"))
            .arg(gateway.endpoint());
        command.env("AWS_ACCESS_KEY_ID", KEY).env("AWS_SECRET_ACCESS_KEY", SECRET);
        let said = t.ran(command, "versions.py").code(0).json();
        let ran = gateway.run("hash -c md5 -f jsonl s3://bucket/").code(0);
        let found = records(ran.stdout());
        // Deleted objects are absent; objects written before versioning was enabled have no version.
        assert_eq!(found.keys().collect::<Vec<_>>(), ["large", "old", "twice"]);
        assert_eq!(found["old"].get("version"), None);
        for key in ["large", "twice"] {
            assert_eq!(found[key]["version"], said[key], "{key}");
        }
        let md5 = hashmill_digest::hash(hashmill_digest::find("md5").unwrap(), b"second");
        assert_eq!(found["twice"]["md5"], md5.to_string());
        // The version before is read where it is named, and has the name of the object.
        let first = said["first"].as_str().unwrap();
        let md5 = hashmill_digest::hash(hashmill_digest::find("md5").unwrap(), b"first");
        let named = format!("hash -c md5 -f jsonl s3://bucket/twice?versionId={first}");
        let record = gateway.run(&named).code(0).prints("\"path\":\"twice\"").prints(md5.to_string());
        record.prints(format!("\"version\":\"{first}\""));
        gateway.run("hash -c md5 s3://bucket/twice?versionId=01ARZ3NDEKTSV4RRFFQ69G5FAV").code(2);
        // Every format that has records of objects has their versions, and gives them back.
        gateway.run("hash -c md5 -f jsonl s3://bucket/ -o m.jsonl").code(0);
        for format in ["csv", "parquet", "sqlite"] {
            gateway.run(&format!("hash -c md5 -f {format} s3://bucket/ -o m.{format}")).code(0);
            t.run(&format!("convert m.{format} again-{format}.jsonl")).code(0);
            assert_eq!(
                records(&t.read(&format!("again-{format}.jsonl"))),
                records(&t.read("m.jsonl")),
                "{format}"
            );
        }
        t.run("convert -f bsd m.jsonl out").code(64).says("2 versions of objects");
        t.run("convert -f bsd --lossy m.jsonl out").code(0);
        gateway.run("audit -k m.jsonl s3://bucket/").code(0);
        // Files have none, so their tables have no column for it.
        t.file("tree/a", "abc").run("hash -c md5 -f csv tree").code(0).prints("status,reason,md5");
    }
);

/// A way to a store on which the second request that has this text waits.
struct Turnstile {
    port: u16,
    /// Somebody waits.
    met: Receiver<()>,
    /// Lets all through.
    go: SyncSender<()>,
}

impl Turnstile {
    fn start(to: u16, text: &'static [u8]) -> Turnstile {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let ((meet, met), (go, wait)) = (sync_channel(1), sync_channel(1));
        let (number, wait) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(wait)));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(("127.0.0.1", to)).unwrap();
                let (from, into) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                thread::spawn(move || pass(from, into, &mut |_| {}));
                let (meet, wait, number) = (meet.clone(), Arc::clone(&wait), Arc::clone(&number));
                thread::spawn(move || {
                    pass(client, server, &mut |bytes| {
                        let asked = bytes.windows(text.len()).any(|window| window == text);
                        if asked && number.fetch_add(1, Ordering::SeqCst) == 1 {
                            meet.send(()).unwrap();
                            wait.lock().unwrap().recv().unwrap();
                        }
                    });
                });
            }
        });
        Turnstile { port, met, go }
    }
}

/// Passes bytes on until their end, each time after they were looked at.
fn pass(mut from: TcpStream, mut into: TcpStream, look: &mut dyn FnMut(&[u8])) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        look(&buffer[..read]);
        if into.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = into.shutdown(Shutdown::Write);
}

case!(
    #[ignore = "campaign: needs versitygw"]
    what_is_overwritten_while_it_is_read_has_no_digest,
    |t| {
        let Some(gateway) = Gateway::start_versioned(t) else { return };
        t.file("one/large", vec![7_u8; 9 << 20]).file("two/large", vec![8_u8; 9 << 20]);
        let Some(()) = gateway.fill("one", "p/") else { return };
        let way = Turnstile::start(gateway.port(), b"GET /bucket/p/large");
        let mut command = gateway.command("hash -c md5 -f jsonl s3://bucket/p/");
        command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", way.port));
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        way.met.recv_timeout(Duration::from_secs(60)).expect("a second part is asked for");
        gateway.fill("two", "p/").unwrap();
        way.go.send(()).unwrap();
        let output = child.wait_with_output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{out}{err}");
        assert!(out.contains("\"status\":\"changed-while-reading\"") && !out.contains("md5"), "{out}{err}");
        assert!(err.contains("large: changed while it was read"), "{err}");
    }
);
