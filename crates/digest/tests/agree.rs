//! Every instruction set gives the same digests, and no kernel exceeds the forced one. The choice is fixed for a
//! process, so each instruction set has its own: this program with the variable set.

use hashmill_digest::{ALGORITHMS, Algorithm, Bank, Digest, Isa, Machine, StreamPart, VARIABLE, hash};
use hashmill_testing::Random;

/// Returns the digests of all rows over random messages, one in each line.
fn digests() -> String {
    let message = Random(7).bytes(50_000);
    let lengths = Random(8).bytes(200);
    let mut lines = String::new();
    for algorithm in ALGORITHMS {
        for (i, pair) in lengths.chunks(2).enumerate() {
            let length = usize::from(u16::from_le_bytes([pair[0], pair[1]]) >> (i % 12)).min(message.len());
            let message = &message[message.len() - length..];
            let digest = hash(algorithm, message);
            assert_eq!(in_parts(algorithm, message), digest, "{algorithm:?} alone, {length} bytes");
            lines.push_str(&format!("{} {length} {digest}\n", algorithm.name));
        }
        lines.push_str(&format!("{} many {:?}\n", algorithm.name, many(algorithm, &message)));
        lines.push_str(&format!("{} tree {:?}\n", algorithm.name, in_segments(algorithm)));
    }
    lines
}

/// Hashes one message by the bank for one message after another.
fn in_parts(algorithm: &Algorithm, message: &[u8]) -> Digest {
    let mut bank = (algorithm.alone)();
    let slot = bank.open();
    message.chunks(1500).for_each(|bytes| bank.update(&[StreamPart { slot, bytes, last: false }]));
    bank.close(slot)
}

/// Hashes many messages at once.
fn many(algorithm: &Algorithm, message: &[u8]) -> Vec<Digest> {
    let mut bank = (algorithm.bank)();
    let lengths = (0..70).map(|i| i * 37 + i % 3 * 4000);
    let parts: Vec<_> = lengths
        .map(|length| StreamPart { slot: bank.open(), bytes: &message[..length], last: true })
        .collect();
    bank.update(&parts);
    parts.iter().map(|part| bank.close(part.slot)).collect()
}

/// Hashes a message in segments, if the algorithm is a tree.
fn in_segments(algorithm: &Algorithm) -> Option<Digest> {
    let tree = algorithm.tree?;
    let segment = tree.segment_bytes() as usize;
    let message = Random(9).bytes(5 * segment / 2);
    let segments = message.chunks(segment).enumerate();
    let nodes: Vec<_> = segments.map(|(i, bytes)| tree.leaf((i * segment) as u64, bytes)).collect();
    let digest = tree.join(&[&[tree.parent(&nodes[0], &nodes[1])], &nodes[2..]].concat());
    assert_eq!(digest, hash(algorithm, &message), "{algorithm:?}");
    Some(digest)
}

#[test]
#[ignore = "what the other test runs in each process"]
fn print_digests() {
    println!("<<<\n{}>>>", digests());
    if let Some(isa) = Machine::detect().forced {
        ALGORITHMS.iter().for_each(|algorithm| assert_kernels_up_to(isa, algorithm));
    }
}

/// Asserts that both kernels need no more than the limit.
fn assert_kernels_up_to(isa: Isa, algorithm: &Algorithm) {
    let banks: [Box<dyn Bank>; 2] = [(algorithm.bank)(), (algorithm.alone)()];
    for kernel in banks.map(|bank| bank.kernel()) {
        assert!(needs(algorithm, kernel) <= isa, "{algorithm:?} runs {kernel}");
    }
}

/// Returns the instruction set that a kernel needs, by its name.
fn needs(algorithm: &Algorithm, kernel: &str) -> Isa {
    let has = |word| kernel.contains(word);
    match () {
        () if has("x86 sha") => Isa::Shani,
        () if has("avx512") => Isa::Avx512,
        () if has("avx2") || has("bmi") => Isa::Avx2,
        () if has("sse4.1") => Isa::Sse41,
        () if has("neon") => Isa::Neon,
        () if kernel == "twox-hash"
            && ["xxh3", "xxh128"].contains(&algorithm.name)
            && Isa::Avx2.present() =>
        {
            Isa::Avx2
        }
        () if has("portable") || kernel == "twox-hash" => Isa::Portable,
        () if kernel == "simd-adler32" => Isa::WIDEST,
        () => panic!("{algorithm:?} runs {kernel}: what does that need?"),
    }
}

fn digests_with(isa: Isa) -> String {
    let mut command = hashmill_testing::this_program();
    command.args(["--exact", "agree::print_digests", "--ignored", "--nocapture"]).env(VARIABLE, isa.name());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{isa}: {}", String::from_utf8_lossy(&output.stderr));
    let output = String::from_utf8(output.stdout).unwrap();
    let (_, after) = output.split_once("<<<\n").unwrap_or_else(|| panic!("{isa}: {output}"));
    after.split_once(">>>").unwrap().0.to_string()
}

#[test]
#[ignore = "campaign: takes long"]
fn every_instruction_set_gives_the_same_digests() {
    let expected = digests_with(Isa::Portable);
    assert_eq!(expected.lines().count(), 102 * ALGORITHMS.len());
    for isa in Isa::available() {
        let got = digests_with(isa);
        for (got, expected) in got.lines().zip(expected.lines()) {
            assert_eq!(got, expected, "{isa}");
        }
        assert_eq!(got.len(), expected.len());
    }
    assert_eq!(digests(), expected, "{:?}", Machine::detect());
}
