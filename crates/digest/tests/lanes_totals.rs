//! Lengths that do not fit into 32 bits: in bits (512 MiB) and in bytes (4 GiB). Release builds only.

use hashmill_digest::probe::{PROBES, Plan, Probe};
use hashmill_digest::{Isa, Slot, StreamPart};
use sha2::Digest as _;

const BUFFER: usize = 1 << 20;

#[test]
#[cfg_attr(debug_assertions, ignore = "hashes many gigabytes")]
fn totals_past_512_mib_count() {
    for probe in
        PROBES.iter().filter(|probe| ["md5", "sha1", "sha256", "sha512"].contains(&probe.algorithm.name))
    {
        agree(probe, 513);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "hashes many gigabytes")]
fn totals_past_4_gib_count() {
    for probe in PROBES.iter().filter(|probe| ["md5", "blake2s-256"].contains(&probe.algorithm.name)) {
        agree(probe, 4097);
    }
}

/// Compares streams that end within and after the last MiB with the reference.
fn agree(probe: &Probe, mebibytes: usize) {
    let buffer: Vec<u8> = (0..BUFFER).map(|at| (at % 251) as u8).collect();
    let mut bank = (probe.lanes.bank)(Plan::Cheapest(Isa::Avx512)).expect("a plan for every machine");
    let slots: Vec<Slot> = (0..16).map(|_| bank.open()).collect();
    for _ in 1..mebibytes {
        let parts: Vec<_> =
            slots.iter().map(|slot| StreamPart { slot: *slot, bytes: &buffer, last: false }).collect();
        bank.update(&parts);
    }
    let end = |at: usize| &buffer[..at * 65_000 / 7];
    let parts: Vec<_> = slots
        .iter()
        .enumerate()
        .map(|(at, slot)| StreamPart { slot: *slot, bytes: end(at), last: true })
        .collect();
    bank.update(&parts);
    let expected = expected(probe.algorithm.name, &buffer, mebibytes - 1, end);
    for (at, slot) in slots.into_iter().enumerate() {
        assert_eq!(bank.close(slot).as_bytes(), expected[at], "{} stream {at}", probe.algorithm.name);
    }
}

fn expected<'a>(name: &str, buffer: &[u8], times: usize, end: impl Fn(usize) -> &'a [u8]) -> Vec<Vec<u8>> {
    match name {
        "md5" => finish(md5::Md5::new(), buffer, times, end),
        "sha1" => finish(sha1::Sha1::new(), buffer, times, end),
        "sha256" => finish(sha2::Sha256::new(), buffer, times, end),
        "sha512" => finish(sha2::Sha512::new(), buffer, times, end),
        "blake2s-256" => finish(blake2::Blake2s256::new(), buffer, times, end),
        _ => panic!("no reference for {name}"),
    }
}

fn finish<'a, D: sha2::Digest + Clone>(
    mut state: D,
    buffer: &[u8],
    times: usize,
    end: impl Fn(usize) -> &'a [u8],
) -> Vec<Vec<u8>> {
    for _ in 0..times {
        state.update(buffer);
    }
    (0..16).map(|at| state.clone().chain_update(end(at)).finalize().to_vec()).collect()
}
