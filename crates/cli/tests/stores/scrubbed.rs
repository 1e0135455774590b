//! Verification that goes on, of objects in a store.

use super::gateway::Gateway;
use crate::case;
use crate::util::{Place, Ran};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const SCRUB: &str = "scrub s3://bucket/a/ --state state -f json";

/// Returns the verdicts by key, but for `verified`.
fn verdicts(ran: &Ran) -> BTreeMap<String, String> {
    let document: Value = ran.json();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let entries = document["entries"].as_array().unwrap().iter();
    let all = entries.map(|entry| (text(&entry["path"]), text(&entry["verdict"])));
    all.filter(|(_, verdict)| verdict != "verified").collect()
}

fn told(wanted: &[(&str, &str)]) -> BTreeMap<String, String> {
    let at = |key: &&str| format!("s3://bucket/a/{key}");
    wanted.iter().map(|(key, verdict)| (at(key), verdict.to_string())).collect()
}

/// Changes a byte of an object where the server keeps it, without the server's knowledge.
fn flip(t: &Place, key: &str) {
    let file = format!("store/bucket/a/{key}");
    t.shell(&format!("touch -r {file} stamp; printf x | dd of={file} conv=notrunc seek=1 bs=1 2>/dev/null; touch -r stamp {file}"))
        .code(0);
}

case!(
    #[ignore = "campaign: needs versitygw"]
    objects_are_kept_like_files,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        for (name, size) in [("a", 10), ("b/c", 5000), ("d", 300_000), ("gr\u{f6}\u{df}e", 9)] {
            t.file(format!("tree/{name}"), vec![b'a'; size]);
        }
        let Some(()) = gateway.fill("tree", "a/") else { return };
        let first = gateway.run(SCRUB).code(0).json();
        assert_eq!((&first["counts"]["new"], &first["only_cached"]["files"]), (&4.into(), &0.into()));
        assert_eq!(first["coverage"]["bytes"], 305_019);
        let second = gateway.run(SCRUB).code(0);
        assert_eq!((verdicts(&second), &second.json()["counts"]["verified"]), (told(&[]), &4.into()));
        // The names are those of a manifest, and one object alone is part of the same state.
        gateway
            .run("scrub s3://bucket/ --state state")
            .code(64)
            .says("this state is of other folders: s3://bucket/a/");
        // An object that rots below the server differs, while its ETag is as it was.
        flip(t, "d");
        assert_eq!(verdicts(&gateway.run(SCRUB).code(1)), told(&[("d", "rot")]));
        flip(t, "b/c");
        // An upload has another ETag. What is gone is missing, or has moved.
        t.file("more/a", "other").file("more/new", "new").file("more/to", vec![b'a'; 9]);
        gateway.fill("more", "a/").unwrap();
        t.shell("rm store/bucket/a/gr*").code(0);
        let found = verdicts(&gateway.run(SCRUB).code(1));
        let wanted = told(&[("a", "edited"), ("b/c", "rot"), ("d", "rot"), ("new", "new"), ("to", "moved")]);
        assert_eq!(found, wanted);
        t.shell("rm store/bucket/a/to").code(0);
        assert_eq!(verdicts(&gateway.run(SCRUB).code(1))["s3://bucket/a/to"], "missing");
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    a_store_that_is_away_has_lost_nothing,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        t.file("tree/a", "a").file("tree/b", "b");
        let Some(()) = gateway.fill("tree", "a/") else { return };
        gateway.run(SCRUB).code(0);
        let mut command = gateway.command(SCRUB);
        // Nothing listens there.
        command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
        let away = t.ran(command, SCRUB).code(2);
        assert_eq!(verdicts(&away), told(&[]));
        assert_eq!(verdicts(&gateway.run(SCRUB).code(0)), told(&[]));
    }
);

case!(
    #[ignore = "campaign: takes long"]
    a_long_object_is_read_by_several_runs,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        t.file("tree/long", vec![7; 200 << 20]);
        let Some(()) = gateway.fill("tree", "a/") else { return };
        let budget = format!("{SCRUB} --budget 70M");
        let mut runs = 1;
        while verdicts(&gateway.run(&budget).code(0)).is_empty() {
            runs += 1;
        }
        assert!((2..=4).contains(&runs), "{runs} runs");
        assert_eq!(verdicts(&gateway.run(SCRUB).code(0)), told(&[]));
    }
);

/// Serves one file without ETag and times: `first`, and `other` once the flag is set. Ends with the process.
fn serve(is_other: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let body = if is_other.load(Ordering::SeqCst) { "other" } else { "first" };
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let lines: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let is_head = lines.first().is_some_and(|line| line.starts_with("HEAD"));
            let one = lines.iter().any(|line| line.eq_ignore_ascii_case("range: bytes=0-0"));
            let (status, range, part) = match one {
                true => (206, "content-range: bytes 0-0/5\r\n", &body[..1]),
                false => (200, "", body),
            };
            let shown = if is_head { "" } else { part };
            let length = part.len();
            let _ = write!(
                &stream,
                "HTTP/1.1 {status} x\r\nconnection: close\r\n{range}content-length: {length}\r\n\r\n{shown}"
            );
        }
    });
    port
}

case!(another_content_is_neither_rot_nor_an_edit_where_a_server_states_no_times, |t| {
    let is_other = Arc::<AtomicBool>::default();
    let port = serve(Arc::clone(&is_other));
    let scrub = format!("scrub http://127.0.0.1:{port}/file --state state -f json");
    assert_eq!(t.run(&scrub).code(0).json()["counts"]["new"], 1);
    assert_eq!(t.run(&scrub).code(0).json()["counts"]["verified"], 1);
    is_other.store(true, Ordering::SeqCst);
    assert_eq!(t.run(&scrub).code(1).json()["counts"]["differs"], 1);
});

case!(a_location_with_a_secret_is_refused, |t| {
    t.run("scrub https://host/f?sig=abc --state state").code(64).says("it has a secret");
    t.run("scrub file:///tmp/x/ --state state").code(64).says("name the folder itself");
    assert!(!t.path("state").exists());
});
