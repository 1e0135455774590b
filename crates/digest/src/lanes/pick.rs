//! Chooses the kernel for a number of messages: by instruction set, forced or by cost.

use super::costs;
use super::portable::Portable;
use super::runner::{self, Runner};
use super::vector::{MAX_LANES, Simd};
use super::width::Width;
use crate::bank::Pace;
use crate::block::{LaneKernel, State};
use crate::machine::Isa;
use crate::machine::path::Path;

/// Returns the runner of this instruction set, if the processor has it.
#[cfg(target_arch = "x86_64")]
fn runner<K: LaneKernel>(isa: Isa, width: Width) -> Option<Box<dyn Runner<K>>> {
    use super::{avx2::Avx2, avx512::Avx512, sse41::Sse41};
    match isa {
        Isa::Portable => on_vector::<K, Portable>(width),
        Isa::Neon => None,
        Isa::Sse41 => on_vector::<K, Sse41>(width),
        Isa::Avx2 => on_vector::<K, Avx2>(width),
        Isa::Avx512 => on_vector::<K, Avx512>(width),
        Isa::Shani => K::pair().filter(|_| width == Width::Two).map(runner::pair),
    }
}

/// Returns the runner of this instruction set, if the processor has it.
#[cfg(target_arch = "aarch64")]
fn runner<K: LaneKernel>(isa: Isa, width: Width) -> Option<Box<dyn Runner<K>>> {
    match isa {
        Isa::Portable => on_vector::<K, Portable>(width),
        Isa::Neon => on_vector::<K, super::neon::Neon>(width),
        _ => None,
    }
}

/// Returns the runner of this instruction set, if the processor has it.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn runner<K: LaneKernel>(isa: Isa, width: Width) -> Option<Box<dyn Runner<K>>> {
    on_vector::<K, Portable>(width).filter(|_| isa == Isa::Portable)
}

fn on_vector<K: LaneKernel, S: Simd>(width: Width) -> Option<Box<dyn Runner<K>>> {
    let simd = S::detect()?;
    match width {
        Width::One => Some(runner::one(simd)),
        Width::Two if const { among(S::ISA, K::PAIRS) } => Some(runner::two(simd)),
        Width::Two => None,
    }
}

/// Whether an instruction set is in a list. It is known at compile time, so that code for others is not compiled.
const fn among(isa: Isa, list: &[Isa]) -> bool {
    let mut at = 0;
    while at < list.len() {
        if list[at] as u8 == isa as u8 {
            return true;
        }
        at += 1;
    }
    false
}

/// The way to choose kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// The cheapest for each number of messages, by the table of costs, up to this instruction set. `Portable` also
    /// excludes the instructions made for an algorithm.
    Cheapest(Isa),
    /// This one, for any number of messages.
    Only(Isa, Width),
    /// One message at a time.
    Single,
}

/// The kernels that a bank may run.
pub(crate) struct Pick<K: LaneKernel> {
    runners: Vec<Box<dyn Runner<K>>>,
    /// The index of the runner for each number of messages; `None`: one message at a time.
    choice: [Option<u8>; MAX_LANES + 1],
    /// The number of messages to take at once while there are enough.
    pub(crate) lanes: usize,
    /// The path for one message at a time.
    pub(crate) single: Path<State<K>>,
    /// The name of the kernel with full lanes, for display.
    pub(crate) name: &'static str,
    pub(crate) pace: Pace,
}

impl<K: LaneKernel> Pick<K> {
    /// Follows the plan; `None` if it names an instruction set that the processor lacks.
    pub(crate) fn new(plan: Plan) -> Option<Self> {
        match plan {
            Plan::Cheapest(limit) => Some(Self::cheapest(limit)),
            Plan::Only(isa, width) => Self::only(isa, width),
            Plan::Single => Some(Candidates::new(None, K::path(Isa::WIDEST)).pick()),
        }
    }

    /// Follows [`Plan::Cheapest`].
    pub(crate) fn cheapest(limit: Isa) -> Self {
        Candidates::new(Some(limit), K::path(limit)).pick()
    }

    fn only(isa: Isa, width: Width) -> Option<Self> {
        let runner = runner(isa, width)?;
        let lanes = runner.lanes();
        let choice = [Some(0); MAX_LANES + 1];
        let (single, name) = (K::path(Isa::WIDEST), kernel_name(isa, lanes));
        let pace = Pace { alone: 1.0, beside: 1.0 };
        Some(Pick { runners: vec![runner], choice, lanes, single, name, pace })
    }

