//! All implementations of an algorithm on this machine.

mod forced;

use forced::Forced;
use hashmill_digest::probe::{Plan, Width};
use hashmill_digest::{Algorithm, Bank, Digest, Isa, Machine, Slot, StreamPart, find};
use serde::{Deserialize, Serialize};

/// The most messages that an implementation hashes at once.
pub const MOST_LANES: usize = 64;

/// The libraries that `hashmill-digest` uses, as its kernels name them.
const LIBRARIES: [&str; 5] = ["blake2b_simd", "blake2s_simd", "(blake3)", "twox-hash", "simd-adler32"];

/// The origin of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Written in this project.
    Own,
    /// Part of a library.
    Library,
    /// Not a hash: shows the cost of measuring itself.
    Calibration,
}

/// An implementation of an algorithm.
pub struct Implementation {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The name for people: `x86 sha`, `avx2 x8`, `avx2 (blake2b_simd)`.
    pub name: String,
    /// The origin of its code.
    pub origin: Origin,
    /// The number of messages that it hashes at once.
    pub lanes: usize,
    code: Code,
}

enum Code {
    /// The registry's choice for one message.
    Alone(Box<dyn Bank>),
    /// A kernel with lanes, which counts its blocks; `twice` if the digest is hashed again in a second batch.
    Lanes { bank: Box<dyn Bank>, twice: bool },
    /// A library's code for one message, on instructions that it would not choose here.
    Forced(Box<Forced>),
}

impl Implementation {
    /// Returns all implementations that this machine has and this process may use, for messages of this length: first
    /// the fastest one for a single message, then those of libraries on lesser instructions, then hashmill's kernels;
    /// each from narrow to wide.
    pub fn all_of(algorithm: &'static Algorithm, bytes: usize) -> Vec<Implementation> {
        let alone = Implementation::alone(algorithm);
        let plain = alone.name == "portable";
        let forced = Forced::all_of(algorithm).into_iter().filter(|(name, _)| *name != alone.name);
        let forced: Vec<_> = forced
            .map(|(name, forced)| Implementation::named(algorithm, name, 1, Code::Forced(Box::new(forced))))
            .collect();
        let mut all = vec![alone];
        all.extend(forced);
        let kernels = kernels(base(algorithm)).into_iter().map(|bank| Implementation::lanes(algorithm, bank));
        all.extend(kernels.filter(|kernel| kernel.lanes > 1 || !plain));
        all.retain_mut(|implementation| implementation.takes(bytes));
        all
    }

    /// Returns the fastest implementation for one message.
    pub fn alone(algorithm: &'static Algorithm) -> Implementation {
        let bank = (algorithm.alone)();
        Implementation::named(algorithm, bank.kernel().to_string(), bank.lanes(), Code::Alone(bank))
    }

    /// Returns the fastest implementation for many messages of this length, if it hashes several at once.
    pub fn many(algorithm: &'static Algorithm, bytes: usize) -> Option<Implementation> {
        let mut many = Implementation::lanes(algorithm, (base(algorithm).bank)());
        (many.lanes > 1 && many.takes(bytes)).then_some(many)
    }

    /// Returns code with plain machine words for one message at a time, if it exists for messages of this length.
    pub fn portable(algorithm: &'static Algorithm, bytes: usize) -> Option<Implementation> {
        let plain = |implementation: &Implementation| implementation.name == "portable";
        let alone = Some(Implementation::alone(algorithm)).filter(plain);
        alone.or_else(|| {
            let bank = (base(algorithm).lanes?.bank)(Plan::Only(Isa::Portable, Width::One))?;
            let mut found = Implementation::lanes(algorithm, bank);
            (plain(&found) && found.takes(bytes)).then_some(found)
        })
    }

    /// Returns whether it only needs instructions that every processor of the architecture has.
    pub fn is_portable(&self) -> bool {
        self.name.starts_with("portable")
    }

    fn lanes(algorithm: &'static Algorithm, bank: Box<dyn Bank>) -> Implementation {
        let twice = *base(algorithm) != *algorithm;
        let (name, lanes) = (bank.kernel().to_string(), bank.lanes());
        Implementation::named(algorithm, name, lanes, Code::Lanes { bank, twice })
    }

    fn named(algorithm: &'static Algorithm, name: String, lanes: usize, code: Code) -> Implementation {
        let library = LIBRARIES.iter().any(|library| name.contains(library));
        let origin = if library { Origin::Library } else { Origin::Own };
        Implementation { algorithm, lanes: lanes.min(MOST_LANES), name, origin, code }
    }

    /// Returns whether this kernel hashes messages of this length: BLAKE3's lanes leave long ones to the library.
    fn takes(&mut self, bytes: usize) -> bool {
        let Some(before) = self.occupancy() else { return true };
        let message = vec![0; bytes];
        self.hash(&vec![message.as_slice(); self.lanes], &mut vec![empty(); self.lanes]);
        self.occupancy() != Some(before)
    }

    /// Returns the number of blocks that a kernel with lanes has hashed so far.
    fn occupancy(&self) -> Option<(u64, u64)> {
        match &self.code {
            Code::Lanes { bank, .. } => Some(bank.occupancy()),
            _ => None,
        }
    }

