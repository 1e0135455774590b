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

const USUAL: Costs = Costs {
    kernel: "",
    portable: 100,
    hardware: 25,
    wide: [[100, 150], [110, 160], [110, 160], [110, 160], [110, 160]],
};

const COSTS: &[Costs] = &[];
