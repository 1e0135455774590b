//! A large object whose reading was cut off: a resumed run reads only the rest of it.

use super::gate::Gate;
use super::gateway::Gateway;
use crate::case;
use crate::resume::{signal, until};
use crate::util::{Place, Ran};
use hashmill_testing::Random;
use std::ops::Range;
use std::process::Stdio;

const MIB: u64 = 1 << 20;

/// The size of the object: rclone uploads so large a one in parts.
const SIZE: u64 = 203 * MIB + 17;

/// States are saved after each of so many bytes.
const EVERY: u64 = 64 * MIB;

/// No request from here on is answered, so the last states are those after 128 MiB.
const HELD: u64 = 150 * MIB;

const BEGUN: &str = ".out.hashmill-begun";

fn large(t: &Place, seed: u64) {
    t.file("tree/a", "small").file("tree/z", Random(seed).bytes(SIZE as usize));
}

// To make and upload the object takes longer than to read it: all runs share one bucket.
case!(
    #[ignore = "campaign: takes long"]
    a_large_object_is_read_on_where_its_states_are_certain,
    |t| {
        large(t, 1);
        let Some(gateway) = Gateway::start(t) else { return };
        let Some(()) = gateway.fill("tree", "p/") else { return };
        let gate = Gate::start(gateway.port());
        only_the_rest_is_read_after_a_kill(t, &gateway, &gate);
        an_object_whose_way_was_lost_is_read_on(t, &gateway, &gate);
        all_is_read_if_states_are_not_certain(t, &gateway, &gate);
    }
);

fn run(t: &Place, gateway: &Gateway<'_>, gate: &Gate, args: &str) -> Ran {
    let mut command = gateway.command(args);
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", gate.port));
    t.ran(command, args)
}

/// The number of whole records in the file of states.
fn records(t: &Place) -> usize {
    let file = std::fs::read(t.path(BEGUN)).unwrap_or_default();
    let (mut rest, mut count) = (&file[..], 0);
    while let Some((length, after)) = rest.split_first_chunk() {
        let Some(after) = after.get(u32::from_le_bytes(*length) as usize..) else { break };
        (rest, count) = (after, count + 1);
    }
    count
}

/// Kills a run that has read the first half of the object.
fn killed(t: &Place, gateway: &Gateway<'_>, gate: &Gate, args: &str) {
    gate.hold_from("p/z", HELD);
    let before = records(t);
    let mut command = gateway.command(args);
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", gate.port)).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    until("no states are saved", || records(t) >= before + 2);
    signal(&child, "KILL");
    child.wait().unwrap();
    gate.open();
    gate.take();
    assert!(!t.has("out"));
}

/// Goes on, and says from which byte on the object was read, each byte once.
fn resumed(t: &Place, gateway: &Gateway<'_>, gate: &Gate, args: &str) -> u64 {
    run(t, gateway, gate, &format!("{args} --resume")).code(0);
    let mut ranges = gate.take_ranges();
    let requests = ranges.len();
    // A busy server may break a connection; then the same range is asked for again.
    ranges.dedup();
    assert!(requests - ranges.len() <= requests / 4, "{requests} requests: {ranges:?}");
    let joined = |end: u64, next: &Range<u64>| {
        assert_eq!(next.start, end, "{ranges:?}");
        next.end
    };
    let start = ranges.first().map_or(SIZE, |range| range.start);
    assert_eq!(ranges.iter().fold(start, joined), SIZE);
    assert_eq!(t.leftovers(), Vec::<String>::new());
    start
}

/// The output of a run without interruption is the same.
fn is_as_wanted(t: &Place, gateway: &Gateway<'_>, args: &str) {
    gateway.run(&args.replace("-o out", "--force -o wanted")).code(0);
    assert_eq!(t.read("out"), t.read("wanted"), "{args}");
    t.remove("out");
}

fn only_the_rest_is_read_after_a_kill(t: &Place, gateway: &Gateway<'_>, gate: &Gate) {
    for options in [
        "-c sha256",
        "-c blake3 -f jsonl",
        "-c md5,sha1,blake3,crc32,s3-etag,sha3-256,xxh128,git-blob -f jsonl --threads 3",
        "-c s3-etag:5M,blake3,blake2b --memory 8M",
    ] {
        let line = format!("hash {options} -o out s3://bucket/p/");
        killed(t, gateway, gate, &line);
        assert_eq!(resumed(t, gateway, gate, &line), 2 * EVERY, "{options}");
        is_as_wanted(t, gateway, &line);
    }
    // Killed again before it came further.
    let line = "hash -c sha256 -f sums -o out s3://bucket/p/";
    killed(t, gateway, gate, line);
    gate.hold("p/z");
    let mut command = gateway.command(&format!("{line} --resume"));
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", gate.port));
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    until("the object is not asked for", || !gate.take_ranges().is_empty());
    signal(&child, "KILL");
    child.wait().unwrap();
    gate.open();
    gate.take();
    assert_eq!(resumed(t, gateway, gate, line), 2 * EVERY);
    is_as_wanted(t, gateway, line);
}

fn an_object_whose_way_was_lost_is_read_on(t: &Place, gateway: &Gateway<'_>, gate: &Gate) {
    gate.cut_from("p/z", HELD);
    let line = "hash -c sha256 -f jsonl -o out s3://bucket/p/";
    run(t, gateway, gate, line).code(2).says("the same command with --resume reads only what is missing");
    gate.open();
    gate.take();
    assert_eq!(resumed(t, gateway, gate, line), 2 * EVERY);
    is_as_wanted(t, gateway, line);
}

fn all_is_read_if_states_are_not_certain(t: &Place, gateway: &Gateway<'_>, gate: &Gate) {
    let line = "hash -c sha256 -f jsonl -o out s3://bucket/p/";
    // The second record is damaged, then the first.
    for (byte, from) in [(0.6, EVERY), (0.1, 0)] {
        killed(t, gateway, gate, line);
        let mut states = t.read(BEGUN);
        let at = (states.len() as f64 * byte) as usize;
        states[at] ^= 1;
        t.file(BEGUN, states);
        assert_eq!(resumed(t, gateway, gate, line), from);
        is_as_wanted(t, gateway, line);
    }
    // The states of one digest can't be had.
    let line = "hash -c sha256,xxh64 -f jsonl -o out s3://bucket/p/";
    gate.hold_from("p/z", HELD);
    let mut command = gateway.command(line);
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", gate.port)).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut asked = Vec::new();
    until("it does not come far", || {
        asked.extend(gate.take_ranges());
        asked.iter().any(|range| range.start >= HELD)
    });
    signal(&child, "KILL");
    child.wait().unwrap();
    gate.open();
    gate.take();
    assert!(!t.has(BEGUN));
    assert_eq!(resumed(t, gateway, gate, line), 0);
    t.remove("out");
    // Another object of the same name and size.
    let line = "hash -c sha256 -f jsonl -o out s3://bucket/p/";
    killed(t, gateway, gate, line);
    large(t, 2);
    gateway.fill("tree", "p/").unwrap();
    assert_eq!(resumed(t, gateway, gate, line), 0);
    is_as_wanted(t, gateway, line);
}