    /// Hashes whole messages, at most [`MOST_LANES`], each into the digest with the same index.
    ///
    /// # Panics
    /// If there are more messages than digests or lanes.
    pub fn hash(&mut self, messages: &[&[u8]], digests: &mut [Digest]) {
        let (bank, twice) = match &mut self.code {
            Code::Forced(forced) => {
                let each = messages.iter().zip(digests);
                return each.for_each(|(message, digest)| *digest = forced.hash(message));
            }
            Code::Alone(bank) => (bank, false),
            Code::Lanes { bank, twice } => (bank, *twice),
        };
        if let [message] = messages {
            digests[0] = one(&mut **bank, message);
            if twice {
                digests[0] = one(&mut **bank, digests[0].as_bytes());
            }
            return;
        }
        batch(&mut **bank, messages.iter().copied(), digests);
        if twice {
            let first = digests.to_vec();
            batch(&mut **bank, first.iter().take(messages.len()).map(Digest::as_bytes), digests);
        }
    }
}

fn one(bank: &mut dyn Bank, message: &[u8]) -> Digest {
    let slot = bank.open();
    bank.update(&[StreamPart { slot, bytes: message, last: true }]);
    bank.close(slot)
}

fn batch<'m>(bank: &mut dyn Bank, messages: impl Iterator<Item = &'m [u8]>, digests: &mut [Digest]) {
    // On the stack, since allocation would be measured with the hash.
    let mut parts = [StreamPart { slot: Slot(0), bytes: &[], last: true }; MOST_LANES];
    let mut count = 0;
    for (part, bytes) in parts.iter_mut().zip(messages) {
        *part = StreamPart { slot: bank.open(), bytes, last: true };
        count += 1;
    }
    bank.update(&parts[..count]);
    for (part, digest) in parts[..count].iter().zip(digests) {
        *digest = bank.close(part.slot);
    }
}

/// Returns a placeholder for a digest.
pub(crate) fn empty() -> Digest {
    Digest::new(&[])
}

/// Returns the inner hash of an algorithm that hashes twice; otherwise the algorithm itself.
fn base(algorithm: &'static Algorithm) -> &'static Algorithm {
    let doubles = [("sha256d", "sha256"), ("blake3d", "blake3")];
    let name = doubles.iter().find(|(double, _)| *double == algorithm.name).map(|(_, name)| *name);
    name.and_then(|name| find(name).ok()).unwrap_or(algorithm)
}

/// Returns hashmill's kernels with lanes, narrow to wide.
fn kernels(algorithm: &Algorithm) -> Vec<Box<dyn Bank>> {
    let Some(lanes) = algorithm.lanes else { return Vec::new() };
    let isas = Machine::detect().available();
    let plans = isas.flat_map(|isa| Width::ALL.map(|width| (isa, width)));
    plans.filter_map(|(isa, width)| (lanes.bank)(Plan::Only(isa, width))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::hash;

    fn message(number: usize, bytes: usize) -> Vec<u8> {
        (0..bytes).map(|at| (at * 7 + number * 31) as u8).collect()
    }

    #[test]
    fn every_implementation_of_every_algorithm_gives_the_digest() {
        for algorithm in hashmill_digest::ALGORITHMS {
            for mut implementation in Implementation::all_of(algorithm, 100) {
                for count in [1, implementation.lanes] {
                    let messages: Vec<Vec<u8>> =
                        (0..count).map(|number| message(number, 80 + number)).collect();
                    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
                    let mut digests = vec![empty(); count];
                    implementation.hash(&messages, &mut digests);
                    let wanted: Vec<Digest> =
                        messages.iter().map(|message| hash(algorithm, message)).collect();
                    assert_eq!(digests, wanted, "{algorithm:?} {}", implementation.name);
                }
            }
        }
    }

    #[test]
    fn every_instruction_set_of_this_process_has_its_row() {
        let sha256 = Implementation::all_of(find("sha256").unwrap(), 4096);
        for isa in Machine::detect().available().filter(|isa| *isa != Isa::Shani) {
            assert!(sha256.iter().any(|row| row.name.starts_with(isa.name())), "{isa}");
        }
        assert!(sha256.iter().all(|row| row.origin == Origin::Own));
        let blake2b = Implementation::all_of(find("blake2b-512").unwrap(), 4096);
        assert!(blake2b[0].origin == Origin::Library && blake2b.len() > 1);
        // Also libraries: BLAKE3 for one message.
        let blake3 = Implementation::all_of(find("blake3").unwrap(), 1 << 20);
        let machine = Machine::detect();
        let wanted = [("portable", Isa::Portable), ("sse4.1", Isa::Sse41), ("avx2", Isa::Avx2)];
        for (name, _) in wanted.into_iter().filter(|(_, isa)| machine.allows(*isa)) {
            assert!(
                blake3.iter().any(|row| row.lanes == 1 && row.name == format!("{name} (blake3)")),
                "{name}"
            );
        }
        let names: Vec<&str> = sha256.iter().map(|row| row.name.as_str()).collect();
        assert!(
            names.iter().all(|name| names.iter().filter(|other| other == &name).count() == 1),
            "{names:?}"
        );
    }

    #[test]
    fn kernels_do_not_bear_names_for_what_a_library_does() {
        let blake3 = find("blake3").unwrap();
        assert!(Implementation::all_of(blake3, 4096).iter().any(|row| row.origin == Origin::Own));
        assert!(Implementation::all_of(blake3, 1 << 20).iter().all(|row| row.origin == Origin::Library));
        assert!(Implementation::portable(blake3, 80).is_some_and(|row| row.lanes == 1 && row.is_portable()));
        assert!(Implementation::portable(blake3, 1 << 20).is_none());
    }

    #[test]
    fn where_there_is_no_plain_code_there_is_no_such_row() {
        assert!(Implementation::portable(find("xxh3").unwrap(), 80).is_none());
        assert!(Implementation::portable(find("tiger").unwrap(), 80).is_some());
        assert!(Implementation::portable(find("sha256d").unwrap(), 80).is_some_and(|row| row.is_portable()));
    }
}
