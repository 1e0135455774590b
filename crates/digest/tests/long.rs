//! Messages whose length in bits does not fit 32 bits, and some whose length in bytes does not.

use hashloom_digest::{ALGORITHMS, Digest, Part, find};

/// The digest of so many zero bytes.
fn zeros(name: &str, mut length: u64) -> Digest {
    let block = vec![0; 1 << 20];
    let mut bank = (find(name).unwrap().bank)();
    let slot = bank.open();
    while length > 0 {
        let now = length.min(block.len() as u64);
        bank.update(&[Part { slot, bytes: &block[..now as usize], last: length == now }]);
        length -= now;
    }
    bank.close(slot)
}

/// Answers of OpenSSL 3, rhash 1.4.3, coreutils 9.1, b3sum 1.8 and xxhsum 0.8.1 for 2^29 + 1 zero bytes.
const HALF: &[(&str, &str)] = &[HALF_ROWS];

/// The same for 2^32 + 1 zero bytes.
const WHOLE: &[(&str, &str)] = &[WHOLE_ROWS];

#[test]
fn past_2_to_the_29_bytes() {
    // The quick ones; the others run with those past 4 GiB.
    for (name, expected) in
        HALF.iter().filter(|(name, _)| ["sha1", "sha256", "cksum", "xxh64"].contains(name))
    {
        assert_eq!(find(name).unwrap().format(&zeros(name, (1 << 29) + 1)), *expected, "{name}");
    }
}

#[test]
#[ignore = "takes minutes: cargo test --release -p hashloom-digest --test long -- --ignored"]
fn past_4_gib() {
    for (name, expected) in HALF {
        assert_eq!(find(name).unwrap().format(&zeros(name, (1 << 29) + 1)), *expected, "{name}");
    }
    for (name, expected) in WHOLE {
        assert_eq!(find(name).unwrap().format(&zeros(name, (1 << 32) + 1)), *expected, "{name}");
    }
}

#[test]
fn every_name_is_a_row() {
    for (name, _) in HALF.iter().chain(WHOLE) {
        assert!(ALGORITHMS.iter().any(|row| row.name == *name), "{name}");
    }
}
