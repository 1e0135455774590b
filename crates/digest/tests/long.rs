//! Messages with a length in bits that does not fit into 32 bits, and some with such a length in bytes.

use hashmill_digest::{ALGORITHMS, Digest, StreamPart, find};

/// Returns the digest of this many zero bytes.
fn zeros(name: &str, mut length: u64) -> Digest {
    let block = vec![0; 1 << 20];
    let mut bank = (find(name).unwrap().bank)();
    let slot = bank.open();
    while length > 0 {
        let now = length.min(block.len() as u64);
        bank.update(&[StreamPart { slot, bytes: &block[..now as usize], last: length == now }]);
        length -= now;
    }
    bank.close(slot)
}

/// Answers of OpenSSL 3, rhash 1.4.3, coreutils 9.1, b3sum 1.8 and xxhsum 0.8.1 for 2^29 + 1 zero bytes.
const HALF: &[(&str, &str)] = &[
    ("sha1", "3e1bb536d18494c32e66ef9f479d65bbe0d863de"),
    ("sha256", "7c40fe5ce847740d0f0d0cdde3949d6585804cdec3ae61a15b923165699c8137"),
    ("md5", "ea3b62c6b93cb3625a1fd76777985f5a"),
    (
        "sha512",
        "8165468866efe161e7d5394bcb5a72bb5dd30e8584ce00a5f87a89c861464ae5ee9bfbbe542d3a80f86f83f2ebeaf2757beffc96e4c0431395bd94284f3c766e",
    ),
    ("cksum", "3148993448"),
    ("xxh32", "6a9617fc"),
    ("xxh64", "08f69772bff46569"),
    ("xxh128", "6b889d1af30912677992671ff892bc9f"),
    ("blake3", "33e017ed2cc4450d3dc1ed4a9ef471e6760973c45ec985b7ccc40ed301701daa"),
    (
        "blake2b-512",
        "8c6cb3d95b743e7eaf3820920eabff49b2afd0e0356ac256ca1004de21c4ffd43886ee0b6ef92c0f3467412d90c0ba412386efa9aef062a4c3c44b63ecddf95f",
    ),
    ("crc32c", "56696fac"),
    ("tiger", "d74991df734f789997640bcdad82c70fc3c73fe147a54ddb"),
    ("ripemd160", "82e97d3b733eea431f15942414f3274e447ff461"),
    ("sha3-256", "254c108910acd0b08725db0bcdc8bac9f74834017c26a0e51f452cf4724dc923"),
    ("sm3", "1860c1d3654409dd1bbc7aea48889ae732d3aa767f282add9cea59a059fc6d1f"),
    (
        "whirlpool",
        "6ff0b862f80fdb58e8fd7fb5b39c656e51d1bba34633933b0159deb5cb4f3d3105ef83ecc5d7d7ada8ac3581ac9f39a7803bb52918dc2a80e3591328e418c633",
    ),
    ("streebog256", "79dff58e007f34a14f555c6bfb63f3de38d7d7ce4efbaee91aa03c2c31f37f44"),
];

/// The same for 2^32 + 1 zero bytes.
const WHOLE: &[(&str, &str)] = &[
    ("sha1", "e7d747b75f76e0e41e83b75bce4642816136304f"),
    ("sha256", "fbb82f7b353676bb562eb82157fcf0ea42c36492ca13ee56dbf82c08b6802c5c"),
    ("md5", "f18c798ff5d450dfe4d3acdc12b621ff"),
    (
        "sha512",
        "89fdc1f5c95f86d177144bc417b3513a669dae7f60c9e57fc2b39e0bfcd6dbb9efdf6b339d1762fe3f5e7914f1b64abb6a97a2ceec1bbb2a381e3eb0d3c43781",
    ),
    ("cksum", "2989721029"),
    ("xxh32", "edd46a0b"),
    ("xxh64", "c80072e34bb87d3b"),
    ("xxh128", "15c53f406838dadc080aa1f1ac86f615"),
    ("blake3", "1c5383e3e425b8b27d54e1b6bf91bb3320b8ba1496f7483f87b5f4490a542794"),
    (
        "blake2b-512",
        "daaeb85783e53019eaded4ab665a2923adc72f57b7cb3ae163adc966f070f8034222f5e9c9862b103c4c5ed38d5c10970c2fbc64d64b760a2be402af445afb59",
    ),
    ("crc32c", "6064a37a"),
];

#[test]
fn past_2_to_the_29_bytes() {
    // Only fast ones; the others are tested beyond 4 GiB.
    for (name, expected) in
        HALF.iter().filter(|(name, _)| ["sha1", "sha256", "cksum", "xxh64"].contains(name))
    {
        assert_eq!(find(name).unwrap().format(&zeros(name, (1 << 29) + 1)), *expected, "{name}");
    }
}

#[test]
#[ignore = "takes minutes: cargo test --release -p hashmill-digest --test main -- long:: --ignored"]
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
