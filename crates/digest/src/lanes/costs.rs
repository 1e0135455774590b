//! The measured costs of a block on each kernel; only the ratios matter.
//!
//! Every kernel has built-in costs beside its code (`cargo bench -p hashmill-bench --bench lanes -- costs` prints
//! them). A program may install others that were measured on its machine.

use super::width::Width;
use crate::machine::Isa;
use std::fmt;
use std::sync::OnceLock;

/// The costs of a kernel: nanoseconds for one block of every lane; 0 if there is no such kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    /// The compression function.
    pub kernel: &'static str,
    /// One message with portable code.
    pub portable: u32,
    /// One message with instructions made for the algorithm; the same as `portable` if there are none.
    pub hardware: u32,
    /// All lanes of one register and of two, in the order of [`Isa::ALL`].
    pub wide: [[u32; 2]; Isa::ALL.len()],
}

/// The reason why costs can't be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadCosts {
    /// A kernel has no row, or its row lacks the cost of one message.
    Missing(&'static str),
    /// Kernels were already chosen.
    Late,
}

/// A kernel's costs on the processors that were measured.
///
/// With AVX-512: 2026-11-21, AMD Zen 4 at 3.7 GHz. Instructions made for an algorithm: SHA-1 and SHA-256 as OpenSSL 3
/// runs them on that machine; the cost of two messages of SHA-256 follows from that of one, and from the ratio without
/// AVX-512. Without AVX-512: 2026-11-21, AMD Zen 3. NEON has not been measured: its costs are those of SSE4.1.
pub(crate) struct BuiltIn {
    pub(crate) with_avx512: MeasuredCosts,
    pub(crate) up_to_avx2: MeasuredCosts,
}

/// The costs of a kernel on one processor.
pub(crate) struct MeasuredCosts {
    /// One message with portable code.
    pub(crate) alone: u32,
    /// One message with instructions made for the algorithm; the same as `alone` if there are none.
    pub(crate) hardware: u32,
    pub(crate) lanes: LaneCosts,
}

/// The costs of all lanes of one register and of two, by instruction set; 0 if there is no such kernel.
pub(crate) struct LaneCosts {
    pub(crate) portable: [u32; 2],
    pub(crate) neon: [u32; 2],
    pub(crate) sse41: [u32; 2],
    pub(crate) avx2: [u32; 2],
    pub(crate) avx512: [u32; 2],
    pub(crate) shani: [u32; 2],
}

impl LaneCosts {
    pub(crate) const NONE: LaneCosts = LaneCosts {
        portable: [0; 2],
        neon: [0; 2],
        sse41: [0; 2],
        avx2: [0; 2],
        avx512: [0; 2],
        shani: [0; 2],
    };

    fn get(&self, isa: Isa) -> [u32; 2] {
        match isa {
            Isa::Portable => self.portable,
            Isa::Neon => self.neon,
            Isa::Sse41 => self.sse41,
            Isa::Avx2 => self.avx2,
            Isa::Avx512 => self.avx512,
            Isa::Shani => self.shani,
        }
    }
}

/// Writes a table of [`BuiltIn`] costs. Instruction sets without a kernel are omitted.
macro_rules! costs {
    ($($processor:ident: alone $alone:literal, hardware $hardware:literal, $($isa:ident $costs:expr),*;)*) => {
        $crate::lanes::costs::BuiltIn {
            $($processor: $crate::lanes::costs::MeasuredCosts {
                alone: $alone,
                hardware: $hardware,
                lanes: {
                    let mut lanes = $crate::lanes::costs::LaneCosts::NONE;
                    $(lanes.$isa = $costs;)*
                    lanes
                },
            },)*
        }
    };
}
pub(crate) use costs;

impl BuiltIn {
    /// Returns the costs for a processor of this kind.
    pub(crate) fn here(&self, kernel: &'static str) -> Costs {
        let row = if Isa::Avx512.present() { &self.with_avx512 } else { &self.up_to_avx2 };
        let wide = Isa::ALL.map(|isa| row.lanes.get(isa));
        Costs { kernel, portable: row.alone, hardware: row.hardware, wide }
    }
}

static INSTALLED: OnceLock<Vec<Costs>> = OnceLock::new();

impl Costs {
    /// Returns the cost of all lanes of a register, or of two; `None` if there is no such kernel.
    pub(super) fn wide(&self, isa: Isa, width: Width) -> Option<u32> {
        Some(self.wide[isa as usize][width as usize]).filter(|cost| *cost > 0)
    }
}

/// Installs the costs by which this process chooses kernels.
pub(crate) fn install(rows: Vec<Costs>) -> Result<(), BadCosts> {
    INSTALLED.set(rows).map_err(|_| BadCosts::Late)
}

/// Returns the costs of a kernel: the installed or else the built-in ones.
pub(super) fn kernel_costs(kernel: &'static str, built_in: &BuiltIn) -> Costs {
    let installed = INSTALLED.get_or_init(Vec::new).iter().find(|row| row.kernel == kernel);
    installed.cloned().unwrap_or_else(|| built_in.here(kernel))
}

impl fmt::Display for BadCosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadCosts::Missing(kernel) => write!(f, "no costs for {kernel}"),
            BadCosts::Late => write!(f, "kernels were already chosen"),
        }
    }
}

impl std::error::Error for BadCosts {}
