//! Filters of branches, and the dictionary of LZMA2, which xz and 7z have alike.

use lzma_rust2::filter::bcj::BcjReader;
use std::io::Read;

/// A processor for whose branches there is a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of processors")]
pub(crate) enum Processor {
    X86,
    PowerPc,
    Ia64,
    Arm,
    ArmThumb,
    Sparc,
    Arm64,
    RiscV,
}

impl Processor {
    /// Returns a reader that makes addresses in branches relative again. The first byte has this position.
    pub(crate) fn reader<R: Read>(self, inner: R, start: usize) -> BcjReader<R> {
        match self {
            Processor::X86 => BcjReader::new_x86(inner, start),
            Processor::PowerPc => BcjReader::new_ppc(inner, start),
            Processor::Ia64 => BcjReader::new_ia64(inner, start),
            Processor::Arm => BcjReader::new_arm(inner, start),
            Processor::ArmThumb => BcjReader::new_arm_thumb(inner, start),
            Processor::Sparc => BcjReader::new_sparc(inner, start),
            Processor::Arm64 => BcjReader::new_arm64(inner, start),
            Processor::RiscV => BcjReader::new_riscv(inner, start),
        }
    }
}

/// Returns the bytes of the dictionary of LZMA2 by its code: 2 or 3, shifted. Codes above 40 stand for none.
pub(crate) fn lzma2_dictionary(code: u8) -> Option<u32> {
    match code {
        40 => Some(u32::MAX),
        0..40 => Some((2 | u32::from(code & 1)) << (code / 2 + 11)),
        _ => None,
    }
}
