//! Which kernel runs for how many messages: by instruction set, forced or measured.

use super::costs;
use super::scalar::Portable;
use super::{Isa, MAX_LANES, Runner, runner};
use crate::bank::Pace;
use crate::kernel::{Kernel, Single};
use std::fmt;

/// The name of an instruction set with lanes, from narrow to wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IsaName {
    /// Plain machine words.
    Portable,
    /// ARM's 128-bit registers.
    Neon,
    /// SSE up to 4.1, 128 bits.
    Sse41,
    /// AVX2, 256 bits.
    Avx2,
    /// AVX-512 F, BW, DQ and VL, 512 bits.
    Avx512,
    /// The SHA instructions of x86-64: two messages, each in registers of its own, so that one computes while
    /// the other waits.
    Shani,
}

/// How many registers run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// One.
    One,
    /// Two.
    Two,
}

/// How many names there are.
pub(crate) const ISAS: usize = 6;

impl IsaName {
    /// All, whether this CPU has them or not.
    pub const ALL: [IsaName; ISAS] =
        [IsaName::Portable, IsaName::Neon, IsaName::Sse41, IsaName::Avx2, IsaName::Avx512, IsaName::Shani];

    /// The name in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            IsaName::Portable => "portable",
            IsaName::Neon => "neon",
            IsaName::Sse41 => "sse4.1",
            IsaName::Avx2 => "avx2",
            IsaName::Avx512 => "avx512",
            IsaName::Shani => "shani",
        }
    }

    /// The one with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|isa| isa.name() == name)
    }

    /// Those that this CPU has, narrow to wide.
    pub fn available() -> impl Iterator<Item = IsaName> {
        Self::ALL.into_iter().filter(|isa| isa.present())
    }

    #[cfg(target_arch = "x86_64")]
    pub(super) fn present(self) -> bool {
        match self {
            IsaName::Portable => true,
            IsaName::Neon => false,
            IsaName::Sse41 => super::sse41::Sse41::detect().is_some(),
            IsaName::Avx2 => super::avx2::Avx2::detect().is_some(),
            IsaName::Avx512 => super::avx512::Avx512::detect().is_some(),
            IsaName::Shani => crate::machine::Isa::Shani.present(),
        }
    }

    #[cfg(target_arch = "aarch64")]
    pub(super) fn present(self) -> bool {
        match self {
            IsaName::Portable => true,
            IsaName::Neon => super::neon::Neon::detect().is_some(),
            _ => false,
        }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(super) fn present(self) -> bool {
        self == IsaName::Portable
    }

    /// The runner of this instruction set, if the CPU has it.
    #[cfg(target_arch = "x86_64")]
    fn runner<K: Kernel>(self, width: Width) -> Option<Box<dyn Runner<K>>> {
        match self {
            IsaName::Portable => Portable::detect().and_then(|isa| wide(isa, width)),
            IsaName::Neon => None,
            IsaName::Sse41 => super::sse41::Sse41::detect().and_then(|isa| wide(isa, width)),
            IsaName::Avx2 => super::avx2::Avx2::detect().and_then(|isa| wide(isa, width)),
            IsaName::Avx512 => super::avx512::Avx512::detect().and_then(|isa| wide(isa, width)),
            IsaName::Shani => K::pair().filter(|_| width == Width::Two).map(runner::apart),
        }
    }

    /// The runner of this instruction set, if the CPU has it.
    #[cfg(target_arch = "aarch64")]
    fn runner<K: Kernel>(self, width: Width) -> Option<Box<dyn Runner<K>>> {
        match self {
            IsaName::Portable => Portable::detect().and_then(|isa| wide(isa, width)),
            IsaName::Neon => super::neon::Neon::detect().and_then(|isa| wide(isa, width)),
            _ => None,
        }
    }

    /// The runner of this instruction set, if the CPU has it.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn runner<K: Kernel>(self, width: Width) -> Option<Box<dyn Runner<K>>> {
        wide(Portable, width).filter(|_| self == IsaName::Portable)
    }
}

impl fmt::Display for IsaName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Width {
    /// Both.
    pub const ALL: [Width; 2] = [Width::One, Width::Two];

    /// One or two.
    pub fn registers(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
        }
    }
}

fn wide<K: Kernel, I: Isa>(isa: I, width: Width) -> Option<Box<dyn Runner<K>>> {
    match width {
        Width::One => Some(runner::one(isa)),
        Width::Two if K::PAIRS => Some(runner::two(isa)),
        Width::Two => None,
    }
}

/// How to choose kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// The cheapest for each number of messages, by the table of costs, up to this instruction set.
    /// `Portable` also rules out the instructions made for an algorithm.
    Cheapest(IsaName),
    /// This one, however few messages there are.
    Only(IsaName, Width),
    /// One message at a time.
    Single,
}

/// The kernels that a bank may run.
pub(crate) struct Pick<K: Kernel> {
    runners: Vec<Box<dyn Runner<K>>>,
    /// For each number of messages the index of its runner; none: one message at a time.
    choice: [Option<u8>; MAX_LANES + 1],
    /// How many messages to take at once while there are enough.
    pub(crate) lanes: usize,
    /// For one message at a time.
    pub(crate) single: Single<K>,
    /// What runs when the lanes are full, for people.
    pub(crate) name: &'static str,
    /// What a byte costs.
    pub(crate) pace: Pace,
}

