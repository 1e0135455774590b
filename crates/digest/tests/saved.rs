//! A state that was saved anywhere in a message goes on to the digest of the whole, on any kernel.

use hashmill_digest::leaves::LeafBank;
use hashmill_digest::probe::{PROBES, Plan, Probe, Width};
use hashmill_digest::{
    ALGORITHMS, About, Algorithm, Bank, Digest, Isa, Node, Saved, SegmentTree, Slot, StreamPart, find, hash,
};
use hashmill_testing::{Random, cases};

/// The algorithms whose states can't be had, as docs/reading.md names them: those of libraries that keep them to themselves,
/// and digests whose folds are not stored.
const LOST: &[&str] = &["xxh64", "xxh32", "hidrive", "fs-verity", "fs-verity-sha512", "cid", "aich"];

/// The rows, and some that are made.
fn rows() -> impl Iterator<Item = &'static Algorithm> {
    let made = ["blake2b:20", "blake2s-128", "blake3:16", "s3-etag:5K", "s3-crc32c:1K", "sha256d"];
    ALGORITHMS.iter().chain(made.map(|name| find(name).unwrap()))
}

/// Returns a low number in debug builds, and a high one in release builds.
fn times(debug: usize, release: usize) -> usize {
    if cfg!(debug_assertions) { debug } else { release }
}

/// Returns every bank of an algorithm that this machine can run.
fn banks(probe: &Probe) -> impl Iterator<Item = (Plan, Box<dyn Bank>)> {
    let ways = |isa| [Plan::Cheapest(isa)].into_iter().chain(Width::ALL.map(|width| Plan::Only(isa, width)));
    let plans = [Plan::Single].into_iter().chain(Isa::available().flat_map(ways));
    plans.filter_map(|plan| Some((plan, (probe.lanes.bank)(plan)?)))
}

fn sent(saved: &Saved) -> Saved {
    Saved::from_bytes(&saved.to_bytes()).expect("what was written")
}

fn begun(bank: &mut dyn Bank, head: &[u8], size: usize) -> Slot {
    // Another stream, so that this one is not the first.
    bank.open_about(&About::sized(Some(1)));
    let slot = bank.open_about(&About::sized(Some(size as u64)));
    bank.update(&[StreamPart { slot, bytes: head, last: false }]);
    slot
}

fn ended(bank: &mut dyn Bank, slot: Slot, tail: &[u8]) -> Digest {
    bank.update(&[StreamPart { slot, bytes: tail, last: true }]);
    bank.close(slot)
}

/// Places to cut a message of this length: about blocks and chunks, and anywhere.
fn cuts(length: usize, chance: &mut Random) -> Vec<usize> {
    let edges = [1, 20, 64, 72, 104, 128, 136, 144, 168, 240, 256, 1024, 2048, 8192, 9216, 16384];
    let near = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]).filter(|cut| *cut <= length);
    let random: Vec<usize> = (0..cases(times(20, 500))).map(|_| chance.below(length + 1)).collect();
    near.chain(random).chain([length]).collect()
}

#[test]
fn streams_go_on_from_any_byte() {
    let mut chance = Random(11);
    let message = chance.bytes(20_000);
    for row in rows().filter(|row| row.of_entry.is_none()) {
        let Some(mut first) = row.saving() else { continue };
        for cut in cuts(message.len(), &mut chance).into_iter().filter(|cut| *cut > 0) {
            let (head, tail) = message.split_at(cut);
            let slot = begun(&mut *first, head, message.len());
            let saved = Saved::from_stream(row, cut as u64, &*first, slot).unwrap();
            let mut second = row.saving().unwrap();
            let went_on = sent(&saved).open(&mut *second).unwrap();
            let wanted = whole(row, &message);
            assert_eq!(ended(&mut *second, went_on, tail), wanted, "{row:?} at {cut}");
            // The first one is as it was.
            assert_eq!(ended(&mut *first, slot, tail), wanted, "{row:?} at {cut}");
        }
    }
}

fn whole(row: &'static Algorithm, message: &[u8]) -> Digest {
    let mut bank = (row.alone)();
    let slot = bank.open_about(&About::sized(Some(message.len() as u64)));
    ended(&mut *bank, slot, message)
}

#[test]
fn every_kernel_goes_on_from_the_state_of_every_other() {
    let mut chance = Random(12);
    let message = chance.bytes(5000);
    for probe in PROBES.iter().filter(|probe| probe.algorithm.tree.is_none()) {
        for (_, mut first) in banks(probe) {
            for (plan, mut second) in banks(probe) {
                for _ in 0..cases(times(3, 40)) {
                    let (head, tail) = message.split_at(chance.below(message.len()));
                    let slot = begun(&mut *first, head, message.len());
                    let saved =
                        Saved::from_stream(probe.algorithm, head.len() as u64, &*first, slot).unwrap();
                    let beside = begun(&mut *second, &message[..77], message.len());
                    let slot = sent(&saved).open(&mut *second).unwrap();
                    second.update(&[
                        StreamPart { slot: beside, bytes: &message[77..], last: true },
                        StreamPart { slot, bytes: tail, last: true },
                    ]);
                    let wanted = hash(probe.algorithm, &message);
                    for slot in [slot, beside] {
                        assert_eq!(second.close(slot), wanted, "{} by {plan:?}", probe.algorithm.name);
                    }
                }
            }
        }
    }
}

