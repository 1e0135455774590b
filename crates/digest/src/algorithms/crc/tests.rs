use super::*;
use crc_fast::CrcAlgorithm;

fn message(length: usize) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_mul(i) >> 3 ^ i >> 9) as u8).collect()
}

/// Returns every implementation for this machine, and tables alone.
fn ways() -> impl Iterator<Item = Option<&'static fold::FoldKernel>> {
    fold::all().map(Some).chain([None])
}

fn agrees<C: Code>(algorithm: CrcAlgorithm) {
    let message = message(5000);
    for way in ways() {
        let lengths = (0..700).chain([1023, 1024, 1025, 2048, 4096, 4999, 5000]);
        for length in lengths {
            let mut crc = Crc::<C>::by(way);
            crc.update(&message[..length]);
            let expected = crc_fast::checksum(algorithm, &message[..length]);
            assert_eq!(crc.value(), expected, "{length} bytes by {:?}", way.map(|way| way.name));
        }
        for split in (0..5000).step_by(37) {
            let mut crc = Crc::<C>::by(way);
            crc.update(&message[..split]);
            crc.update(&message[split..]);
            assert_eq!(crc.value(), crc_fast::checksum(algorithm, &message), "cut at {split}");
        }
    }
}

fn joins<C: Code>(algorithm: CrcAlgorithm) {
    let message = message(3000);
    for split in [0, 1, 7, 128, 1000, 1024, 2999, 3000] {
        let [left, right] =
            [&message[..split], &message[split..]].map(|part| node(checksum::<C>(part), part.len() as u64));
        assert_eq!(value(&combined::<C>(&[left, right])), crc_fast::checksum(algorithm, &message), "{split}");
    }
    // Lengths that are too long to hash here.
    for bytes in [1 << 20, (1 << 40) + 12345, u64::MAX] {
        let expected = crc_fast::checksum_combine(algorithm, 0x1234_5678, 0x9abc_def0, bytes);
        assert_eq!(joined::<C>(0x1234_5678, 0x9abc_def0, bytes), expected, "{bytes}");
    }
}

#[test]
fn all_ways_agree_with_the_crate() {
    agrees::<Zip>(CrcAlgorithm::Crc32IsoHdlc);
    agrees::<Castagnoli>(CrcAlgorithm::Crc32Iscsi);
    agrees::<Xz>(CrcAlgorithm::Crc64Xz);
    agrees::<Nvme>(CrcAlgorithm::Crc64Nvme);
    agrees::<Posix>(CrcAlgorithm::Crc32Cksum);
}

#[test]
fn checksums_of_parts_are_joined_as_by_the_crate() {
    joins::<Zip>(CrcAlgorithm::Crc32IsoHdlc);
    joins::<Castagnoli>(CrcAlgorithm::Crc32Iscsi);
    joins::<Xz>(CrcAlgorithm::Crc64Xz);
    joins::<Nvme>(CrcAlgorithm::Crc64Nvme);
    joins::<Posix>(CrcAlgorithm::Crc32Cksum);
}

/// Returns the carry-less product of two words.
fn product(a: u64, b: u64) -> u128 {
    (0..64).filter(|bit| b >> bit & 1 == 1).fold(0, |sum, bit| sum ^ u128::from(a) << bit)
}

/// Folds like all implementations, on plain words: this tests factors that only some processors use.
fn folded(key: [u64; 2], row: usize, Blocks { keys, remainder, blocks }: Blocks<'_>) -> [u64; 2] {
    let next = |sum: u128, key: [u64; 2], block: u128| {
        product(sum as u64, key[0]) ^ product((sum >> 64) as u64, key[1]) ^ block
    };
    let mut blocks = blocks.iter().map(|block| u128::from_le_bytes(*block));
    let mut sums: Vec<u128> = blocks.by_ref().take(row).collect();
    sums[0] ^= u128::from(remainder);
    for (at, block) in blocks.enumerate() {
        let at = at % row;
        sums[at] = next(sums[at], key, block);
    }
    let last = sums.iter().fold(0, |last, sum| next(last, keys.next, *sum));
    [last as u64, (last >> 64) as u64]
}

#[test]
fn all_factors_are_right() {
    fn all<C: Code>() {
        let message = message(64 * 16);
        let blocks = Blocks { keys: C::KEYS, remainder: ones::<C>(), blocks: message.as_chunks().0 };
        let expected = table::remainder::<C>(ones::<C>(), &message);
        for (key, row) in [(C::KEYS.next, 1), (C::KEYS.after_8, 8), (C::KEYS.after_16, 16)] {
            let words = folded(key, row, blocks);
            assert_eq!(words.into_iter().fold(0, table::after_word::<C>), expected, "{row} in a row");
        }
    }
    all::<Zip>();
    all::<Castagnoli>();
    all::<Xz>();
    all::<Nvme>();
}

#[test]
fn a_message_may_go_on_behind_another() {
    let message = message(1000);
    for cut in [0, 1, 7, 500, 999, 1000] {
        let (first, rest) = message.split_at(cut);
        assert_eq!(crc32c_after(crc32c(first), rest), crc32c(&message), "{cut}");
    }
    // The examples of RFC 3720.
    assert_eq!([crc32c(&[0; 32]), crc32c(&[0xff; 32])], [0x8a91_36aa, 0x62a8_ab43]);
}
