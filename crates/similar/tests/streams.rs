//! A stream may be divided into any parts.

use crate::common::{Random, digest_by};
use hashmill_similar::{Likeness, LikenessDigest, Refusal, SIMILAR, sdhash};

/// Returns contents of several kinds: random, text of few words, zeros, periodic, and mixtures.
fn contents(numbers: &mut Random, length: usize) -> Vec<Vec<u8>> {
    let random = numbers.bytes(length);
    let words: [&[u8]; 5] = [b"lane ", b"digest ", b"of many ", b"files\n", b"0000000000"];
    let text: Vec<u8> = (0..length).flat_map(|_| words[numbers.below(5)]).copied().take(length).collect();
    let zeros = vec![0; length];
    let period: Vec<u8> = random.iter().take(97).copied().cycle().take(length).collect();
    let mixed = [&random[..length / 3], &zeros[..length / 3], &text[..length / 3]].concat();
    vec![random, text, zeros, period, mixed]
}

fn in_parts(
    mut stream: Box<dyn Likeness>,
    bytes: &[u8],
    numbers: &mut Random,
) -> Result<LikenessDigest, Refusal> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let longest = [1, 7, 64, 300, 5000, 100_000][numbers.below(6)];
        let (part, more) = rest.split_at(rest.len().min(numbers.below(longest + 1)));
        stream.update(part);
        rest = more;
    }
    stream.update(b"");
    stream.finish()
}

#[test]
fn any_split_gives_the_digest_of_the_whole() {
    let mut numbers = Random(5);
    for length in [0, 1, 3, 4, 5, 49, 50, 63, 64, 65, 200, 511, 512, 513, 5000, 40_961, 200_000] {
        for content in contents(&mut numbers, length) {
            for row in SIMILAR {
                let whole = digest_by((row.stream)(), &content);
                for _ in 0..3 {
                    let parts = in_parts((row.stream)(), &content, &mut numbers);
                    assert_eq!(parts, whole, "{} of {length} bytes", row.name);
                }
            }
        }
    }
}

#[test]
fn segments_do_not_depend_on_the_split() {
    let mut numbers = Random(6);
    let stream = || {
        let mode = sdhash::Mode::Blocks { kib: 3, segment: 1 };
        Box::new(sdhash::SdhashStream::new(mode, sdhash::Version::V4_0))
    };
    for more in [0, 1, 300, 511, 512, 513, 700, 5000] {
        let bytes = numbers.bytes((2 << 20) + more);
        let whole = digest_by(stream(), &bytes);
        assert_eq!(in_parts(stream(), &bytes, &mut numbers), whole, "{more}");
        let Ok(LikenessDigest::Sdhash(segments)) = whole else { panic!("no digest") };
        assert_eq!(segments.len(), if more > 512 { 3 } else { 2 }, "{more}");
    }
}

#[test]
fn a_hint_of_the_length_changes_nothing() {
    let mut numbers = Random(8);
    for length in [600, 100_000, 17 << 20] {
        let bytes = numbers.bytes(length);
        let plain = sdhash::SdhashStream::new(sdhash::Mode::Auto, sdhash::Version::V4_0);
        let mut told = sdhash::SdhashStream::new(sdhash::Mode::Auto, sdhash::Version::V4_0);
        told.expect(length as u64);
        assert_eq!(digest_by(Box::new(told), &bytes), digest_by(Box::new(plain), &bytes));
    }
}

#[test]
fn too_little_is_said_not_hashed() {
    let refusals = |bytes: &[u8]| -> Vec<Option<Refusal>> {
        let rows = ["ssdeep", "tlsh", "sdhash", "mrsh-v2"].map(|name| hashmill_similar::find(name).unwrap());
        rows.iter().map(|row| digest_by((row.stream)(), bytes).err()).collect()
    };
    let small = |minimum| Some(Refusal::TooSmall { minimum });
    assert_eq!(refusals(b""), [None, small(50), small(512), None]);
    assert_eq!(refusals(&[9; 49]), [None, small(50), small(512), None]);
    assert_eq!(refusals(&[9; 511]), [None, Some(Refusal::TooPlain), small(512), None]);
    assert_eq!(refusals(&[9; 512]), [None, Some(Refusal::TooPlain), None, None]);
}