    /// Returns the runner for this many messages; `None`: one at a time.
    pub(crate) fn runner(&self, messages: usize) -> Option<&dyn Runner<K>> {
        self.choice[messages].map(|at| &*self.runners[usize::from(at)])
    }
}

/// A runner, the cost of a block of all its lanes, and its name.
struct Candidate<K: LaneKernel> {
    runner: Box<dyn Runner<K>>,
    cost: u32,
    name: &'static str,
}

/// The kernels among which a bank chooses.
struct Candidates<K: LaneKernel> {
    /// The kernels for several messages.
    wide: Vec<Candidate<K>>,
    /// The path for one message at a time, and the cost of a block.
    single: Path<State<K>>,
    alone: u32,
}

impl<K: LaneKernel> Candidates<K> {
    fn new(limit: Option<Isa>, single: Path<State<K>>) -> Self {
        let costs = costs::kernel_costs(K::COSTS);
        let mut wide = Vec::new();
        for isa in Isa::available().filter(|isa| limit.is_some_and(|limit| *isa <= limit)) {
            for width in Width::ALL {
                let Some(cost) = costs.wide(isa, width) else { continue };
                let several = runner::<K>(isa, width).filter(|runner| runner.lanes() > 1);
                wide.extend(several.map(|runner| {
                    let name = kernel_name(isa, runner.lanes());
                    Candidate { runner, cost, name }
                }));
            }
        }
        // The table has both costs: with instructions made for the algorithm and without.
        let alone = if single.isa == Isa::Shani { costs.hardware } else { costs.portable };
        Candidates { wide, single, alone }
    }

    /// Returns the index of the cheapest runner for this many messages; `None` if one at a time is cheaper.
    fn cheapest(&self, messages: usize) -> Option<usize> {
        let fits = |at: &usize| self.wide[*at].runner.most() >= messages;
        let cost = |at: &usize| {
            let Candidate { runner, cost, .. } = &self.wide[*at];
            *cost as usize * messages.div_ceil(runner.lanes())
        };
        let best = (0..self.wide.len()).filter(fits).min_by_key(cost)?;
        let apart = self.alone as usize * messages;
        (messages > 0 && cost(&best) < apart).then_some(best)
    }

    /// Returns the candidate for full lanes: the narrowest of those that are about as fast as the fastest, because it
    /// is easiest to fill; `None` if one at a time is faster.
    fn when_full(&self) -> Option<&Candidate<K>> {
        let rate = |wide: &Candidate<K>| wide.runner.lanes() * 1_000_000 / wide.cost as usize;
        let best = self.wide.iter().map(rate).max()?;
        let near = |wide: &&Candidate<K>| rate(wide) * 100 >= best * 95;
        let narrow = self.wide.iter().filter(near).min_by_key(|wide| wide.runner.lanes());
        narrow.filter(|wide| rate(wide) > 1_000_000 / self.alone as usize)
    }

    fn pick(self) -> Pick<K> {
        let mut choice = [None; MAX_LANES + 1];
        for (messages, choice) in choice.iter_mut().enumerate() {
            *choice = self.cheapest(messages).map(|at| at as u8);
        }
        let full = self.when_full();
        let (lanes, name) = full.map_or((1, self.single.name), |full| (full.runner.lanes(), full.name));
        let beside = full.map_or(self.alone, |full| full.cost);
        let pace = [self.alone, beside].map(|cost| f64::from(cost) / K::BLOCK as f64);
        let pace = Pace { alone: pace[0], beside: pace[1] };
        let runners = self.wide.into_iter().map(|wide| wide.runner).collect();
        Pick { runners, choice, lanes, single: self.single, name, pace }
    }
}

/// Returns a runner's name for display.
fn kernel_name(isa: Isa, lanes: usize) -> &'static str {
    match (isa, lanes) {
        (Isa::Portable, 1) => "portable",
        (Isa::Portable, _) => "portable x2",
        (Isa::Neon, 2) => "neon x2",
        (Isa::Neon, 4) => "neon x4",
        (Isa::Neon, _) => "neon x8",
        (Isa::Sse41, 2) => "sse4.1 x2",
        (Isa::Sse41, 4) => "sse4.1 x4",
        (Isa::Sse41, _) => "sse4.1 x8",
        (Isa::Avx2, 4) => "avx2 x4",
        (Isa::Avx2, 8) => "avx2 x8",
        (Isa::Avx2, _) => "avx2 x16",
        (Isa::Avx512, 8) => "avx512 x8",
        (Isa::Avx512, 16) => "avx512 x16",
        (Isa::Avx512, _) => "avx512 x32",
        (Isa::Shani, _) => "x86 sha x2",
    }
}
