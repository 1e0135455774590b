//! The features of this processor, and the only place where a user may forbid some of them.
//!
//! Kernels ask [`Machine::allows`] once, when they are chosen; nothing here is called in an inner loop.
//!
//! To add an instruction set: a feature here, a file in `lanes/`, its arm in `lanes/pick.rs`, and its costs in each
//! kernel's `COSTS`.

pub(crate) mod path;
pub(crate) mod processor;

use std::sync::OnceLock;
use std::{env, fmt};

/// The environment variable that forces an instruction set.
pub const VARIABLE: &str = "HASHMILL_ISA";

/// The instruction sets of the kernels, from the narrowest to the most special. Forcing one forbids the later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// Plain machine words, which every processor of the target has.
    Portable,
    /// ARM's 128-bit registers.
    Neon,
    /// x86-64 with SSSE3 and SSE4.1.
    Sse41,
    /// x86-64 with AVX2, BMI1 and BMI2.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL, and AVX2.
    Avx512,
    /// x86-64 with the SHA-1 and SHA-256 instructions, and SSE4.1.
    Shani,
}

/// The processor, with the user's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// The instruction set that the user forced; `None` if kernels choose the best.
    pub forced: Option<Isa>,
}

/// The reason why an instruction set can't be forced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadIsa {
    /// No instruction set has this name.
    Unknown(String),
    /// This processor does not have it.
    Unsupported(Isa),
    /// Kernels were already chosen.
    Late,
}

static CURRENT: OnceLock<Machine> = OnceLock::new();

impl Isa {
    /// All instruction sets, in order.
    pub const ALL: [Isa; 6] = [Isa::Portable, Isa::Neon, Isa::Sse41, Isa::Avx2, Isa::Avx512, Isa::Shani];

    /// The last instruction set: as a limit it forbids nothing.
    pub const WIDEST: Isa = Isa::Shani;

    /// Returns the instruction sets of this processor, in order.
    pub fn available() -> impl Iterator<Item = Isa> {
        Self::ALL.into_iter().filter(|isa| isa.present())
    }

    /// Returns the name in options and in [`VARIABLE`].
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

    /// Whether this processor has it. The standard library caches the answer.
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
    /// Returns this process's machine: the one from [`Machine::select`], or else from [`VARIABLE`]. An invalid value
    /// there counts as `auto` (programs should report it by [`Machine::from_env`]).
    pub fn detect() -> Machine {
        *CURRENT.get_or_init(|| Machine::from_env().unwrap_or(Machine { forced: None }))
    }

    /// Reads the machine from [`VARIABLE`].
    ///
    /// # Errors
    /// [`BadIsa`] if the name is unknown or the processor lacks it.
    pub fn from_env() -> Result<Machine, BadIsa> {
        match env::var_os(VARIABLE) {
            Some(name) => Machine::named(&name.to_string_lossy()),
            None => Ok(Machine { forced: None }),
        }
    }

    /// Returns the machine limited to this instruction set; `auto`, or an empty name, is no limit.
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

    /// Makes this the process's machine. Must be called before the first digest.
    ///
    /// # Errors
    /// [`BadIsa::Late`] if kernels were already chosen for another.
    pub fn select(self) -> Result<(), BadIsa> {
        if *CURRENT.get_or_init(|| self) == self { Ok(()) } else { Err(BadIsa::Late) }
    }

    /// Returns the widest instruction set that may be used.
    pub fn limit(self) -> Isa {
        self.forced.unwrap_or(Isa::WIDEST)
    }

    /// Whether kernels for this instruction set may be used.
    pub fn allows(self, isa: Isa) -> bool {
        isa <= self.limit() && isa.present()
    }

    /// Returns the instruction sets that may be used, in order.
    pub fn available(self) -> impl Iterator<Item = Isa> {
        Isa::available().filter(move |isa| self.allows(*isa))
    }
}

/// Whether vector rotations are fast. On Intel's processors they take one cycle, and exchanges of lanes three; on
/// AMD's, up to Zen 4 at least, two and five. That decides between vectors and general registers for a chain of
/// dependent steps.
#[cfg(target_arch = "x86_64")]
pub(crate) fn quick_rotations() -> bool {
    is_intel()
}

/// Whether the clock is steady: Intel's processors before Ice Lake slow down for a while after instructions with
/// registers of 512 bits.
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
            BadIsa::Late => return write!(f, "the instruction set was already chosen"),
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
