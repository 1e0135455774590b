//! Bytes through every kernel: digests of any messages, split anywhere. All kernels of an algorithm must agree. Each
//! part has an allocation of exactly its length, so that a sanitizer detects loads beyond either end.

use hashmill_digest::probe::{PROBES, Plan, Width};
use hashmill_digest::{ALGORITHMS, Bank, Digest, Isa, StreamPart};

/// The first byte selects an algorithm with lanes, the second one the split of messages; the rest is messages.
pub fn lanes(data: &[u8]) {
    let [algorithm, cut, messages @ ..] = data else { return };
    let probe = &PROBES[usize::from(*algorithm) % PROBES.len()];
    let messages = split(messages);
    let mut expected: Option<Vec<Digest>> = None;
    for plan in plans() {
        let Some(mut bank) = (probe.lanes.bank)(plan) else { continue };
        for cut in [usize::MAX, usize::from(*cut) + 1] {
            let digests = digests(&mut *bank, &messages, cut);
            let expected = expected.get_or_insert_with(|| digests.clone());
            assert_eq!(digests, *expected, "{} by {plan:?}, parts of {cut}", probe.algorithm.name);
        }
    }
}

/// The first byte selects any algorithm of the registry.
pub fn streams(data: &[u8]) {
    let [algorithm, cut, messages @ ..] = data else { return };
    let algorithm = &ALGORITHMS[usize::from(*algorithm) % ALGORITHMS.len()];
    let messages = split(messages);
    let mut bank = (algorithm.bank)();
    let whole = digests(&mut *bank, &messages, usize::MAX);
    let parts = digests(&mut *bank, &messages, usize::from(*cut) + 1);
    assert_eq!(whole, parts, "{} in parts of {cut}", algorithm.name);
}

/// Returns every way to run an algorithm; those that this processor lacks have no bank.
fn plans() -> impl Iterator<Item = Plan> {
    let ways = |isa| [Plan::Cheapest(isa)].into_iter().chain(Width::ALL.map(|width| Plan::Only(isa, width)));
    [Plan::Single].into_iter().chain(Isa::available().flat_map(ways))
}

/// Splits the bytes into messages of up to 65,535 bytes, each preceded by its length in two bytes.
fn split(mut data: &[u8]) -> Vec<Box<[u8]>> {
    let mut messages = Vec::new();
    while let [low, high, rest @ ..] = data {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (message, rest) = rest.split_at(length);
        messages.push(message.into());
        data = rest;
    }
    messages
}

/// Hashes all messages in parallel, a part of each in every batch.
fn digests(bank: &mut dyn Bank, messages: &[Box<[u8]>], cut: usize) -> Vec<Digest> {
    let slots: Vec<_> = messages.iter().map(|_| bank.open()).collect();
    let parts: Vec<Vec<Box<[u8]>>> = messages.iter().map(|message| in_parts(message, cut)).collect();
    for turn in 0..parts.iter().map(Vec::len).max().unwrap_or_default() {
        let open = slots.iter().zip(&parts).filter(|(_, parts)| turn < parts.len());
        let batch = open.map(|(slot, parts)| StreamPart {
            slot: *slot,
            bytes: &parts[turn],
            last: turn + 1 == parts.len(),
        });
        bank.update(&batch.collect::<Vec<_>>());
    }
    slots.into_iter().map(|slot| bank.close(slot)).collect()
}

/// Splits a message into at least one part, which may be empty.
fn in_parts(message: &[u8], cut: usize) -> Vec<Box<[u8]>> {
    if message.is_empty() {
        return vec![Box::default()];
    }
    message.chunks(cut).map(Box::from).collect()
}
