//! What a block costs on each kernel: measured, and only the ratios matter.
//!
//! Written by `cargo bench -p hashloom-digest --bench lanes -- costs`.

use super::{IsaName, Width};

/// One kernel's costs: nanoseconds for one block of every lane.
pub(super) struct Costs {
    kernel: &'static str,
    /// One message, portable code.
    pub(super) portable: u32,
    /// One message, with instructions made for the algorithm.
    pub(super) hardware: u32,
    /// All lanes, one register and two, in the order of [`IsaName::ALL`].
    wide: [[u32; 2]; 5],
}

impl Costs {
    /// All lanes of a register, or of two.
    pub(super) fn wide(&self, isa: IsaName, width: Width) -> u32 {
        self.wide[isa as usize][width as usize]
    }
}

/// The row of a kernel, or one that suits most kernels.
pub(super) fn of(kernel: &str) -> &'static Costs {
    COSTS.iter().find(|row| row.kernel == kernel).unwrap_or(&USUAL)
}

/// For a kernel that has no row yet.
const USUAL: Costs = Costs {
    kernel: "",
    portable: 100,
    hardware: 25,
    wide: [[100, 220], [160, 400], [160, 400], [170, 300], [220, 440]],
};

/// 2026-11-21, AMD Zen 4 at 3.7 GHz. NEON has not been run: its costs are those of SSE4.1. Instructions made
/// for an algorithm: SHA-1 and SHA-256 as OpenSSL 3 runs them on that machine.
#[rustfmt::skip]
const COSTS: &[Costs] = &[
    Costs { kernel: "md5", portable: 88, hardware: 88, wide: [[89, 100], [110, 129], [110, 129], [113, 161], [120, 202]] },
    Costs { kernel: "sha1", portable: 74, hardware: 34, wide: [[74, 149], [118, 229], [118, 229], [122, 272], [143, 293]] },
    Costs { kernel: "sha256", portable: 162, hardware: 35, wide: [[162, 466], [351, 1035], [351, 1035], [271, 767], [275, 606]] },
    Costs { kernel: "sha512", portable: 203, hardware: 203, wide: [[204, 652], [481, 1264], [481, 1264], [335, 927], [342, 676]] },
    Costs { kernel: "keccak", portable: 320, hardware: 320, wide: [[322, 720], [363, 796], [363, 796], [395, 753], [449, 1326]] },
    Costs { kernel: "ripemd160", portable: 135, hardware: 135, wide: [[136, 211], [235, 427], [235, 427], [178, 357], [205, 396]] },
    Costs { kernel: "sm3", portable: 160, hardware: 160, wide: [[164, 438], [273, 1033], [273, 1033], [271, 903], [285, 632]] },
    Costs { kernel: "blake2b", portable: 121, hardware: 121, wide: [[121, 340], [171, 580], [171, 580], [186, 325], [252, 510]] },
    Costs { kernel: "blake2s", portable: 100, hardware: 100, wide: [[101, 210], [159, 530], [159, 530], [171, 333], [217, 441]] },
    Costs { kernel: "blake3", portable: 67, hardware: 67, wide: [[78, 174], [121, 251], [121, 251], [140, 278], [195, 378]] },
];
