//! What this processor can run, and the one place where a user may forbid parts of it.
//!
//! Kernels ask [`Machine::allows`] once, when they are chosen; nothing here is asked in an inner loop.

use std::sync::OnceLock;
use std::{env, fmt};

/// The environment variable that forces an instruction set.
pub const VARIABLE: &str = "HASHLOOM_ISA";

/// Instruction sets that kernels are written for, from the narrowest to the most special. Forcing one
/// forbids those after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// What every processor of the target has: plain machine words.
    Portable,
    /// ARM's 128-bit registers.
    Neon,
    /// x86-64 with SSSE3 and SSE4.1.
    Sse41,
    /// x86-64 with AVX2, BMI1 and BMI2.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL, beside AVX2.
    Avx512,
    /// x86-64 with the SHA-1 and SHA-256 instructions, beside SSE4.1.
    Shani,
}

/// The processor, and how far it may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// The instruction set that was asked for; `None` if kernels choose the best.
    pub forced: Option<Isa>,
}

/// Why an instruction set cannot be forced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadIsa {
    /// No instruction set has this name.
    Unknown(String),
    /// This processor does not have it.
    Unsupported(Isa),
    /// Kernels were chosen before.
    Late,
}

static CURRENT: OnceLock<Machine> = OnceLock::new();

impl Isa {
    /// All of them, in order.
    pub const ALL: [Isa; 6] = [Isa::Portable, Isa::Neon, Isa::Sse41, Isa::Avx2, Isa::Avx512, Isa::Shani];

    /// The last of them: as a limit it forbids nothing.
    pub const WIDEST: Isa = Isa::Shani;

    /// Those that this processor has, in order.
    pub fn available() -> impl Iterator<Item = Isa> {
        Self::ALL.into_iter().filter(|isa| isa.present())
    }

    /// The name in options and in [`VARIABLE`].
    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Neon => "neon",
            Isa::Sse41 => "sse4.1",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Shani => "shani",
        }
    }

    /// Whether this processor has it. The answer is cached by the standard library.
    #[cfg(target_arch = "x86_64")]
    pub fn present(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        match self {
            Isa::Portable => true,
            Isa::Neon => false,
            Isa::Sse41 => has!("ssse3") && has!("sse4.1"),
            Isa::Avx2 => has!("avx2") && has!("bmi1") && has!("bmi2"),
            Isa::Avx512 => {
                let wide = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
                wide && Isa::Avx2.present()
            }
            Isa::Shani => has!("sha") && Isa::Sse41.present(),
        }
    }

    /// Whether this processor has it.
    #[cfg(target_arch = "aarch64")]
    pub fn present(self) -> bool {
        match self {
            Isa::Portable => true,
            Isa::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            _ => false,
        }
    }

    /// Whether this processor has it.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub fn present(self) -> bool {
        self == Isa::Portable
    }
}

impl Machine {
    /// This process's machine: what [`Machine::select`] set, or else what [`VARIABLE`] says; a value there
    /// that is not usable counts as `auto` (a program should report it by [`Machine::from_env`]).
    pub fn detect() -> Machine {
        *CURRENT.get_or_init(|| Machine::from_env().unwrap_or(Machine { forced: None }))
    }

    /// The machine that [`VARIABLE`] asks for.
    ///
    /// # Errors
    /// [`BadIsa`] if the name is unknown or the processor lacks it.
    pub fn from_env() -> Result<Machine, BadIsa> {
        match env::var_os(VARIABLE) {
            Some(name) => Machine::named(&name.to_string_lossy()),
            None => Ok(Machine { forced: None }),
        }
    }

    /// The machine that is held to this instruction set; `auto`, or nothing, is no limit.
    ///
    /// # Errors
    /// [`BadIsa`] if the name is unknown or the processor lacks it.
    pub fn named(name: &str) -> Result<Machine, BadIsa> {
        let wanted = name.to_ascii_lowercase();
        if wanted.is_empty() || wanted == "auto" {
            return Ok(Machine { forced: None });
        }
        let isa = Isa::ALL.into_iter().find(|isa| isa.name() == wanted);
        let isa = isa.ok_or_else(|| BadIsa::Unknown(name.to_string()))?;
        if isa.present() { Ok(Machine { forced: Some(isa) }) } else { Err(BadIsa::Unsupported(isa)) }
    }

    /// Makes this the process's machine. Must come before the first digest.
    ///
    /// # Errors
    /// [`BadIsa::Late`] if kernels were already chosen for another.
    pub fn select(self) -> Result<(), BadIsa> {
        if *CURRENT.get_or_init(|| self) == self { Ok(()) } else { Err(BadIsa::Late) }
    }

    /// The widest instruction set that may run.
    pub fn limit(self) -> Isa {
        self.forced.unwrap_or(Isa::WIDEST)
    }

    /// Whether kernels for this instruction set may run.
    pub fn allows(self, isa: Isa) -> bool {
        isa <= self.limit() && isa.present()
    }

    /// The instruction sets that may run, in order.
    pub fn available(self) -> impl Iterator<Item = Isa> {
        Isa::available().filter(move |isa| self.allows(*isa))
    }
}

/// Whether vector rotations are quick. Intel's take one cycle and its exchanges of lanes three; AMD's, up to
/// Zen 4 at least, two and five. That decides between vectors and general registers where every step waits
/// for the last.
#[cfg(target_arch = "x86_64")]
pub(crate) fn quick_rotations() -> bool {
    is_intel()
}

/// Whether the clock is steady: Intel's processors before Ice Lake run slower for a while after instructions
/// with registers of 512 bits.
#[cfg(target_arch = "x86_64")]
pub(crate) fn steady_clock() -> bool {
    !is_intel()
}

#[cfg(target_arch = "x86_64")]
fn is_intel() -> bool {
    let leaf = std::arch::x86_64::__cpuid(0);
    [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for BadIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadIsa::Unknown(name) => write!(f, "unknown instruction set '{name}'")?,
            BadIsa::Unsupported(isa) => write!(f, "this processor has no {isa}")?,
            BadIsa::Late => return write!(f, "the instruction set was chosen before"),
        }
        write!(f, "; there are: auto")?;
        Isa::available().try_for_each(|isa| write!(f, ", {isa}"))
    }
}

impl std::error::Error for BadIsa {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forcing_forbids_what_comes_after() {
        let machine = Machine::named("Portable").unwrap();
        assert_eq!(machine.available().collect::<Vec<_>>(), [Isa::Portable]);
        assert_eq!(Machine::named("auto").unwrap().forced, None);
    }

    #[test]
    fn an_unknown_name_lists_those_that_exist() {
        let message = Machine::named("avx1024").unwrap_err().to_string();
        assert!(
            message.starts_with("unknown instruction set 'avx1024'; there are: auto, portable"),
            "{message}"
        );
    }

    #[test]
    fn every_name_is_accepted_or_refused_as_unsupported() {
        for isa in Isa::ALL {
            match Machine::named(isa.name()) {
                Ok(machine) => assert_eq!(machine.forced, Some(isa)),
                Err(error) => assert_eq!(error, BadIsa::Unsupported(isa)),
            }
        }
    }
}
