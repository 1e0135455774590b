//! The decoders of a block, connected as it states.

use super::bcj2::Bcj2;
use super::block::{Coder, CoderBlock, Source};
use super::method::{Method, Processor};
use super::pack::{Fault, PackReader};
use super::streams::Pack;
use crate::compression::decoder;
use crate::{Compression, Limits, Medium, Problem};
use bzip2::read::MultiBzDecoder;
use deflate64::Deflate64Decoder;
use flate2::read::DeflateDecoder;
use lzma_rust2::filter::bcj::BcjReader;
use lzma_rust2::filter::delta::DeltaReader;
use lzma_rust2::{Lzma2Reader, LzmaReader};
use ppmd_rust::Ppmd7Decoder;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

/// A stream of bytes between two coders.
pub(super) type Stage = Box<dyn Read + Send>;

/// The bytes that are read at once for decoders that read single bytes.
const BUFFER: usize = 8 << 10;

/// The content of a block.
pub(super) struct Decoded {
    /// A reader of the content, which may end early or late.
    pub(super) reader: Stage,
    /// The reason why the packed bytes could not be read.
    pub(super) fault: Fault,
}

/// Returns a reader of a block that has no problem that was known before.
pub(super) fn decode(
    medium: &Arc<dyn Medium>,
    base: u64,
    block: &CoderBlock,
    packs: &[Pack],
    limits: &Limits,
) -> Result<Decoded, Problem> {
    let fault = Fault::default();
    let pack = |pack: &Pack| PackReader::new(Arc::clone(medium), base, *pack, fault.clone());
    let mut packed: Vec<Option<Stage>> =
        packs.iter().map(|place| Some(Box::new(pack(place)) as Stage)).collect();
    let mut decoded: Vec<Option<Stage>> = block.coders.iter().map(|_| None).collect();
    for coder in block.order()? {
        let mut inputs = Vec::new();
        for source in block.sources_of(coder) {
            let stage = match *source {
                Source::Coder(coder) => decoded.get_mut(coder).and_then(Option::take),
                Source::Packed(pack) => packed.get_mut(pack).and_then(Option::take),
            };
            inputs.push(stage.ok_or_else(|| Problem::damaged("a stream of a block has no source"))?);
        }
        if let (Some(coder), Some(to)) = (block.coders.get(coder), decoded.get_mut(coder)) {
            let stage = stage(coder, inputs, limits).map_err(|error| fault.explain(error))?;
            *to = Some(Box::new(stage.take(coder.size)));
        }
    }
    let reader = decoded.get_mut(block.last).and_then(Option::take);
    let reader = reader.ok_or_else(|| Problem::damaged("no coder of a block is the last"))?;
    Ok(Decoded { reader, fault })
}

/// Returns the reader of what comes out of a coder.
fn stage(coder: &Coder, inputs: Vec<Stage>, limits: &Limits) -> io::Result<Stage> {
    if coder.method == Method::Bcj2 {
        return Bcj2::new(inputs).map(|reader| Box::new(reader) as Stage);
    }
    let input = inputs.into_iter().next().ok_or_else(|| Problem::damaged("a coder has no stream"))?;
    // No dictionary needs to be longer than what comes out.
    let window = |bytes: u32| u32::try_from(u64::from(bytes).min(coder.size)).unwrap_or(bytes);
    Ok(match coder.method {
        Method::Copy => input,
        Method::Lzma(first, dictionary) => {
            Box::new(LzmaReader::new_with_props(input, coder.size, first, window(dictionary), None)?)
        }
        Method::Lzma2(dictionary) => {
            let window = window(dictionary).clamp(lzma_rust2::DICT_SIZE_MIN, lzma_rust2::DICT_SIZE_MAX);
            Box::new(Lzma2Reader::new(BufReader::with_capacity(BUFFER, input), window, None))
        }
        Method::Ppmd(order, memory) => {
            let decoder = Ppmd7Decoder::new(BufReader::with_capacity(BUFFER, input), order, memory);
            Box::new(decoder.map_err(|error| Problem::damaged(format!("PPMd: {error}")))?)
        }
        Method::Bzip2 => Box::new(MultiBzDecoder::new(input)),
        Method::Deflate => Box::new(DeflateDecoder::new(input)),
        Method::Deflate64 => Box::new(Deflate64Decoder::new(input)),
        Method::Zstandard => decoder(Compression::Zstandard, input, limits)?,
        Method::Delta(distance) => Box::new(DeltaReader::new(input, distance)),
        Method::Branches(processor, position) => branches(processor, input, position),
        Method::Swap(bytes) => Box::new(super::swap::Swap::new(input, bytes)),
        Method::Bcj2 | Method::Encrypted | Method::Unknown(_) | Method::Damaged(_) => {
            return Err(Problem::Unsupported("a coder of 7z".into()).into());
        }
    })
}

/// Returns a reader that makes addresses in branches relative again.
fn branches(processor: Processor, input: Stage, position: u32) -> Stage {
    let position = position as usize;
    Box::new(match processor {
        Processor::X86 => BcjReader::new_x86(input, position),
        Processor::PowerPc => BcjReader::new_ppc(input, position),
        Processor::Ia64 => BcjReader::new_ia64(input, position),
        Processor::Arm => BcjReader::new_arm(input, position),
        Processor::ArmThumb => BcjReader::new_arm_thumb(input, position),
        Processor::Sparc => BcjReader::new_sparc(input, position),
        Processor::Arm64 => BcjReader::new_arm64(input, position),
        Processor::RiscV => BcjReader::new_riscv(input, position),
    })
}