impl<K: Kernel> Pick<K> {
    /// Carries out the plan; none if it names an instruction set that the CPU lacks.
    pub(crate) fn new(plan: Plan) -> Option<Self> {
        match plan {
            Plan::Cheapest(limit) => Some(Self::cheapest(limit)),
            Plan::Only(isa, width) => Self::only(isa, width),
            Plan::Single => Some(Ladder::new(None, K::single()).pick()),
        }
    }

    /// [`Plan::Cheapest`].
    pub(crate) fn cheapest(limit: IsaName) -> Self {
        let single = if limit == IsaName::Portable { Single::portable() } else { K::single() };
        Ladder::new(Some(limit), single).pick()
    }

    fn only(isa: IsaName, width: Width) -> Option<Self> {
        let runner = isa.runner(width)?;
        let lanes = runner.lanes();
        let choice = [Some(0); MAX_LANES + 1];
        let (single, name) = (K::single(), title(isa, lanes));
        let pace = Pace { alone: 1.0, beside: 1.0 };
        Some(Pick { runners: vec![runner], choice, lanes, single, name, pace })
    }

    /// The runner for so many messages; none: one at a time.
    pub(crate) fn runner(&self, messages: usize) -> Option<&dyn Runner<K>> {
        self.choice[messages].map(|at| &*self.runners[usize::from(at)])
    }
}

/// A runner, what a block of all its lanes costs, and its name.
type Step<K> = (Box<dyn Runner<K>>, u32, &'static str);

/// Runners with what a block of all their lanes costs.
struct Ladder<K: Kernel> {
    steps: Vec<Step<K>>,
    /// One message at a time, and what a block costs.
    single: Single<K>,
    alone: u32,
}

impl<K: Kernel> Ladder<K> {
    fn new(limit: Option<IsaName>, single: Single<K>) -> Self {
        let costs = costs::of(K::NAME);
        let mut steps = Vec::new();
        let isas = IsaName::available().filter(|isa| limit.is_some_and(|limit| *isa <= limit));
        for isa in isas {
            for width in Width::ALL {
                let Some(cost) = costs.wide(isa, width) else { continue };
                let runner: Option<Box<dyn Runner<K>>> = isa.runner(width);
                let several = runner.filter(|runner| runner.lanes() > 1);
                steps.extend(several.map(|runner| {
                    let name = title(isa, runner.lanes());
                    (runner, cost, name)
                }));
            }
        }
        let alone = if single.hardware { costs.hardware } else { costs.portable };
        Ladder { steps, single, alone }
    }

    /// The index of the cheapest step for so many messages; none: one at a time is cheaper.
    fn cheapest(&self, messages: usize) -> Option<usize> {
        let fits = |at: &usize| self.steps[*at].0.most() >= messages;
        let cost = |at: &usize| {
            let (runner, cost, _) = &self.steps[*at];
            *cost as usize * messages.div_ceil(runner.lanes())
        };
        let best = (0..self.steps.len()).filter(fits).min_by_key(cost)?;
        let apart = self.alone as usize * messages;
        (messages > 0 && cost(&best) < apart).then_some(best)
    }

    /// The step for a full house: of those about as fast as the fastest the narrowest, which is easiest to
    /// fill; none if one at a time is faster.
    fn top(&self) -> Option<&Step<K>> {
        let rate = |step: &&Step<K>| step.0.lanes() * 1_000_000 / step.1 as usize;
        let best = self.steps.iter().map(|step| rate(&step)).max()?;
        let near = |step: &&Step<K>| rate(step) * 100 >= best * 95;
        let narrow = self.steps.iter().filter(near).min_by_key(|step| step.0.lanes());
        narrow.filter(|step| rate(step) > 1_000_000 / self.alone as usize)
    }

    fn pick(self) -> Pick<K> {
        let mut choice = [None; MAX_LANES + 1];
        for (messages, choice) in choice.iter_mut().enumerate() {
            *choice = self.cheapest(messages).map(|at| at as u8);
        }
        let top = self.top();
        let (lanes, name) = top.map_or((1, self.single.name), |(runner, _, name)| (runner.lanes(), *name));
        let beside = top.map_or(self.alone, |(_, cost, _)| *cost);
        let pace = [self.alone, beside].map(|cost| f64::from(cost) / K::BLOCK as f64);
        let pace = Pace { alone: pace[0], beside: pace[1] };
        let runners = self.steps.into_iter().map(|(runner, _, _)| runner).collect();
        Pick { runners, choice, lanes, single: self.single, name, pace }
    }
}

/// A runner's name, for people.
fn title(isa: IsaName, lanes: usize) -> &'static str {
    match (isa, lanes) {
        (IsaName::Portable, 1) => "portable",
        (IsaName::Portable, _) => "portable x2",
        (IsaName::Neon, 2) => "neon x2",
        (IsaName::Neon, 4) => "neon x4",
        (IsaName::Neon, _) => "neon x8",
        (IsaName::Sse41, 2) => "sse4.1 x2",
        (IsaName::Sse41, 4) => "sse4.1 x4",
        (IsaName::Sse41, _) => "sse4.1 x8",
        (IsaName::Avx2, 4) => "avx2 x4",
        (IsaName::Avx2, 8) => "avx2 x8",
        (IsaName::Avx2, _) => "avx2 x16",
        (IsaName::Avx512, 8) => "avx512 x8",
        (IsaName::Avx512, 16) => "avx512 x16",
        (IsaName::Avx512, _) => "avx512 x32",
        (IsaName::Shani, _) => "x86 sha x2",
    }
}
