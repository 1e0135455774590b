//! What a block costs on each kernel: measured, and only the ratios matter.
//!
//! The rows below are built in (`cargo bench -p hashloom-bench --bench lanes -- costs` prints them); a program
//! may install others that were measured on its machine.

use super::{ISAS, IsaName, Width};
use std::fmt;
use std::sync::OnceLock;

/// One kernel's costs: nanoseconds for one block of every lane; 0 where there is no such kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    /// The compression function.
    pub kernel: &'static str,
    /// One message, portable code.
    pub portable: u32,
    /// One message, with instructions made for the algorithm, or else as `portable`.
    pub hardware: u32,
    /// All lanes, one register and two, in the order of [`IsaName::ALL`].
    pub wide: [[u32; 2]; ISAS],
}

/// Why costs cannot be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadCosts {
    /// A kernel has no row, or a row without the cost of one message.
    Missing(&'static str),
    /// Kernels were chosen before.
    Late,
}

static INSTALLED: OnceLock<Vec<Costs>> = OnceLock::new();

impl Costs {
    /// The rows for every kernel that choices fall back on: those of a processor of this one's kind.
    pub fn built_in() -> &'static [Costs] {
        if IsaName::Avx512.present() { WITH_AVX512 } else { UP_TO_AVX2 }
    }

    /// Makes these the costs by which this process chooses kernels. Must come before the first digest.
    ///
    /// # Errors
    /// [`BadCosts`] if a kernel's costs are missing, or kernels were already chosen by others.
    pub fn install(rows: Vec<Costs>) -> Result<(), BadCosts> {
        for Costs { kernel, .. } in Costs::built_in() {
            let row = rows.iter().find(|row| row.kernel == *kernel);
            row.filter(|row| row.portable > 0 && row.hardware > 0).ok_or(BadCosts::Missing(kernel))?;
        }
        INSTALLED.set(rows).map_err(|_| BadCosts::Late)
    }

    /// All lanes of a register, or of two; none if there is no such kernel.
    pub(super) fn wide(&self, isa: IsaName, width: Width) -> Option<u32> {
        Some(self.wide[isa as usize][width as usize]).filter(|cost| *cost > 0)
    }
}

/// The row of a kernel, or one that suits most kernels.
pub(super) fn of(kernel: &str) -> &'static Costs {
    let installed = INSTALLED.get_or_init(Vec::new);
    installed.iter().chain(Costs::built_in()).find(|row| row.kernel == kernel).unwrap_or(&USUAL)
}

impl fmt::Display for BadCosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadCosts::Missing(kernel) => write!(f, "there are no costs for {kernel}"),
            BadCosts::Late => write!(f, "kernels were chosen before"),
        }
    }
}

impl std::error::Error for BadCosts {}

/// For a kernel that has no row yet.
const USUAL: Costs = Costs {
    kernel: "",
    portable: 100,
    hardware: 25,
    wide: [[100, 220], [160, 400], [160, 400], [170, 300], [220, 440], [0, 0]],
};

/// With AVX-512: 2026-11-21, AMD Zen 4 at 3.7 GHz. Instructions made for an algorithm: SHA-1 and SHA-256 as
/// OpenSSL 3 runs them on that machine; what two messages of SHA-256 cost follows from one and from what both
/// cost without AVX-512.
#[rustfmt::skip]
const WITH_AVX512: &[Costs] = &[
    Costs { kernel: "md5", portable: 88, hardware: 88, wide: [[89, 100], [110, 129], [110, 129], [113, 161], [120, 202], [0, 0]] },
    Costs { kernel: "sha1", portable: 74, hardware: 34, wide: [[74, 149], [118, 229], [118, 229], [122, 272], [143, 293], [0, 0]] },
    Costs { kernel: "sha256", portable: 162, hardware: 35, wide: [[162, 466], [351, 1035], [351, 1035], [271, 767], [275, 606], [0, 38]] },
    Costs { kernel: "sha512", portable: 203, hardware: 203, wide: [[204, 652], [481, 1264], [481, 1264], [335, 927], [342, 676], [0, 0]] },
    Costs { kernel: "keccak", portable: 320, hardware: 320, wide: [[322, 720], [363, 796], [363, 796], [395, 753], [449, 1326], [0, 0]] },
    Costs { kernel: "ripemd160", portable: 135, hardware: 135, wide: [[136, 211], [235, 427], [235, 427], [178, 357], [205, 396], [0, 0]] },
    Costs { kernel: "sm3", portable: 160, hardware: 160, wide: [[164, 438], [273, 1033], [273, 1033], [271, 903], [285, 632], [0, 0]] },
    Costs { kernel: "blake2b", portable: 121, hardware: 121, wide: [[121, 340], [171, 580], [171, 580], [186, 325], [252, 510], [0, 0]] },
    Costs { kernel: "blake2s", portable: 100, hardware: 100, wide: [[101, 210], [159, 530], [159, 530], [171, 333], [217, 441], [0, 0]] },
    Costs { kernel: "blake3", portable: 67, hardware: 67, wide: [[78, 174], [121, 251], [121, 251], [140, 278], [195, 378], [0, 0]] },
];

/// Without AVX-512: 2026-11-21, AMD Zen 3. NEON has not been run: its costs are those of SSE4.1.
#[rustfmt::skip]
const UP_TO_AVX2: &[Costs] = &[
    Costs { kernel: "md5", portable: 90, hardware: 90, wide: [[103, 113], [137, 148], [137, 148], [138, 158], [0, 0], [0, 0]] },
    Costs { kernel: "sha1", portable: 87, hardware: 38, wide: [[87, 174], [137, 432], [137, 432], [141, 496], [0, 0], [0, 0]] },
    Costs { kernel: "sha256", portable: 231, hardware: 41, wide: [[231, 0], [465, 0], [465, 0], [352, 0], [0, 0], [0, 45]] },
    Costs { kernel: "sha512", portable: 200, hardware: 200, wide: [[291, 0], [590, 0], [590, 0], [431, 0], [0, 0], [0, 0]] },
    Costs { kernel: "keccak", portable: 342, hardware: 342, wide: [[360, 0], [425, 0], [425, 0], [455, 0], [0, 0], [0, 0]] },
    Costs { kernel: "ripemd160", portable: 120, hardware: 120, wide: [[155, 297], [286, 519], [286, 519], [184, 558], [0, 0], [0, 0]] },
    Costs { kernel: "sm3", portable: 176, hardware: 176, wide: [[210, 0], [452, 0], [452, 0], [365, 0], [0, 0], [0, 0]] },
    Costs { kernel: "blake2b", portable: 139, hardware: 139, wide: [[142, 0], [181, 0], [181, 0], [195, 0], [0, 0], [0, 0]] },
    Costs { kernel: "blake2s", portable: 114, hardware: 114, wide: [[115, 0], [165, 0], [165, 0], [179, 0], [0, 0], [0, 0]] },
    Costs { kernel: "blake3", portable: 75, hardware: 75, wide: [[88, 0], [135, 0], [135, 0], [153, 0], [0, 0], [0, 0]] },
];