#[test]
fn trees_go_on_from_their_nodes() {
    let mut chance = Random(13);
    for row in rows() {
        let Some(tree) = row.tree else { continue };
        let segment = tree.segment_bytes() as usize;
        let message = chance.bytes(5 * segment + 1000);
        for cut in 1..=5 {
            let mut nodes = Vec::new();
            add(&mut nodes, tree, 0, &message[..cut * segment]);
            let mut nodes = sent(&Saved::from_nodes(row, &nodes)).nodes().unwrap().to_vec();
            add(&mut nodes, tree, cut * segment, &message[cut * segment..]);
            assert_eq!(tree.join(&nodes), hash(row, &message), "{row:?} after {cut}");
        }
    }
}

/// Adds the segments of a range. Neighbours are joined before the next one comes.
fn add(nodes: &mut Vec<Node>, tree: &dyn SegmentTree, offset: usize, bytes: &[u8]) {
    let segment = tree.segment_bytes() as usize;
    for (number, bytes) in bytes.chunks(segment).enumerate() {
        while let [.., left, right] = nodes[..] {
            if left.bytes() != right.bytes() {
                break;
            }
            nodes.truncate(nodes.len() - 2);
            nodes.push(tree.parent(&left, &right));
        }
        nodes.push(tree.leaf((offset + number * segment) as u64, bytes));
    }
}

#[test]
#[ignore = "campaign: takes long"]
fn folds_go_on_from_any_leaf() {
    let mut chance = Random(14);
    for row in rows().filter(|row| row.leaves.is_some() || row.of_entry.is_some()) {
        let about = |size: usize| About { size: Some(size as u64), path: b"name" };
        let unit = row.folding(&about(1 << 20)).unwrap().shape().unit() as usize;
        let message = chance.bytes(3 * unit + 100);
        let folding = || row.folding(&about(message.len())).unwrap();
        let leaves = |offset: usize, bytes: &[u8]| {
            let mut bank = LeafBank::new(*folding().shape());
            let slot = bank.open(offset as u64);
            bank.update(&[StreamPart { slot, bytes, last: true }]);
            bank.close(slot)
        };
        let mut whole = folding();
        whole.take(&leaves(0, &message));
        let wanted = whole.finish(message.len() as u64);
        for cut in 1..=3 {
            let (head, tail) = message.split_at(cut * unit);
            let mut first = folding();
            first.take(&leaves(0, head));
            let saved = Saved::from_fold(row, head.len() as u64, &first);
            assert_eq!(saved.is_none(), LOST.contains(&row.name), "{row:?}");
            let Some(saved) = saved else { continue };
            let mut second = sent(&saved).folding(folding()).unwrap();
            assert_eq!(second.leaves(), first.leaves());
            second.take(&leaves(head.len(), tail));
            assert_eq!(second.finish(message.len() as u64), wanted, "{row:?} after {cut}");
            // Nothing goes on with it in the midst of a leaf.
            assert!(Saved::from_fold(row, 1, &first).unwrap().folding(folding()).is_none());
        }
    }
}

#[test]
fn only_named_algorithms_have_no_state() {
    for row in ALGORITHMS.iter().filter(|row| row.of_entry.is_none()) {
        assert_eq!(row.saving().is_none(), LOST.contains(&row.name), "{row:?}");
    }
    assert!(LOST.iter().all(|name| find(name).is_ok()));
}

#[test]
fn what_is_no_state_of_the_algorithm_is_none() {
    let sha256 = find("sha256").unwrap();
    let mut bank = sha256.saving().unwrap();
    let slot = begun(&mut *bank, &[7; 100], 100);
    let saved = Saved::from_stream(sha256, 100, &*bank, slot).unwrap();
    for other in ["sha512", "sha1", "blake3", "crc32", "md5", "s3-etag"] {
        let other = find(other).unwrap();
        let opened = other.saving().and_then(|mut bank| saved.open(&mut *bank));
        assert!(opened.is_none(), "{other:?}");
        assert!(other.folding(&About::default()).and_then(|unused| saved.folding(unused)).is_none());
    }
    assert!(saved.nodes().is_none());
    let bytes = saved.to_bytes();
    for length in 0..bytes.len() {
        assert!(Saved::from_bytes(&bytes[..length]).is_none(), "{length} bytes");
    }
    let altered = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        Saved::from_bytes(&bytes)
    };
    assert!(altered(0, 2).is_none(), "another version");
    assert!(altered(9, b'x').is_none(), "an unknown name");
    assert!(Saved::from_bytes(&[&bytes[..], &[0]].concat()).is_none(), "more bytes");
    // A count of kept bytes that does not fit the length of the message.
    let kept = bytes.iter().rposition(|byte| *byte == 7).unwrap();
    let cut = [&bytes[..kept], &bytes[kept + 1..]].concat();
    assert!(Saved::from_bytes(&cut).is_none_or(|saved| saved.open(&mut *bank).is_none()));
}
