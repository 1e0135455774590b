//! Which processor this is: what measurements made here are good for.

use crate::machine::Isa;
use std::fmt;

/// A processor, as far as the costs of kernels depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processor {
    /// Who made it: one word.
    vendor: String,
    /// What it says of itself: family, model, stepping.
    numbers: [u32; 3],
    /// The instruction sets that kernels are written for and that it has.
    features: Vec<Isa>,
}

impl Processor {
    /// The one that this process runs on. Where a program can't ask (other than x86-64) the architecture
    /// stands for the vendor and the numbers are 0.
    pub fn here() -> Processor {
        let (vendor, numbers) = identity();
        let words = vendor.split_whitespace().collect::<Vec<_>>().join("-");
        Processor {
            vendor: words,
            numbers,
            // NEON is left out: no processor of its architecture lacks it, and calibrations do not name it.
            features: Isa::available().filter(|isa| *isa != Isa::Neon).collect(),
        }
    }

    /// The name that it goes by, for people; empty if it does not tell.
    pub fn model_name() -> String {
        let name = String::from_utf8_lossy(&brand()).replace(|letter: char| letter.is_control(), " ");
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// One line: the vendor, the three numbers, and the instruction sets.
impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [family, model, stepping] = self.numbers;
        write!(f, "{} family {family} model {model} stepping {stepping}", self.vendor)?;
        self.features.iter().try_for_each(|isa| write!(f, " {isa}"))
    }
}

/// The vendor, and family, model and stepping as AMD's and Intel's manuals add them up (CPUID leaf 1).
#[cfg(target_arch = "x86_64")]
fn identity() -> (String, [u32; 3]) {
    use std::arch::x86_64::__cpuid;
    let leaf = __cpuid(0);
    let vendor = [leaf.ebx, leaf.edx, leaf.ecx].map(u32::to_le_bytes);
    let signature = __cpuid(1).eax;
    let field = |from: u32, bits: u32| (signature >> from) & ((1 << bits) - 1);
    let (family, model) = (field(8, 4), field(4, 4));
    let longer = if family == 0xf { family + field(20, 8) } else { family };
    let model = if family == 0xf || family == 6 { model + (field(16, 4) << 4) } else { model };
    (String::from_utf8_lossy(vendor.as_flattened()).into_owned(), [longer, model, field(0, 4)])
}

#[cfg(not(target_arch = "x86_64"))]
fn identity() -> (String, [u32; 3]) {
    (std::env::consts::ARCH.to_string(), [0; 3])
}

#[cfg(target_arch = "x86_64")]
fn brand() -> Vec<u8> {
    use std::arch::x86_64::__cpuid;
    if __cpuid(0x8000_0000).eax < 0x8000_0004 {
        return Vec::new();
    }
    let leaves = (0x8000_0002..=0x8000_0004).map(__cpuid);
    let bytes = leaves.flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]).flat_map(u32::to_le_bytes);
    bytes.take_while(|byte| *byte != 0).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn brand() -> Vec<u8> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_one_line_that_starts_with_one_word() {
        let text = Processor::here().to_string();
        assert!(text.split(' ').nth(1) == Some("family") && !text.contains('\n'), "{text}");
        assert!(text.contains(" portable"), "{text}");
        assert!(!Processor::model_name().contains('\n'));
        assert_eq!(Processor::here(), Processor::here());
    }
}
