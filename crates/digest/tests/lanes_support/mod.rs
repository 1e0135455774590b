//! Helpers for tests of lanes: reference implementations, and every way to run an algorithm.

use hashmill_digest::probe::{Plan, Probe, Width};
use hashmill_digest::{Bank, Digest, Isa, StreamPart};
use hashmill_testing::Random;
use sha2::Digest as _;

/// Computes the digest by another, plain implementation.
pub fn reference(name: &str, message: &[u8]) -> Vec<u8> {
    use blake2::digest::consts::U32;
    match name {
        "md4" => md4::Md4::digest(message).to_vec(),
        "md5" => md5::Md5::digest(message).to_vec(),
        "sha1" => sha1::Sha1::digest(message).to_vec(),
        "sha224" => sha2::Sha224::digest(message).to_vec(),
        "sha256" => sha2::Sha256::digest(message).to_vec(),
        "sha384" => sha2::Sha384::digest(message).to_vec(),
        "sha512" => sha2::Sha512::digest(message).to_vec(),
        "sha512-256" => sha2::Sha512_256::digest(message).to_vec(),
        "sha3-224" => sha3::Sha3_224::digest(message).to_vec(),
        "sha3-256" => sha3::Sha3_256::digest(message).to_vec(),
        "sha3-384" => sha3::Sha3_384::digest(message).to_vec(),
        "sha3-512" => sha3::Sha3_512::digest(message).to_vec(),
        "shake128" => shake::<shake::Shake128>(message, 32),
        "shake256" => shake::<shake::Shake256>(message, 64),
        "ripemd160" => ripemd::Ripemd160::digest(message).to_vec(),
        "sm3" => sm3::Sm3::digest(message).to_vec(),
        "blake2b-512" => blake2::Blake2b512::digest(message).to_vec(),
        "blake2b-256" => blake2::Blake2b::<U32>::digest(message).to_vec(),
        "blake2s-256" => blake2::Blake2s256::digest(message).to_vec(),
        "blake3" => blake3::hash(message).as_bytes().to_vec(),
        _ => panic!("no reference for {name}"),
    }
}

fn shake<S>(message: &[u8], bytes: usize) -> Vec<u8>
where
    S: Default + sha3::digest::Update + sha3::digest::ExtendableOutput,
{
    let mut shake = S::default();
    shake.update(message);
    shake.finalize_boxed(bytes).to_vec()
}

/// Returns every way to run an algorithm on this machine.
pub fn plans() -> Vec<Plan> {
    let mut plans = vec![Plan::Single];
    for isa in Isa::available() {
        plans.push(Plan::Cheapest(isa));
        plans.extend(Width::ALL.map(|width| Plan::Only(isa, width)));
    }
    plans
}

/// Returns every bank of an algorithm that this machine can run.
pub fn banks(probe: &Probe) -> impl Iterator<Item = (Plan, Box<dyn Bank>)> {
    plans().into_iter().filter_map(|plan| Some((plan, (probe.lanes.bank)(plan)?)))
}

/// Returns a low number in debug builds, and a high one in release builds.
pub fn times(debug: usize, release: usize) -> usize {
    if cfg!(debug_assertions) { debug } else { release }
}

/// Feeds whole messages in one batch and closes them.
pub fn at_once(bank: &mut dyn Bank, messages: &[Vec<u8>]) -> Vec<Digest> {
    let slots: Vec<_> = messages.iter().map(|_| bank.open()).collect();
    let pairs = slots.iter().zip(messages);
    let parts: Vec<_> = pairs.map(|(slot, bytes)| StreamPart { slot: *slot, bytes, last: true }).collect();
    bank.update(&parts);
    slots.into_iter().map(|slot| bank.close(slot)).collect()
}

/// Hashes whole messages without streams.
pub fn whole(probe: &Probe, bank: &mut dyn Bank, messages: &[Vec<u8>]) -> Vec<Digest> {
    let size = probe.algorithm.bits as usize / 8;
    let mut digests = vec![0; messages.len() * size];
    bank.digest_all(&messages.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut digests);
    digests.chunks_exact(size).map(Digest::new).collect()
}

/// Feeds the messages in random parts, interleaved at random, in batches of random size. Streams are opened for their
/// first part and closed after the batch with their last.
pub fn in_pieces(bank: &mut dyn Bank, messages: &[Vec<u8>], chance: &mut Random) -> Vec<Digest> {
    let mut slots = vec![None; messages.len()];
    let mut given = vec![0; messages.len()];
    let mut digests = vec![None; messages.len()];
    while digests.iter().any(Option::is_none) {
        let mut batch = Vec::new();
        let mut ended = Vec::new();
        for _ in 0..1 + chance.below(100) {
            let open: Vec<_> =
                (0..messages.len()).filter(|m| digests[*m].is_none() && !ended.contains(m)).collect();
            if open.is_empty() {
                break;
            }
            let m = open[chance.below(open.len())];
            let slot = *slots[m].get_or_insert_with(|| bank.open());
            let most = messages[m].len() - given[m];
            let size = chance.below(most + 1).max(chance.below(most + 1));
            let bytes = &messages[m][given[m]..given[m] + size];
            given[m] += size;
            let end = given[m] == messages[m].len();
            let last = end && chance.below(2) == 0;
            batch.push(StreamPart { slot, bytes, last });
            if last || (end && chance.below(8) == 0) {
                ended.push(m);
            }
        }
        bank.update(&batch);
        for m in ended {
            digests[m] = slots[m].map(|slot| bank.close(slot));
        }
    }
    digests.into_iter().flatten().collect()
}

/// Compares every digest with the reference.
pub fn check(probe: &Probe, plan: Plan, messages: &[Vec<u8>], digests: &[Digest]) {
    assert_eq!(messages.len(), digests.len());
    for (at, (message, digest)) in messages.iter().zip(digests).enumerate() {
        let expected = reference(probe.algorithm.name, message);
        let name = probe.algorithm.name;
        assert!(
            digest.as_bytes() == expected,
            "{name} {plan:?}: message {at} of {}, {} bytes",
            messages.len(),
            message.len()
        );
    }
}
