//! The algorithms with lanes, and the costs of their kernels: for tests, benchmarks and calibration.

use crate::algorithm::{Algorithm, Lanes};
use crate::lanes::costs::{self, BadCosts, Costs};
pub use crate::lanes::{Plan, Width};
use crate::registry::ALGORITHMS;
use std::sync::LazyLock;

/// An algorithm with lanes.
pub struct Probe {
    /// The row in the registry.
    pub algorithm: &'static Algorithm,
    /// The kernels.
    pub lanes: Lanes,
}

/// The rows with lanes, in the registry's order.
pub static PROBES: LazyLock<Vec<Probe>> = LazyLock::new(|| {
    ALGORITHMS.iter().filter_map(|algorithm| Some(Probe { algorithm, lanes: algorithm.lanes? })).collect()
});

/// The costs of every kernel, in the order of calibration files.
static BUILT_IN: LazyLock<Vec<Costs>> = LazyLock::new(|| {
    let mut lanes: Vec<&Lanes> = PROBES.iter().map(|probe| &probe.lanes).collect();
    lanes.sort_by_key(|lanes| lanes.place);
    lanes.dedup_by_key(|lanes| lanes.place);
    lanes.into_iter().map(|lanes| (lanes.costs)()).collect()
});

/// Returns the first of the algorithms that share this kernel.
pub fn of_kernel(kernel: &str) -> Option<&'static Probe> {
    PROBES.iter().find(|probe| probe.lanes.kernel == kernel)
}

impl Costs {
    /// Returns the default costs of every kernel, for a processor of this kind.
    pub fn built_in() -> &'static [Costs] {
        &BUILT_IN
    }

    /// Installs the costs by which this process chooses kernels. Must be called before the first digest.
    ///
    /// # Errors
    /// [`BadCosts`] if a kernel's costs are missing, or kernels were already chosen.
    pub fn install(rows: Vec<Costs>) -> Result<(), BadCosts> {
        for Costs { kernel, .. } in Costs::built_in() {
            let row = rows.iter().find(|row| row.kernel == *kernel);
            row.filter(|row| row.portable > 0 && row.hardware > 0).ok_or(BadCosts::Missing(kernel))?;
        }
        costs::install(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_with_lanes_has_costs_and_a_bank() {
        for Probe { algorithm, lanes } in PROBES.iter() {
            let costs = Costs::built_in().iter().filter(|row| row.kernel == lanes.kernel).count();
            assert_eq!(costs, 1, "{algorithm:?}");
            assert!((lanes.bank)(Plan::Single).is_some(), "{algorithm:?}");
        }
    }

    #[test]
    fn every_kernel_has_a_place_of_its_own_in_calibrations() {
        let mut places: Vec<_> = PROBES.iter().map(|probe| (probe.lanes.place, probe.lanes.kernel)).collect();
        places.sort_unstable();
        places.dedup();
        assert!(places.iter().map(|(place, _)| *place).eq(0..places.len()), "{places:?}");
    }
}
