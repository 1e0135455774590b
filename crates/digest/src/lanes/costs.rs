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

/// Writes a kernel's name, as in [`crate::Costs`], and its costs on the processors that were measured: the first with
/// AVX-512, the second without. Instruction sets without a kernel are omitted.
///
/// With AVX-512: 2026-11-21, AMD Zen 4 at 3.7 GHz. Instructions made for an algorithm: SHA-1 and SHA-256 as OpenSSL 3
/// runs them on that machine; the cost of two messages of SHA-256 follows from that of one, and from the ratio without
/// AVX-512. Without AVX-512: 2026-11-21, AMD Zen 3. NEON has not been measured: its costs are those of SSE4.1.
macro_rules! costs {
    ($kernel:literal: $($processor:ident: alone $alone:literal, hardware $hardware:literal,
     $($isa:ident $costs:expr),*;)*) => {
        [$($crate::Costs {
            kernel: $kernel,
            portable: $alone,
            hardware: $hardware,
            wide: {
                let mut wide = [[0; 2]; $crate::Isa::ALL.len()];
                $(wide[$crate::Isa::$isa as usize] = $costs;)*
                wide
            },
        }),*]
    };
}
pub(crate) use costs;

/// Returns the costs for a processor of this kind.
pub(crate) fn here([with_avx512, up_to_avx2]: [Costs; 2]) -> Costs {
    if Isa::Avx512.present() { with_avx512 } else { up_to_avx2 }
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
pub(super) fn kernel_costs(built_in: [Costs; 2]) -> Costs {
    let installed = INSTALLED.get_or_init(Vec::new).iter().find(|row| row.kernel == built_in[0].kernel);
    installed.cloned().unwrap_or_else(|| here(built_in))
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
