//! Doubts about signatures: the short ones occur in texts, and some are too coarse.

use super::text::Encoding;
use file_format::FileFormat as Format;

/// Formats whose signature is so short, and so readable, that texts begin with it.
const SHORT: [Format; 42] = [
    Format::ActionsMediaVideo,
    Format::AdobePhotoshopDocument,
    Format::ApacheParquet,
    Format::AppleIconImage,
    Format::AppleQuicktime,
    Format::AudioVisualResearch,
    Format::AutocadDrawing,
    Format::BdavMpeg2TransportStream,
    Format::Bzip,
    Format::Bzip2,
    Format::Bzip3,
    Format::Cabinet,
    Format::Cpio,
    Format::DigitalImagingAndCommunicationsInMedicine,
    Format::DigitalPictureExchange,
    Format::FlexibleAndInteroperableDataTransfer,
    Format::FreeLosslessImageFormat,
    Format::GlTransmissionFormatBinary,
    Format::IccProfile,
    Format::ImpulseTrackerModule,
    Format::Larc,
    Format::Lha,
    Format::LongRangeZip,
    Format::Lzip,
    Format::Magicavoxel,
    Format::MicrosoftCompiledHtmlHelp,
    Format::Model3dBinary,
    Format::MonkeysAudio,
    Format::MozillaArchive,
    Format::Mpeg2TransportStream,
    Format::MsDosExecutable,
    Format::Mtv,
    Format::Musepack,
    Format::OggMultiplexedMedia,
    Format::Pmarc,
    Format::Rzip,
    Format::ScreamTracker3Module,
    Format::Seqbox,
    Format::SmallWebFormat,
    Format::SonyDsdStreamFile,
    Format::Truetype,
    Format::UltimateSoundtrackerModule,
];

/// Returns whether a format is more than a coincidence.
pub(super) fn believes(format: Format, head: &[u8], text: Option<Encoding>, size: u64) -> bool {
    match format {
        Format::ArbitraryBinaryData | Format::Empty | Format::PlainText => false,
        format if text.is_some() && SHORT.contains(&format) => false,
        // The digit is the size of blocks, and what follows begins a block or ends the file.
        Format::Bzip2 => {
            let starts = |magic: &[u8]| head.get(4..).is_some_and(|rest| rest.starts_with(magic));
            matches!(head.get(3), Some(b'1'..=b'9'))
                && (starts(b"1AY&SY") || starts(b"\x17\x72\x45\x38\x50\x90"))
        }
        Format::AppleQuicktime => is_atom(head, size),
        Format::WindowsIcon | Format::WindowsCursor => is_icon(head, size),
        _ => true,
    }
}

/// Formats that are recognised by an element, wherever it is, or only by a declaration.
const XML: [Format; 30] = [
    Format::Abiword,
    Format::AbiwordTemplate,
    Format::AdditiveManufacturingFormat,
    Format::AdvancedStreamRedirector,
    Format::Atom,
    Format::CollaborativeDesignActivity,
    Format::DrawIo,
    Format::Extensible3d,
    Format::ExtensibleMarkupLanguage,
    Format::ExtensibleStylesheetLanguageTransformations,
    Format::Fictionbook,
    Format::GeographyMarkupLanguage,
    Format::GpsExchangeFormat,
    Format::KeyholeMarkupLanguage,
    Format::MathematicalMarkupLanguage,
    Format::MpegDashMpd,
    Format::Musicxml,
    Format::ReallySimpleSyndication,
    Format::ScalableVectorGraphics,
    Format::SimpleObjectAccessProtocol,
    Format::TiledMapXml,
    Format::TiledTilesetXml,
    Format::TimedTextMarkupLanguage,
    Format::TrainingCenterXml,
    Format::UniformOfficeFormatPresentation,
    Format::UniformOfficeFormatSpreadsheet,
    Format::UniformOfficeFormatText,
    Format::UniversalSubtitleFormat,
    Format::XmlLocalizationInterchangeFileFormat,
    Format::XmlShareablePlaylistFormat,
];

/// Returns whether a format is of XML, so that its root element says which.
pub(super) fn is_xml(format: Format) -> bool {
    XML.contains(&format)
}

/// Returns whether the first of some icons lies behind their list, in the file.
fn is_icon(head: &[u8], size: u64) -> bool {
    let number = |at: usize, length: usize| {
        let bytes = head.get(at..at + length)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    let (Some(count), Some(reserved), Some(offset)) = (number(4, 2), number(9, 1), number(18, 4)) else {
        return false;
    };
    count > 0 && reserved == 0 && offset >= 6 + 16 * count && offset < size
}

/// Returns whether the first atom, whose length stands in front, is no longer than the file.
fn is_atom(head: &[u8], size: u64) -> bool {
    let Some(length) = head.first_chunk().map(|length| u64::from(u32::from_be_bytes(*length))) else {
        return false;
    };
    length <= 1 || (8..=size).contains(&length)
}

/// Returns a MIME type that says more than that of the format.
pub(super) fn mime_by_header(format: Format, head: &[u8]) -> Option<&'static str> {
    match format {
        Format::ExecutableAndLinkableFormat => elf(head),
        _ => None,
    }
}

/// Returns the type of an ELF file: an object, a program, a library or the memory of a process.
fn elf(head: &[u8]) -> Option<&'static str> {
    let kind = head.get(16..18)?;
    let kind = if head[5] == 2 { kind[1] } else { kind[0] };
    match kind {
        1 => Some("application/x-object"),
        3 => Some("application/x-sharedlib"),
        4 => Some("application/x-coredump"),
        _ => None,
    }
}
