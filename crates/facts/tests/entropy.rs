//! Histograms and what is computed of them.

use hashmill_facts::{Class, ContentFacts, Entropy, FactSet, Histogram};
use hashmill_testing::Random;
use std::fs;
use std::process::Command;

fn of(parts: &[&[u8]]) -> Entropy {
    let mut histogram = Histogram::default();
    parts.iter().for_each(|part| histogram.update(part));
    histogram.entropy()
}

fn texts(entropy: Entropy) -> (String, String) {
    (entropy.bits.to_string(), entropy.chi_square.map_or(String::new(), |chi| chi.to_string()))
}

#[test]
fn known_answers() {
    let every: Vec<u8> = (0..=255).cycle().take(256 * 40).collect();
    assert_eq!(texts(of(&[])), ("0.000000".into(), String::new()));
    assert_eq!(texts(of(&[b"aaaa"])), ("0.000000".into(), "1020.00".into()));
    assert_eq!(texts(of(&[b"abab"])), ("1.000000".into(), "508.00".into()));
    assert_eq!(texts(of(&[&every])), ("8.000000".into(), "0.00".into()));
    assert_eq!(texts(of(&[b"hello, world\n"])), ("3.180833".into(), "400.54".into()));
}

#[test]
fn counts_of_every_byte_are_exact_in_any_parts() {
    let bytes = Random(7).bytes(100_003);
    let mut whole = Histogram::default();
    whole.update(&bytes);
    for byte in 0..=255 {
        assert_eq!(whole.count(byte), bytes.iter().filter(|own| **own == byte).count() as u64);
    }
    for step in [1, 7, 1023, 1024, 1025, 65_536] {
        let mut parts = Histogram::default();
        bytes.chunks(step).for_each(|part| parts.update(part));
        assert_eq!(parts, whole, "parts of {step}");
        let mut sum = Histogram::default();
        for part in bytes.chunks(step.max(1000)).rev() {
            let mut one = Histogram::default();
            one.update(part);
            sum.add(&one);
        }
        assert_eq!(sum, whole, "sums of {step}");
    }
}

/// `ent` prints `0,Bytes,Entropy,Chi-square,…`, then `1,25000,…`.
#[test]
fn the_numbers_are_those_of_ent() {
    let Some(ent) = hashmill_testing::installed("ent") else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    let mut random = Random(3);
    let mut cases =
        vec![b"x".to_vec(), b"hello, world\n".repeat(100), random.bytes(25_000), random.bytes(1_000_000)];
    // Every size of an alphabet.
    cases.extend(
        (1..=255).step_by(23).map(|most: u8| random.bytes(30_000).iter().map(|byte| byte % most).collect()),
    );
    for bytes in cases {
        fs::write(&file, &bytes).unwrap();
        let printed = Command::new(&ent).arg("-t").arg(&file).output().unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        let fields: Vec<&str> = printed.lines().nth(1).unwrap().split(',').collect();
        let [_, size, bits, chi, ..] = fields[..] else { panic!("{printed}") };
        assert_eq!(size, bytes.len().to_string());
        let own = of(&[&bytes]);
        assert_eq!(own.bits.to_string(), bits);
        let (own, theirs) = (own.chi_square.unwrap().to_f64(), chi.parse::<f64>().unwrap());
        assert!((own - theirs).abs() <= 0.011, "{own} and {theirs}");
    }
}

#[test]
fn classes_need_both_facts_to_agree() {
    let judged = |bytes: &[u8], asked: &str| {
        let mut ends = hashmill_facts::Ends::new(None);
        ends.push(bytes);
        let entropy = Some(of(&[bytes]));
        let mut facts =
            ContentFacts { content_type: ends.content_type(), entropy, ..ContentFacts::default() };
        facts.judge(FactSet::parse(asked).unwrap(), b"name", bytes.len() as u64);
        facts.class
    };
    let class = |bytes: &[u8]| judged(bytes, "type,entropy");
    let noise = Random(5).bytes(50_000);
    assert_eq!(class(&b"words and words, and more of them\n".repeat(9)), Some(Class::Text));
    assert_eq!(class(&noise), Some(Class::Random));
    assert_eq!(class(&noise[..1000]), None);
    assert_eq!(class(&[b"\x1f\x8b\x08\0", &noise[..]].concat()), Some(Class::Compressed));
    assert_eq!(class(&[b"\x1f\x8b\x08\0", &[7; 10_000][..]].concat()), None);
    // Bytes that are spread too evenly are not random.
    assert_eq!(class(&(0..=255).cycle().take(51_200).collect::<Vec<u8>>()), None);
    // Without a search for a type, none is missing.
    assert_eq!(judged(&noise, "entropy"), None);
}
