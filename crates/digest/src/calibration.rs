//! The text format of costs measured on a machine: one line for each kernel, with a checksum.
//!
//! ```text
//! # Costs of kernels on this machine, written by `hashmill bench calibrate`. Without this file the
//! # built-in ones are used.
//! hashmill-calibration 1
//! tool 0.1.0
//! date 2026-11-21T12:00:00Z
//! model AMD EPYC
//! processor AuthenticAMD family 25 model 1 stepping 1 portable sse4.1 avx2 shani
//! kernel md5 portable 88 hardware 88 portable 89 100 neon 0 0 sse4.1 110 129 avx2 113 161 avx512 0 0 shani 0 0
//! …
//! crc32 0123abcd
//! ```
//!
//! A calibration has exactly one text, so every changed file is detected: by its checksum, or because its content would
//! be written differently.

use crate::find;
use crate::{Costs, Isa, Processor, hash};
use std::fmt::{self, Write as _};

/// The comment at the start of the file.
const HEAD: &str = "# Costs of kernels on this machine, written by `hashmill bench calibrate`. Without this file the\n\
                    # built-in ones are used.\n";

/// The first word after the comment.
const MAGIC: &str = "hashmill-calibration";

/// The version of the format.
const VERSION: &str = "1";

/// Costs, with the machine that they were measured on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calibration {
    /// The version of hashmill that measured, for information.
    pub tool: String,
    /// The date in RFC 3339, for information.
    pub date: String,
    /// The name of the processor, for information.
    pub model: String,
    /// The processor, as [`Processor`] writes it.
    pub processor: String,
    /// A row for each kernel of [`Costs::built_in`], in that order.
    pub costs: Vec<Costs>,
}

/// The reason why a calibration can't be used here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidCalibration {
    /// It was changed.
    Damaged,
    /// It has another version of the format.
    Version,
    /// It was measured on another processor.
    Processor,
}

impl Calibration {
    /// Makes a calibration of costs measured on this machine.
    pub fn here(costs: Vec<Costs>, date: String) -> Calibration {
        Calibration {
            tool: env!("CARGO_PKG_VERSION").to_string(),
            date,
            model: Processor::model_name(),
            processor: Processor::here().to_string(),
            costs,
        }
    }

    /// The maximum size of a file in bytes; readers may stop there.
    pub const MOST_BYTES: u64 = 64 << 10;

    /// Returns the text of the file.
    pub fn render(&self) -> String {
        let Calibration { tool, date, model, processor, costs } = self;
        let mut text = format!(
            "{HEAD}{MAGIC} {VERSION}\ntool {tool}\ndate {date}\nmodel {model}\nprocessor {processor}\n"
        );
        for row in costs {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{}", CostLine(row));
        }
        let sum = checksum(&text);
        text + &sum
    }

    /// Reads the text of a file, and checks that it was measured on this processor.
    ///
    /// # Errors
    /// [`InvalidCalibration`] if it can't be used.
    pub fn parse(text: &[u8]) -> Result<Calibration, InvalidCalibration> {
        let text = str::from_utf8(text).map_err(|_| InvalidCalibration::Damaged)?;
        let body = text.strip_prefix(HEAD).ok_or(InvalidCalibration::Damaged)?;
        let mut lines = body.lines();
        let version = lines.next().and_then(|line| after(line, MAGIC)).ok_or(InvalidCalibration::Damaged)?;
        if version != VERSION {
            let number = version.parse::<u32>().is_ok();
            return Err(if number { InvalidCalibration::Version } else { InvalidCalibration::Damaged });
        }
        let calibration = Self::read(&mut lines).filter(|read| read.render() == text);
        let calibration = calibration.ok_or(InvalidCalibration::Damaged)?;
        if calibration.processor != Processor::here().to_string() {
            return Err(InvalidCalibration::Processor);
        }
        Ok(calibration)
    }

    fn read<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Option<Calibration> {
        let mut value = |key| Some(after(lines.next()?, key)?.to_string());
        let (tool, date) = (value("tool")?, value("date")?);
        let (model, processor) = (value("model")?, value("processor")?);
        let costs = Costs::built_in().iter().map(|row| row_of(row.kernel, lines.next()?)).collect();
        Some(Calibration { tool, date, model, processor, costs: Option::from_iter::<Vec<_>>(costs)? })
    }
}

