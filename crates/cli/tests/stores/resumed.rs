//! Interrupted runs over a bucket, and their continuation: finished objects are not read again.

use super::gate::Gate;
use super::gateway::Gateway;
use crate::case;
use crate::resume::{signal, until};
use crate::util::{Place, Ran};
use std::process::Stdio;

/// Objects `p/00` to `p/19`, and behind them `p/z`, which is large: small ones are hashed together.
fn tree(t: &Place) {
    for number in 0..20_u8 {
        t.file(format!("tree/{number:02}"), vec![number; 700 * usize::from(number)]);
    }
    t.file("tree/z", vec![99; 5 << 20]);
}

/// hashmill with the gate as its way to the store.
fn run(t: &Place, gateway: &Gateway<'_>, gate: &Gate, args: &str) -> Ran {
    let mut command = gateway.command(args);
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", gate.port));
    t.ran(command, args)
}

/// By a signal that nothing can be done about, with the last but one of records in JSON.
const KILLED: (&str, &str) = ("KILL", "\"path\":\"19\"");

/// Ends a run by a signal once all but the last object are done. The record of the last but one has these words.
fn interrupted(t: &Place, gateway: &Gateway<'_>, gate: &Gate, args: &str, (name, record): (&str, &str)) {
    gate.hold("p/z");
    let mut command = gateway.command(args);
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", gate.port)).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    until("the partial output stays short", || {
        let partial = std::fs::read(t.path(".out.hashmill-partial")).unwrap_or_default();
        let is_last = |line: &str| line.contains(record) && !line.contains("offset");
        String::from_utf8_lossy(&partial).lines().last().is_some_and(is_last)
    });
    signal(&child, name);
    child.wait().unwrap();
    gate.open();
    gate.take();
}

/// A bucket, a way to it, and an uninterrupted run's output; none where a server is missing.
macro_rules! bucket {
    ($t:ident, $options:expr) => {{
        tree($t);
        let Some(gateway) = Gateway::start($t) else { return };
        let Some(()) = gateway.fill("tree", "p/") else { return };
        let gate = Gate::start(gateway.port());
        gateway.run(&format!("hash {} -o wanted s3://bucket/p/", $options)).code(0);
        (gateway, gate)
    }};
}

