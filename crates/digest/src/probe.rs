//! Banks on a kernel of one's choice: for tests, benchmarks and calibration. Everything else takes the
//! bank of the registry's row, which chooses for itself.

use crate::Bank;
use crate::kernel::{blake, keccak, md5, ripemd160, sha1, sha256, sha512, sm3};
use crate::lanebank::planned;
pub use crate::lanes::{IsaName, Plan, Width};

/// One algorithm that has lanes.
pub struct Probe {
    /// Its name in the registry.
    pub name: &'static str,
    /// Bytes of a block.
    pub block: usize,
    /// Makes a bank; none if the CPU lacks what the plan names.
    pub bank: fn(Plan) -> Option<Box<dyn Bank>>,
}

/// The algorithms that have lanes.
pub static PROBES: &[Probe] = &[
    Probe { name: "md5", block: 64, bank: planned::<md5::Md5> },
    Probe { name: "sha1", block: 64, bank: planned::<sha1::Sha1> },
    Probe { name: "sha256", block: 64, bank: planned::<sha256::Sha256> },
    Probe { name: "sha224", block: 64, bank: planned::<sha256::Sha224> },
    Probe { name: "sha512", block: 128, bank: planned::<sha512::Sha512> },
    Probe { name: "sha384", block: 128, bank: planned::<sha512::Sha384> },
    Probe { name: "sha512-256", block: 128, bank: planned::<sha512::Sha512256> },
    Probe { name: "sha512-224", block: 128, bank: planned::<sha512::Sha512224> },
    Probe { name: "sha3-256", block: 136, bank: planned::<keccak::Sha3x256> },
    Probe { name: "sha3-224", block: 144, bank: planned::<keccak::Sha3x224> },
    Probe { name: "sha3-384", block: 104, bank: planned::<keccak::Sha3x384> },
    Probe { name: "sha3-512", block: 72, bank: planned::<keccak::Sha3x512> },
    Probe { name: "shake128", block: 168, bank: planned::<keccak::Shake128<32>> },
    Probe { name: "shake256", block: 136, bank: planned::<keccak::Shake256<64>> },
    Probe { name: "ripemd160", block: 64, bank: planned::<ripemd160::Ripemd160> },
    Probe { name: "sm3", block: 64, bank: planned::<sm3::Sm3> },
    Probe { name: "blake2b", block: 128, bank: planned::<blake::Blake2b<64>> },
    Probe { name: "blake2b-256", block: 128, bank: planned::<blake::Blake2b<32>> },
    Probe { name: "blake3", block: 64, bank: crate::blake3bank::planned },
    Probe { name: "blake2s", block: 64, bank: planned::<blake::Blake2s<32>> },
];

/// The probe of this name.
pub fn probe(name: &str) -> Option<&'static Probe> {
    PROBES.iter().find(|probe| probe.name == name)
}
