//! Every kernel on every instruction set and width against plain implementations.

use crate::lanes_support::{at_once, banks, check, in_pieces, times, whole};
use hashmill_digest::StreamPart;
use hashmill_digest::probe::PROBES;
use hashmill_testing::{Random, cases};

#[test]
fn random_batches_agree() {
    let mut chance = Random(3);
    for probe in PROBES.iter() {
        for (plan, mut bank) in banks(probe) {
            for _ in 0..cases(times(2, 40)) {
                let most = [8, 200, 3000][chance.below(3)];
                let count = chance.below(80);
                let messages: Vec<_> = (0..count).map(|_| chance.below(most)).collect();
                let messages: Vec<_> = messages.into_iter().map(|len| chance.bytes(len)).collect();
                check(probe, plan, &messages, &at_once(&mut *bank, &messages));
                check(probe, plan, &messages, &in_pieces(&mut *bank, &messages, &mut chance));
                check(probe, plan, &messages, &whole(probe, &mut *bank, &messages));
            }
        }
    }
}

#[test]
fn lengths_about_block_boundaries_agree() {
    let mut chance = Random(5);
    for probe in PROBES.iter() {
        let block = probe.lanes.block;
        let near = [0, block, 2 * block, 3 * block, 16 * block, 1024, 2048, 3072, 4096, 7168, 8192];
        let mut lengths: Vec<usize> =
            near.iter().flat_map(|len| [len.saturating_sub(1), *len, len + 1]).collect();
        lengths.extend(block - 18..block);
        let messages: Vec<_> = lengths.into_iter().map(|len| chance.bytes(len)).collect();
        for (plan, mut bank) in banks(probe) {
            check(probe, plan, &messages, &at_once(&mut *bank, &messages));
            check(probe, plan, &messages, &whole(probe, &mut *bank, &messages));
            for one in &messages {
                check(
                    probe,
                    plan,
                    std::slice::from_ref(one),
                    &at_once(&mut *bank, std::slice::from_ref(one)),
                );
            }
        }
    }
}

#[test]
fn the_empty_stream_may_stand_anywhere() {
    let mut chance = Random(7);
    for probe in PROBES.iter() {
        for (plan, mut bank) in banks(probe) {
            let count = bank.lanes() + 1;
            let lengths = [0, probe.lanes.block, 3 * probe.lanes.block + 5, 1];
            let messages: Vec<_> = (0..count).map(|at| chance.bytes(lengths[at % 4] + at)).collect();
            for at in (0..count).step_by(times(5, 1)) {
                let mut messages = messages.clone();
                messages[at].clear();
                check(probe, plan, &messages, &at_once(&mut *bank, &messages));
            }
        }
    }
}

#[test]
fn every_cut_of_a_message_gives_the_same() {
    let mut chance = Random(11);
    for probe in PROBES.iter() {
        let message = chance.bytes(2 * probe.lanes.block + 3);
        for (plan, mut bank) in banks(probe) {
            let mut digests = Vec::new();
            for cut in (0..=message.len()).step_by(times(7, 1)) {
                let slot = bank.open();
                bank.update(&[StreamPart { slot, bytes: &message[..cut], last: false }]);
                bank.update(&[StreamPart { slot, bytes: &message[cut..], last: true }]);
                digests.push(bank.close(slot));
            }
            check(probe, plan, &vec![message.clone(); digests.len()], &digests);
        }
    }
}

#[test]
fn an_abandoned_stream_leaves_nothing_behind() {
    for probe in PROBES.iter() {
        for (plan, mut bank) in banks(probe) {
            let slot = bank.open();
            bank.update(&[StreamPart { slot, bytes: &[1; 1000], last: false }]);
            bank.abandon(slot);
            let messages = vec![b"abc".to_vec(), vec![2; 500]];
            check(probe, plan, &messages, &at_once(&mut *bank, &messages));
        }
    }
}

#[test]
fn whole_messages_leave_open_streams_alone() {
    for probe in PROBES.iter() {
        for (plan, mut bank) in banks(probe) {
            let slot = bank.open();
            bank.update(&[StreamPart { slot, bytes: b"ab", last: false }]);
            let messages = vec![vec![3; 70]; 2 * bank.lanes() + 1];
            check(probe, plan, &messages, &whole(probe, &mut *bank, &messages));
            bank.update(&[StreamPart { slot, bytes: b"c", last: true }]);
            check(probe, plan, &[b"abc".to_vec()], &[bank.close(slot)]);
        }
    }
}

#[test]
fn occupancy_counts_blocks() {
    for probe in PROBES.iter() {
        if probe.algorithm.name == "blake3" {
            continue; // Its messages are trees: parents are blocks too.
        }
        for (_, mut bank) in banks(probe) {
            let messages = vec![vec![0; 3 * probe.lanes.block - 30]; 2 * bank.lanes()];
            at_once(&mut *bank, &messages);
            let (used, offered) = bank.occupancy();
            assert_eq!(used, 3 * messages.len() as u64, "{}", probe.algorithm.name);
            assert_eq!(used, offered, "{}", probe.algorithm.name);
        }
    }
}
