//! The digest does not depend on the cuts of the message.

use hashmill_digest::{ALGORITHMS, Algorithm, Digest, Slot, StreamPart, find, hash};
use hashmill_testing::Random;

fn in_parts<'a>(algorithm: &Algorithm, parts: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut bank = (algorithm.bank)();
    let slot = bank.open();
    for bytes in parts {
        bank.update(&[StreamPart { slot, bytes, last: false }]);
    }
    bank.update(&[StreamPart { slot, bytes: &[], last: true }]);
    bank.close(slot)
}

/// Lengths around the blocks and buffers of every row: 64, 72, 104, 128, 136, 144, 168, 240 (XXH3), 256,
/// 1024 (BLAKE3), 8192 (KangarooTwelve), and eight blocks.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = [16, 55, 64, 72, 104, 111, 128, 136, 144, 168, 240, 256, 512, 1024, 2048, 8192, 16384, 65536];
    edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]).chain([0, 1, 2, 3, 100_000])
}

#[test]
fn two_parts() {
    let message = Random(1).bytes(700);
    for algorithm in ALGORITHMS {
        let whole = hash(algorithm, &message);
        for cut in 0..=message.len() {
            let (head, tail) = message.split_at(cut);
            assert_eq!(in_parts(algorithm, [head, tail]), whole, "{algorithm:?} cut at {cut}");
        }
    }
}

#[test]
fn lengths_around_every_boundary_in_parts_of_every_kind() {
    let message = Random(2).bytes(100_000);
    for algorithm in ALGORITHMS {
        for length in lengths() {
            let message = &message[..length];
            let whole = hash(algorithm, message);
            for part in [7, 64, 65, 1000, 4096, 8191] {
                let got = in_parts(algorithm, message.chunks(part));
                assert_eq!(got, whole, "{algorithm:?}, {length} bytes in parts of {part}");
            }
        }
    }
}

#[test]
fn parts_of_random_lengths() {
    let message = Random(3).bytes(60_000);
    let cuts = Random(4).bytes(4000);
    for algorithm in ALGORITHMS {
        let whole = hash(algorithm, &message);
        for start in 0..20 {
            let mut rest = &message[..];
            let mut parts = Vec::new();
            for pair in cuts[start * 100..].chunks(2) {
                let length =
                    usize::from(u16::from_le_bytes([pair[0], pair[1]]) >> (start % 8)).min(rest.len());
                let (head, tail) = rest.split_at(length);
                parts.push(head);
                rest = tail;
            }
            parts.push(rest);
            assert_eq!(in_parts(algorithm, parts), whole, "{algorithm:?}, run {start}");
        }
    }
}

#[test]
fn streams_of_one_bank_do_not_mix() {
    let messages: Vec<Vec<u8>> = (0..40).map(|i| Random(i as u64 + 9).bytes(i * 37)).collect();
    for algorithm in ALGORITHMS {
        let mut bank = (algorithm.bank)();
        let slots: Vec<_> = messages.iter().map(|_| bank.open()).collect();
        for half in 0..2 {
            let batch = messages.iter().zip(&slots).map(|(message, slot)| {
                let (head, tail) = message.split_at(message.len() / 3);
                StreamPart { slot: *slot, bytes: [head, tail][half], last: half == 1 }
            });
            bank.update(&batch.collect::<Vec<_>>());
        }
        for (message, slot) in messages.iter().zip(slots) {
            assert_eq!(bank.close(slot), hash(algorithm, message), "{algorithm:?}");
        }
    }
}

#[test]
fn an_abandoned_slot_starts_afresh() {
    for algorithm in ALGORITHMS {
        let mut bank = (algorithm.bank)();
        let slot = bank.open();
        bank.update(&[StreamPart { slot, bytes: b"gone", last: false }]);
        bank.abandon(slot);
        let slot = bank.open();
        bank.update(&[StreamPart { slot, bytes: b"abc", last: true }]);
        assert_eq!(bank.close(slot), hash(algorithm, b"abc"), "{algorithm:?}");
    }
}

#[test]
fn a_fork_and_its_origin_go_their_own_ways() {
    let message = Random(7).bytes(20_000);
    let other = Random(8).bytes(9000);
    for algorithm in ALGORITHMS.iter().chain([find("blake3:48").unwrap(), find("s3-etag:5K").unwrap()]) {
        for make in [algorithm.alone, algorithm.bank] {
            for cut in [0, 1, 63, 64, 1025, 8192, 17_000] {
                let (head, tail) = message.split_at(cut);
                let mut bank = make();
                // Another stream, so that the copied one is not the first.
                bank.open();
                let slot = bank.open();
                bank.update(&[StreamPart { slot, bytes: head, last: false }]);
                let mut fork = bank.fork(slot);
                let copy = Slot(0);
                fork.update(&[StreamPart { slot: copy, bytes: &other, last: true }]);
                bank.update(&[StreamPart { slot, bytes: tail, last: true }]);
                let forked = [head, &other].concat();
                assert_eq!(fork.close(copy), hash(algorithm, &forked), "{algorithm:?}, fork at {cut}");
                assert_eq!(bank.close(slot), hash(algorithm, &message), "{algorithm:?}, origin at {cut}");
            }
        }
    }
}
