//! The methods of coders, by their numbers (Methods.txt of 7-Zip), and their properties.

use crate::Problem;
use crate::compression::{Processor, lzma2_dictionary};
use crate::fields::u32_at;

/// A method of a coder, with its properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Method {
    Copy,
    /// Its first property (`lc`, `lp` and `pb`) and the bytes of its dictionary.
    Lzma(u8, u32),
    /// The bytes of its dictionary.
    Lzma2(u32),
    /// Its order and the bytes of its model.
    Ppmd(u32, u32),
    Bzip2,
    Deflate,
    Deflate64,
    Zstandard,
    /// The distance.
    Delta(usize),
    /// The processor, and the position of the first byte.
    Branches(Processor, u32),
    Bcj2,
    /// The number of bytes whose order is reversed.
    Swap(usize),
    Encrypted,
    /// A method that can't be decoded: its name.
    Unknown(Box<str>),
    /// Its properties make no sense: its name.
    Damaged(&'static str),
}

impl Method {
    /// Returns the method with an identifier and properties.
    pub(super) fn new(id: &[u8], properties: &[u8]) -> Method {
        let number = id.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        match number {
            _ if id.len() > 8 => Method::unknown(id),
            0x00 => Method::Copy,
            0x03 => Method::Delta(properties.first().map_or(1, |byte| usize::from(*byte) + 1)),
            0x04 | 0x0303_0103 => Method::branches(Processor::X86, properties),
            0x05 | 0x0303_0205 => Method::branches(Processor::PowerPc, properties),
            0x06 | 0x0303_0401 => Method::branches(Processor::Ia64, properties),
            0x07 | 0x0303_0501 => Method::branches(Processor::Arm, properties),
            0x08 | 0x0303_0701 => Method::branches(Processor::ArmThumb, properties),
            0x09 | 0x0303_0805 => Method::branches(Processor::Sparc, properties),
            0x0a => Method::branches(Processor::Arm64, properties),
            0x0b => Method::branches(Processor::RiscV, properties),
            0x21 => Method::lzma2(properties),
            0x02_0302 => Method::Swap(2),
            0x02_0304 => Method::Swap(4),
            0x03_0101 => Method::lzma(properties),
            0x0303_011b => Method::Bcj2,
            0x03_0401 => Method::ppmd(properties),
            0x04_0108 => Method::Deflate,
            0x04_0109 => Method::Deflate64,
            0x04_0202 => Method::Bzip2,
            0x04f7_1101 => Method::Zstandard,
            0x06f0_0000..=0x06ff_ffff => Method::Encrypted,
            _ => Method::unknown(id),
        }
    }

    fn lzma(properties: &[u8]) -> Method {
        match (properties.first(), u32_at(properties, 1)) {
            (Some(first @ ..225), Ok(dictionary)) => Method::Lzma(*first, dictionary),
            _ => Method::Damaged("LZMA"),
        }
    }

    fn lzma2(properties: &[u8]) -> Method {
        let dictionary = properties.first().and_then(|code| lzma2_dictionary(*code));
        dictionary.map_or(Method::Damaged("LZMA2"), Method::Lzma2)
    }

    fn ppmd(properties: &[u8]) -> Method {
        match (properties.first(), u32_at(properties, 1)) {
            (Some(order), Ok(memory)) => Method::Ppmd(u32::from(*order), memory),
            _ => Method::Damaged("PPMd"),
        }
    }

    /// Returns a filter of branches. Newer ones may have a position as their property, others have none.
    fn branches(processor: Processor, properties: &[u8]) -> Method {
        Method::Branches(processor, u32_at(properties, 0).unwrap_or_default())
    }

    fn unknown(id: &[u8]) -> Method {
        let name = match id {
            [4, 0xf7, 0x11, 2] => "Brotli",
            [4, 0xf7, 0x11, 4] => "LZ4",
            [4, 0xf7, 0x11, 5] => "LZ5",
            [4, 0xf7, 0x11, 6] => "Lizard",
            _ => {
                let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
                return Method::Unknown(format!("the method {digits} of 7z").into());
            }
        };
        Method::Unknown(format!("{name} in 7z").into())
    }

    /// Returns why it can't be decoded from that many streams.
    pub(super) fn problem(&self, inputs: usize) -> Option<Problem> {
        match self {
            Method::Encrypted => Some(Problem::Encrypted),
            Method::Unknown(name) => Some(Problem::Unsupported(name.clone())),
            Method::Damaged(name) => {
                Some(Problem::damaged(format!("the properties of {name} make no sense")))
            }
            Method::Bcj2 if inputs == 4 => None,
            _ if inputs == 1 && *self != Method::Bcj2 => None,
            _ => Some(Problem::damaged(format!("a coder has {inputs} streams"))),
        }
    }

    /// Returns the bytes of its dictionary, as far as there is one.
    pub(super) fn dictionary(&self) -> Option<u32> {
        match self {
            Method::Lzma(_, bytes) | Method::Lzma2(bytes) => Some(*bytes),
            _ => None,
        }
    }

    /// Returns the bytes of its model, which is there from the start.
    pub(super) fn model(&self) -> u64 {
        if let Method::Ppmd(_, bytes) = self { u64::from(*bytes) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_those_of_the_method() {
        for (id, properties, expected) in [
            (&[0x21][..], &[24][..], Method::Lzma2(16 << 20)),
            (&[0x21], &[39], Method::Lzma2(3 << 30)),
            (&[0x21], &[40], Method::Lzma2(u32::MAX)),
            (&[0x21], &[41], Method::Damaged("LZMA2")),
            (&[3, 1, 1], &[0x5d, 0, 0, 1, 0], Method::Lzma(0x5d, 1 << 16)),
            (&[3, 1, 1], &[225, 0, 0, 1, 0], Method::Damaged("LZMA")),
            (&[3, 1, 1], &[0x5d, 0, 0, 1], Method::Damaged("LZMA")),
            (&[3, 4, 1], &[6, 0, 0, 0, 1], Method::Ppmd(6, 1 << 24)),
            (&[3], &[255], Method::Delta(256)),
            (&[0xa], &[0, 1, 0, 0], Method::Branches(Processor::Arm64, 256)),
            (&[6, 0xf1, 7, 1], &[], Method::Encrypted),
            (&[4, 0xf7, 0x11, 4], &[], Method::Unknown("LZ4 in 7z".into())),
            (&[0x7f], &[], Method::Unknown("the method 7f of 7z".into())),
            (
                &[0, 0, 0, 0, 0, 0, 0, 0, 3],
                &[],
                Method::Unknown("the method 000000000000000003 of 7z".into()),
            ),
        ] {
            assert_eq!(Method::new(id, properties), expected);
        }
    }
}
