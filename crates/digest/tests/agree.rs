//! Every instruction set gives the same digests. Which one runs is fixed for a process, so each has a
//! process of its own: this program again, with the variable set.

mod common;

use common::noise;
use hashloom_digest::{ALGORITHMS, Isa, Machine, VARIABLE, hash};
use std::env;
use std::process::Command;

/// Digests of all rows over random messages, one a line.
fn digests() -> String {
    let message = noise(50_000, 7);
    let lengths = noise(200, 8);
    let mut lines = String::new();
    for algorithm in ALGORITHMS {
        for (i, pair) in lengths.chunks(2).enumerate() {
            let length = usize::from(u16::from_le_bytes([pair[0], pair[1]]) >> (i % 12)).min(message.len());
            let digest = hash(algorithm, &message[message.len() - length..]);
            lines.push_str(&format!("{} {length} {digest}\n", algorithm.name));
        }
    }
    lines
}

#[test]
#[ignore = "what the other test runs in each process"]
fn print_digests() {
    println!("<<<\n{}>>>", digests());
}

fn digests_with(isa: Isa) -> String {
    let program = env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args(["--exact", "print_digests", "--ignored", "--nocapture"]).env(VARIABLE, isa.name());
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let (_, after) = output.split_once("<<<\n").unwrap_or_else(|| panic!("{isa}: {output}"));
    after.split_once(">>>").unwrap().0.to_string()
}

#[test]
fn every_instruction_set_gives_the_same_digests() {
    let expected = digests_with(Isa::Portable);
    assert_eq!(expected.lines().count(), 100 * ALGORITHMS.len());
    for isa in Isa::available() {
        let got = digests_with(isa);
        for (got, expected) in got.lines().zip(expected.lines()) {
            assert_eq!(got, expected, "{isa}");
        }
        assert_eq!(got.len(), expected.len());
    }
    assert_eq!(digests(), expected, "{:?}", Machine::detect());
}
