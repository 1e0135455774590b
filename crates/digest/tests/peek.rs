//! Digests of what a stream was given so far, and of whole messages at once, are those of streams.

use hashmill_digest::{ALGORITHMS, Algorithm, Digest, StreamPart, find, hash};

/// Whatever an algorithm does differently by length: none, short, around blocks, stripes and buffers of XXH3, long.
const LENGTHS: [usize; 16] = [0, 1, 3, 8, 16, 17, 64, 128, 129, 240, 241, 256, 257, 1024, 1025, 9000];

fn message(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

/// The digest of a message that comes in two parts.
fn in_parts(algorithm: &Algorithm, message: &[u8]) -> Digest {
    let mut bank = (algorithm.alone)();
    let slot = bank.open();
    let (head, tail) = message.split_at(message.len() / 3);
    bank.update(&[
        StreamPart { slot, bytes: head, last: false },
        StreamPart { slot, bytes: tail, last: true },
    ]);
    bank.close(slot)
}

#[test]
fn a_stream_tells_its_digest_and_goes_on() {
    for algorithm in ALGORITHMS.iter().filter(|row| row.of_entry.is_none()) {
        for make in [algorithm.alone, algorithm.bank] {
            let mut bank = make();
            // Another stream beside it, which it is not mixed up with.
            let other = bank.open();
            let slot = bank.open();
            for (given, part) in [(0, 0..0), (100, 0..100), (5000, 100..5000)] {
                let all = message(given);
                bank.update(&[StreamPart { slot, bytes: &all[part], last: false }]);
                assert_eq!(bank.peek(slot), hash(algorithm, &all), "{} of {given}", algorithm.name);
            }
            bank.update(&[StreamPart { slot, bytes: b"end", last: true }]);
            let all = [message(5000), b"end".to_vec()].concat();
            assert_eq!(bank.close(slot), hash(algorithm, &all), "{}", algorithm.name);
            assert_eq!(bank.peek(other), hash(algorithm, b""), "{}", algorithm.name);
        }
    }
}

#[test]
fn whole_messages_have_the_digests_of_streams() {
    let messages: Vec<_> = LENGTHS.into_iter().map(message).collect();
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    for algorithm in ALGORITHMS.iter().filter(|row| row.of_entry.is_none()) {
        let size = algorithm.bits as usize / 8;
        for make in [algorithm.alone, algorithm.bank] {
            let mut digests = vec![0; messages.len() * size];
            make().digest_all(&messages, &mut digests);
            for (message, digest) in messages.iter().zip(digests.chunks_exact(size)) {
                let wanted = in_parts(algorithm, message);
                assert_eq!(digest, wanted.as_bytes(), "{} of {}", algorithm.name, message.len());
                let whole = algorithm.whole.map_or(wanted, |whole| whole(message));
                assert_eq!(whole, wanted, "{} of {}", algorithm.name, message.len());
            }
        }
    }
}

#[test]
fn a_length_or_a_part_of_its_own_is_never_the_rows_digest() {
    for name in ["blake3:16", "blake3:64", "blake2b:16", "s3-etag:5M", "s3-crc32:5M"] {
        assert!(find(name).unwrap().whole.is_none(), "{name}");
    }
    assert!(["xxh3", "crc32", "sha256", "blake3"].iter().all(|name| find(name).unwrap().whole.is_some()));
}
