//! Digests that depend on a file's name and length are the same in any parts, beside others, and as computed by rhash.

use hashmill_digest::{About, Algorithm, Digest, Slot, StreamPart, find};
use hashmill_testing::{Folder, Random, installed, is_name};
use std::process::Command;

fn btih() -> &'static Algorithm {
    find("btih").unwrap()
}

fn hash(about: &About<'_>, bytes: &[u8], parts: usize) -> Digest {
    let mut bank = (btih().bank)();
    let slot = bank.open_about(about);
    for bytes in bytes.chunks(parts) {
        bank.update(&[StreamPart { slot, bytes, last: false }]);
    }
    bank.update(&[StreamPart { slot, bytes: &[], last: true }]);
    bank.close(slot)
}

/// Computed by `rhash --btih` for a file `f` with this many letters `x`.
const RHASH: &[(usize, &str)] = &[
    (0, "e05db72305c3f3c81803f3ca5f6e81bf16920b22"),
    (1, "74451946519cbc7c550f022687a7943f8c1957be"),
    (16_383, "703ce888462f8ac74ac25888c480ee4dabdae561"),
    (16_384, "513cf2bba9fdb9e1da7d94a8e78d152f627b0361"),
    (16_385, "7732189205db77ececb8e52a9f0c064fdaaedeb7"),
    ((16 << 20) - 1, "965b4a8b4014922cc204a997b43643742417f3d2"),
    (16 << 20, "9f4ea69a24374f094c212e1638add9e1b767fd38"),
    ((16 << 20) + 1, "91e73459edb0194067c65f628e530e0882934bd9"),
    (32 << 20, "2a6d3e83978145458bb2372362b8782a494bd6ee"),
];

#[test]
fn lengths_around_pieces_are_as_rhash_has_them() {
    let message = vec![b'x'; 32 << 20];
    for (bytes, wanted) in RHASH {
        for size in [None, Some(*bytes as u64)] {
            let about = About { size, path: b"f" };
            assert_eq!(hash(&about, &message[..*bytes], 1 << 18).to_string(), *wanted, "{bytes} {size:?}");
        }
    }
}

#[test]
fn files_of_many_lengths_side_by_side_do_not_mix() {
    let lengths = [0, 5, 40_000, 16 << 20, 100_000, 33 << 20, 16_384, 17 << 20];
    let message = Random(1).bytes(33 << 20);
    let names: Vec<String> = (0..lengths.len()).map(|place| format!("name {place}")).collect();
    let about = |place: usize| {
        // Some lengths are unknown in advance.
        let size = (place % 3 != 1).then_some(lengths[place] as u64);
        About { size, path: names[place].as_bytes() }
    };
    let mut bank = (btih().bank)();
    let gone = bank.open_about(&About::file(b"d/gone", Some(9)));
    bank.update(&[StreamPart { slot: gone, bytes: b"gone", last: false }]);
    bank.abandon(gone);
    let slots: Vec<Slot> = (0..lengths.len()).map(|place| bank.open_about(&about(place))).collect();
    let step = 1 << 20;
    for start in (0..message.len()).step_by(step) {
        let rows = slots.iter().zip(lengths).filter(|(_, length)| start == 0 || start < *length);
        let parts = rows.map(|(slot, length)| {
            let end = length.min(start + step);
            StreamPart { slot: *slot, bytes: &message[start..end], last: end == length }
        });
        bank.update(&parts.collect::<Vec<_>>());
    }
    for (place, slot) in slots.into_iter().enumerate() {
        let wanted = hash(&about(place), &message[..lengths[place]], 99_991);
        assert_eq!(bank.close(slot), wanted, "{place}");
    }
}

#[test]
fn rhash_agrees_whatever_the_name() {
    let Some(rhash) = installed("rhash") else { return };
    let folder = Folder::new();
    let names: [&[u8]; 7] = [b"a", b"n\xff\xfe", b"a b%", b"a\nb", b"4:name", b"\xc3\xa9", &[b'n'; 255]];
    for (length, name) in names.iter().enumerate().filter(|(_, name)| is_name(name)) {
        let bytes = Random(7).bytes(length * 10_000);
        let path = folder.file(name, &bytes);
        let ran = Command::new(&rhash).args(["-p", "%{btih}", "--btih"]).arg(&path).output().unwrap();
        let named = [b"folder/", *name].concat();
        let about = About::file(&named, Some(bytes.len() as u64));
        let wanted = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(hash(&about, &bytes, 4096).to_string(), wanted.trim(), "{}", name.escape_ascii());
    }
}