case!(
    #[ignore = "campaign: takes long"]
    an_interrupted_run_over_a_bucket_reads_on_where_it_stopped,
    |t| {
        let (gateway, gate) = bucket!(t, "-c md5,blake3 -f jsonl");
        for (name, options, record) in [
            ("KILL", "-c md5,blake3 -f jsonl", "\"path\":\"19\""),
            ("INT", "-c sha256 -p 1000", ",19"),
            ("TERM", "-f sums", "  19"),
        ] {
            gateway.run(&format!("hash {options} --force -o wanted s3://bucket/p/")).code(0);
            let line = format!("hash {options} -o out s3://bucket/p/");
            interrupted(t, &gateway, &gate, &line, (name, record));
            assert!(!t.has("out"));
            run(t, &gateway, &gate, &format!("{line} --resume --stats=json")).code(0).says("\"kept\":20,");
            assert_eq!(gate.take(), ["p/z"], "{options}");
            assert!(t.read("out") == t.read("wanted"), "{options}");
            assert_eq!(t.leftovers(), Vec::<String>::new());
            t.remove("out");
        }
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    several_prefixes_and_a_folder_are_read_on,
    |t| {
        let (gateway, gate) = bucket!(t, "-c md5");
        let Some(()) = gateway.fill("tree", "before/") else { return };
        let line = "hash -c md5 -f jsonl -o out s3://bucket/before/ tree s3://bucket/p/";
        gateway.run(&line.replace("-o out", "--force -o wanted")).code(0);
        interrupted(t, &gateway, &gate, line, ("KILL", "s3://bucket/p/19"));
        run(t, &gateway, &gate, &format!("{line} --resume --stats=json")).code(0).says("\"kept\":62,");
        assert_eq!(gate.take(), ["p/z"]);
        assert!(t.read("out") == t.read("wanted"));
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    what_changed_in_a_bucket_meanwhile_is_read_again,
    |t| {
        let (gateway, gate) = bucket!(t, "-c sha256 -f jsonl");
        let line = "hash -c sha256 -f jsonl -o out s3://bucket/p/";
        interrupted(t, &gateway, &gate, line, KILLED);
        // Of the same size: the ETag tells.
        t.file("changed/07", vec![8; 4900]).file("changed/10new", "new");
        gateway.fill("changed", "p/").unwrap();
        std::fs::remove_file(t.path("store/bucket/p/12")).unwrap();
        run(t, &gateway, &gate, &format!("{line} --resume")).code(0);
        assert_eq!(gate.take(), ["p/07", "p/10new", "p/z"]);
        gateway.run("hash -c sha256 -f jsonl --force -o wanted s3://bucket/p/").code(0);
        assert_eq!(t.read("out"), t.read("wanted"));
    }
);

case!(
    #[ignore = "campaign: takes long"]
    a_record_of_an_object_that_was_altered_is_not_believed,
    |t| {
        let (gateway, gate) = bucket!(t, "-c md5 -f jsonl");
        let line = "hash -c md5 -f jsonl -o out s3://bucket/p/";
        interrupted(t, &gateway, &gate, line, KILLED);
        let partial = String::from_utf8(t.read(".out.hashmill-partial")).unwrap();
        let digest = partial.split("\"path\":\"03\"").nth(1).unwrap().split("\"md5\":\"").nth(1).unwrap()
            [..32]
            .to_owned();
        t.file(".out.hashmill-partial", partial.replace(&digest, &"0".repeat(32)));
        // Nor if the recorded answer of the store was altered.
        let mut seen = t.read(".out.hashmill-seen");
        seen[20 * 5] ^= 1;
        t.file(".out.hashmill-seen", seen);
        run(t, &gateway, &gate, &format!("{line} --resume")).code(0);
        assert_eq!(gate.take(), ["p/03", "p/05", "p/z"]);
        assert_eq!(t.read("out"), t.read("wanted"));
        // Objects of the same names elsewhere are others.
        interrupted(t, &gateway, &gate, &format!("{line} --force"), KILLED);
        gateway.fill("tree", "q/").unwrap();
        run(t, &gateway, &gate, "hash -c md5 -f jsonl --force -o out s3://bucket/q/ --resume").code(0);
        assert_eq!(gate.take().len(), 21);
    }
);

case!(
    #[ignore = "campaign: takes long"]
    what_a_lost_way_to_the_store_left_out_is_read_by_the_next_run,
    |t| {
        let (gateway, gate) = bucket!(t, "-c md5 -f jsonl");
        gate.cut_at("p/18");
        let line = "hash -c md5 -f jsonl --requests 1 -o out s3://bucket/p/";
        run(t, &gateway, &gate, line)
            .code(2)
            .says("the same command with --resume reads only what is missing");
        gate.open();
        gate.take();
        let lacking: Vec<String> = String::from_utf8(t.read("out"))
            .unwrap()
            .lines()
            .filter_map(|line| {
                let record: serde_json::Value = serde_json::from_str(line).unwrap();
                (record["status"] == "unreadable").then(|| format!("p/{}", record["path"].as_str().unwrap()))
            })
            .collect();
        assert!((1..10).contains(&lacking.len()), "{lacking:?}");
        run(t, &gateway, &gate, &format!("{line} --resume")).code(0).quiet();
        assert_eq!(gate.take(), lacking);
        assert_eq!(t.read("out"), t.read("wanted"));
        assert_eq!(t.leftovers(), Vec::<String>::new());
        // Failures of single objects leave nothing behind.
        gateway.run("hash -o other s3://bucket/p/00 s3://bucket/none").code(2);
        assert_eq!(t.leftovers(), Vec::<String>::new());
    }
);
