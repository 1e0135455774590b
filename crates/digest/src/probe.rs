//! Banks on a kernel of one's choice: for tests, benchmarks and calibration. Everything else takes the
//! bank of the registry's row, which chooses for itself.

use crate::Bank;
use crate::kernel::blake::Compress3;
use crate::kernel::{BlockHash, Kernel, blake, keccak, md5, ripemd160, sha1, sha256, sha512, sm3};
use crate::lanebank::planned;
pub use crate::lanes::{IsaName, Plan, Width};

/// One algorithm that has lanes.
pub struct Probe {
    /// Its name in the registry.
    pub name: &'static str,
    /// The compression function, which several algorithms may share: its name in [`crate::Costs`].
    pub kernel: &'static str,
    /// Bytes of a block.
    pub block: usize,
    /// Makes a bank; none if the CPU lacks what the plan names.
    pub bank: fn(Plan) -> Option<Box<dyn Bank>>,
    /// Whether one message runs on instructions made for the algorithm.
    pub hardware: fn() -> bool,
}

const fn row<A: BlockHash>(name: &'static str) -> Probe {
    let (kernel, block) = (A::Kernel::NAME, A::Kernel::BLOCK);
    Probe { name, kernel, block, bank: planned::<A>, hardware: hardware::<A::Kernel> }
}

fn hardware<K: Kernel>() -> bool {
    K::single().hardware
}

/// The algorithms that have lanes.
pub static PROBES: &[Probe] = &[
    row::<md5::Md5>("md5"),
    row::<sha1::Sha1>("sha1"),
    row::<sha256::Sha256>("sha256"),
    row::<sha256::Sha224>("sha224"),
    row::<sha512::Sha512>("sha512"),
    row::<sha512::Sha384>("sha384"),
    row::<sha512::Sha512256>("sha512-256"),
    row::<sha512::Sha512224>("sha512-224"),
    row::<keccak::Sha3x256>("sha3-256"),
    row::<keccak::Sha3x224>("sha3-224"),
    row::<keccak::Sha3x384>("sha3-384"),
    row::<keccak::Sha3x512>("sha3-512"),
    row::<keccak::Shake128<32>>("shake128"),
    row::<keccak::Shake256<64>>("shake256"),
    row::<ripemd160::Ripemd160>("ripemd160"),
    row::<sm3::Sm3>("sm3"),
    row::<blake::Blake2b<64>>("blake2b"),
    row::<blake::Blake2b<32>>("blake2b-256"),
    Probe {
        name: "blake3",
        kernel: Compress3::NAME,
        block: Compress3::BLOCK,
        bank: crate::blake3bank::planned,
        hardware: hardware::<Compress3>,
    },
    row::<blake::Blake2s<32>>("blake2s"),
];

/// The probe of this name.
pub fn probe(name: &str) -> Option<&'static Probe> {
    PROBES.iter().find(|probe| probe.name == name)
}
