//! Measures the cost of every kernel on this machine.

mod result;

pub use result::{Calibrate, Fastest, KernelRow};

use crate::measure::rounds::{Turn, Work, take_turns};
use crate::measure::shape::{Memory, Shape};
use hashmill_digest::probe::{Plan, Probe, Width, of_kernel};
use hashmill_digest::{Costs, Isa};
use std::time::Duration;

/// The length of a stream when a kernel is measured, in bytes: 32 lanes fit into the level 2 cache.
const RUN: usize = 16 * 1024;

/// Turns that give reliable figures in a few seconds. Turns are short, so that some of each are undisturbed on a busy
/// machine.
pub const TURN: Turn = Turn { rounds: 30, time: Duration::from_millis(1) };

/// The measurements of one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelCost {
    /// The measured costs.
    pub costs: Costs,
    /// The block size in bytes.
    pub block: usize,
    /// Each way that this machine supports, in the order of the costs, one message first.
    pub ways: Vec<CompressKernel>,
}

/// A way to compress blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressKernel {
    /// The name for people: `alone`, `portable`, `avx2 x8`.
    pub name: String,
    /// The number of messages that it compresses at once.
    pub lanes: usize,
    /// Nanoseconds for one block of each message.
    pub cost: u32,
}

impl KernelCost {
    /// Returns the rate in bytes per nanosecond, that is GB/s, on one core with all lanes full.
    pub fn rate(&self, way: &CompressKernel) -> f64 {
        (way.lanes * self.block) as f64 / f64::from(way.cost)
    }

    /// Returns the way with the highest rate.
    pub fn fastest(&self) -> Option<&CompressKernel> {
        self.ways.iter().max_by(|a, b| self.rate(a).total_cmp(&self.rate(b)))
    }
}

/// Measures every kernel, one after another; calls `next` with the name of each before it starts.
///
/// Only ways that this process may use are measured: on a machine that is limited to an instruction set, the costs are
/// valid for that set only.
pub fn calibrate(turn: Turn, next: &mut dyn FnMut(&str)) -> Vec<KernelCost> {
    let kernels = Costs::built_in().iter().filter_map(|row| of_kernel(row.kernel));
    let mut measured = Vec::new();
    for probe in kernels {
        next(probe.lanes.kernel);
        measured.push(measure(probe, turn));
    }
    measured
}

/// Returns the input that shows a kernel's rate. BLAKE3 has lanes only for small messages.
pub fn shape(probe: &Probe, streams: usize) -> Shape {
    if probe.algorithm.name == "blake3" {
        return Shape { streams, bytes: 1024, whole: true };
    }
    Shape { streams, bytes: RUN, whole: false }
}

/// The place of a cost in the table.
enum Place {
    Alone,
    Wide(Isa, Width),
}

fn measure(probe: &Probe, turn: Turn) -> KernelCost {
    let mut places = vec![Place::Alone];
    places.extend(Isa::ALL.iter().flat_map(|isa| Width::ALL.map(|width| Place::Wide(*isa, width))));
    let banks = places.into_iter().filter_map(|place| Some(((probe.lanes.bank)(place.plan())?, place)));
    let (banks, places): (Vec<_>, Vec<_>) = banks.unzip();
    let shapes: Vec<Shape> = banks.iter().map(|bank| shape(probe, bank.lanes())).collect();
    let memory = Memory::with_shapes(shapes.iter().copied());
    let mut works: Vec<Work<'_>> =
        banks.into_iter().zip(&shapes).map(|(bank, shape)| shape.work(bank, &memory)).collect();
    let times = take_turns(&mut works, turn);
    let mut costs =
        Costs { kernel: probe.lanes.kernel, portable: 0, hardware: 0, wide: [[0; 2]; Isa::ALL.len()] };
    let mut ways = Vec::new();
    for ((place, shape), time) in places.iter().zip(&shapes).zip(times) {
        let cost = cost(time.best(), shape, probe.lanes.block);
        place.set(&mut costs, cost);
        ways.push(CompressKernel { name: place.name(shape.streams), lanes: shape.streams, cost });
    }
    // The cost of one message without special instructions; without such instructions it is the same.
    costs.portable = if (probe.lanes.hardware)() { costs.wide[0][0] } else { costs.hardware };
    KernelCost { costs, block: probe.lanes.block, ways }
}

/// Returns nanoseconds for a block of every lane, at least one.
fn cost(time: f64, shape: &Shape, block: usize) -> u32 {
    (time * block as f64 / shape.bytes as f64).round().max(1.0) as u32
}

impl Place {
    fn plan(&self) -> Plan {
        match self {
            Place::Alone => Plan::Single,
            Place::Wide(isa, width) => Plan::Only(*isa, *width),
        }
    }

    fn set(&self, costs: &mut Costs, cost: u32) {
        match self {
            Place::Alone => costs.hardware = cost,
            Place::Wide(isa, width) => costs.wide[*isa as usize][*width as usize] = cost,
        }
    }

    fn name(&self, lanes: usize) -> String {
        match self {
            Place::Alone => "alone".to_string(),
            Place::Wide(isa, _) => format!("{isa} x{lanes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_the_table_is_measured_on_every_way_of_this_machine() {
        let mut told = Vec::new();
        let turn = Turn { rounds: 1, time: Duration::from_micros(50) };
        let measured = calibrate(turn, &mut |kernel| told.push(kernel.to_string()));
        let kernels: Vec<&str> = Costs::built_in().iter().map(|row| row.kernel).collect();
        assert_eq!(told, kernels);
        assert_eq!(measured.iter().map(|row| row.costs.kernel).collect::<Vec<_>>(), kernels);
        for row in &measured {
            assert!(row.costs.portable > 0 && row.costs.hardware > 0, "{row:?}");
            for isa in Isa::ALL.into_iter().filter(|isa| *isa != Isa::Shani) {
                let there = Isa::available().any(|available| available == isa);
                assert_eq!(row.costs.wide[isa as usize][0] > 0, there, "{isa} {row:?}");
            }
            assert!(row.fastest().is_some_and(|way| row.rate(way) > 0.0));
        }
    }
}