/// Returns the text after a key and a space.
fn after<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    line.strip_prefix(key)?.strip_prefix(' ')
}

/// Returns the last line. The checksum has no lanes, so it can be computed before costs are installed.
fn checksum(text: &str) -> String {
    let crc32 = find("crc32").expect("an algorithm of the registry");
    format!("crc32 {}\n", hash(crc32, text.as_bytes()))
}

/// A kernel's line.
struct CostLine<'a>(&'a Costs);

impl fmt::Display for CostLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Costs { kernel, portable, hardware, wide } = self.0;
        write!(f, "kernel {kernel} portable {portable} hardware {hardware}")?;
        let pairs = Isa::ALL.iter().zip(wide);
        pairs.into_iter().try_for_each(|(isa, [one, two])| write!(f, " {isa} {one} {two}"))
    }
}

/// Reads the kernel's costs from a line that looks like its own. The text between the numbers is checked later.
fn row_of(kernel: &'static str, line: &str) -> Option<Costs> {
    let line = line.strip_prefix("kernel ")?.strip_prefix(kernel)?;
    let mut numbers = line.split(' ').filter_map(|word| word.parse::<u32>().ok());
    let (portable, hardware) = (numbers.next()?, numbers.next()?);
    let mut wide = [[0; 2]; Isa::ALL.len()];
    for cost in wide.as_flattened_mut() {
        *cost = numbers.next()?;
    }
    let costs = Costs { kernel, portable, hardware, wide };
    (portable > 0 && hardware > 0).then_some(costs)
}

impl fmt::Display for InvalidCalibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InvalidCalibration::Damaged => "it is damaged",
            InvalidCalibration::Version => "another version of hashmill wrote it",
            InvalidCalibration::Processor => "it was measured on another processor",
        })
    }
}

impl std::error::Error for InvalidCalibration {}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Calibration {
        Calibration::here(Costs::built_in().to_vec(), "2026-11-21T12:00:00Z".to_string())
    }

    #[test]
    fn what_is_written_is_read() {
        let text = sample().render();
        assert_eq!(Calibration::parse(text.as_bytes()), Ok(sample()));
        assert!((text.len() as u64) < Calibration::MOST_BYTES);
        assert_eq!(text.lines().count(), 2 + 5 + Costs::built_in().len() + 1, "{text}");
    }

    #[test]
    fn no_beginning_of_a_file_is_a_file() {
        let text = sample().render();
        for length in 0..text.len() {
            assert!(Calibration::parse(&text.as_bytes()[..length]).is_err(), "{length} bytes");
        }
        assert_eq!(Calibration::parse((text + "\n").as_bytes()), Err(InvalidCalibration::Damaged));
    }

    #[test]
    fn every_altered_byte_is_found() {
        let text = sample().render().into_bytes();
        for at in 0..text.len() {
            for change in [1, 2, 0x10, 0x20, 0x80, 0xff] {
                let mut altered = text.clone();
                altered[at] ^= change;
                let found = Calibration::parse(&altered);
                assert!(found.is_err(), "byte {at} ^ {change:#x}");
            }
        }
    }

    #[test]
    fn other_processors_and_other_versions_are_told_apart_from_damage() {
        let processor = "GenuineIntel family 6 model 1 stepping 1 portable".to_string();
        let other = Calibration { processor, ..sample() }.render();
        assert_eq!(Calibration::parse(other.as_bytes()), Err(InvalidCalibration::Processor));
        let newer = sample().render().replace("hashmill-calibration 1\n", "hashmill-calibration 2\n");
        assert_eq!(Calibration::parse(newer.as_bytes()), Err(InvalidCalibration::Version));
    }

    #[test]
    fn costs_that_no_kernel_can_have_are_refused() {
        let mut zero = sample();
        zero.costs[0].portable = 0;
        assert_eq!(Calibration::parse(zero.render().as_bytes()), Err(InvalidCalibration::Damaged));
        let mut short = sample();
        short.costs.pop();
        assert_eq!(Calibration::parse(short.render().as_bytes()), Err(InvalidCalibration::Damaged));
    }
}
