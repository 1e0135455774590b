//! The identity of this processor, for which measurements are valid.

use crate::machine::Isa;
use std::fmt;

/// A processor; the costs of kernels depend on these properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processor {
    /// The vendor, one word.
    vendor: String,
    /// The family, model and stepping.
    numbers: [u32; 3],
    /// The instruction sets of the kernels that it has.
    features: Vec<Isa>,
}

impl Processor {
    /// Identifies the processor of this process. On other architectures than x86-64, where programs can't ask, the
    /// vendor is the architecture and the numbers are 0.
    pub fn here() -> Processor {
        let (vendor, numbers) = identity();
        let words = vendor.split_whitespace().collect::<Vec<_>>().join("-");
        Processor {
            vendor: words,
            numbers,
            // NEON is left out: all processors of its architecture have it, and calibrations do not name it.
            features: Isa::available().filter(|isa| *isa != Isa::Neon).collect(),
        }
    }

    /// Returns the processor's name for display; empty if unknown.
    pub fn model_name() -> String {
        let name = String::from_utf8_lossy(&brand()).replace(|letter: char| letter.is_control(), " ");
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Writes one line: the vendor, the three numbers, and the instruction sets.
impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [family, model, stepping] = self.numbers;
        write!(f, "{} family {family} model {model} stepping {stepping}", self.vendor)?;
        self.features.iter().try_for_each(|isa| write!(f, " {isa}"))
    }
}

/// Returns the vendor, and family, model and stepping by the manuals of AMD and Intel (CPUID leaf 1).
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
