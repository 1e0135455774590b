//! Headers of members: `newc` and `crc` of System V Release 4, `odc` of POSIX.1-1988, and the binary one of
//! Version 7.

use crate::Problem;
use crate::cpio::source::Source;

/// The bits of a mode that tell the type of a file.
const TYPE: u32 = 0o170_000;

/// The most bytes of a name.
pub(super) const NAME: u64 = 64 << 10;

/// The forms of headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderForm {
    /// Numbers in hexadecimal digits. The earlier names of a file have no content, but the last.
    Newc,
    /// The same with a checksum.
    Crc,
    /// Numbers in octal digits. Each name of a file has the content.
    Odc,
    /// Numbers in two bytes, the lowest first.
    LittleEndian,
    /// Numbers in two bytes, the highest first.
    BigEndian,
    /// An index into the header of an RPM package, which has everything else.
    Stripped,
}

/// The types of files that a mode can state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileType {
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    Device,
}

/// The header of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) form: HeaderForm,
    /// The number of the device, high and low, and that of the inode.
    pub(crate) inode: [u32; 3],
    pub(crate) mode: u32,
    pub(crate) links: u32,
    pub(crate) modified: u32,
    /// The device that a special file stands for.
    device: [u32; 2],
    pub(crate) size: u64,
    /// The bytes of the name with the zero at its end.
    pub(super) name: u64,
    pub(super) check: u32,
}

impl HeaderForm {
    /// The bytes that it takes to tell the forms apart.
    pub(super) const FIRST: usize = 6;

    /// Returns the form of a header that begins so.
    pub(crate) fn new(first: &[u8]) -> Option<HeaderForm> {
        match first {
            [b'0', b'7', b'0', b'7', b'0', form, ..] => match form {
                b'1' => Some(HeaderForm::Newc),
                b'2' => Some(HeaderForm::Crc),
                b'7' => Some(HeaderForm::Odc),
                b'X' => Some(HeaderForm::Stripped),
                _ => None,
            },
            [0xc7, 0x71, ..] => Some(HeaderForm::LittleEndian),
            [0x71, 0xc7, ..] => Some(HeaderForm::BigEndian),
            _ => None,
        }
    }

    /// Returns the bytes of a header.
    pub(super) fn length(self) -> usize {
        match self {
            HeaderForm::Newc | HeaderForm::Crc => 110,
            HeaderForm::Odc => 76,
            HeaderForm::LittleEndian | HeaderForm::BigEndian => 26,
            HeaderForm::Stripped => 14,
        }
    }

    /// Returns the bytes that follow this many, up to where the next part may begin.
    pub(super) fn padding(self, length: u64) -> u64 {
        let unit = match self {
            HeaderForm::Newc | HeaderForm::Crc | HeaderForm::Stripped => 4,
            HeaderForm::Odc => 1,
            HeaderForm::LittleEndian | HeaderForm::BigEndian => 2,
        };
        length.wrapping_neg() % unit
    }

    /// Returns whether only the last name of a file has its content.
    pub(super) fn has_empty_names(self) -> bool {
        matches!(self, HeaderForm::Newc | HeaderForm::Crc | HeaderForm::Stripped)
    }
}

impl Header {
    /// Returns the header of a file that another list describes.
    pub(crate) fn stripped(inode: [u32; 3], mode: u32, links: u32, modified: u32, size: u64) -> Header {
        let form = HeaderForm::Stripped;
        Header { form, inode, mode, links, modified, size, device: [0; 2], name: 0, check: 0 }
    }

    /// Reads the rest of a header, which begins with these bytes, in any form but the stripped one.
    pub(super) fn read(
        form: HeaderForm,
        first: [u8; HeaderForm::FIRST],
        source: &mut Source,
    ) -> Result<Header, Problem> {
        let mut bytes = [0; 110];
        let bytes = bytes.get_mut(..form.length()).unwrap_or_default();
        let (start, rest) = bytes.split_at_mut_checked(first.len()).ok_or(Problem::Truncated)?;
        start.copy_from_slice(&first);
        source.exact(rest)?;
        let header =
            Header::parse(form, bytes).ok_or_else(|| Problem::damaged("a header without numbers"))?;
        match header.name > NAME {
            true => Err(Problem::TooMany("bytes of a name")),
            false => Ok(header),
        }
    }

    /// Returns the header in these bytes; none if they are too few or have something else in the place of numbers.
    pub(super) fn parse(form: HeaderForm, bytes: &[u8]) -> Option<Header> {
        let mut header = match form {
            HeaderForm::Newc | HeaderForm::Crc => Header::hexadecimal(form, bytes)?,
            HeaderForm::Odc => Header::octal(bytes)?,
            HeaderForm::LittleEndian => Header::binary(form, bytes, u16::from_le_bytes)?,
            HeaderForm::BigEndian => Header::binary(form, bytes, u16::from_be_bytes)?,
            HeaderForm::Stripped => return None,
        };
        // HP-UX has the number of a device in the place of the size, and this in the place of the number.
        let is_special = matches!(header.file_type(), FileType::Device | FileType::Fifo | FileType::Socket);
        if is_special && !header.form.has_empty_names() && header.device == [0, 1] {
            header.size = 0;
        }
        Some(header)
    }

    fn hexadecimal(form: HeaderForm, bytes: &[u8]) -> Option<Header> {
        let field = |index: usize| number(bytes, HeaderForm::FIRST + index * 8, 8, 16);
        let [inode, mode, links, modified, size] = [field(0)?, field(1)?, field(4)?, field(5)?, field(6)?];
        let device = [field(9)?, field(10)?];
        Some(Header {
            form,
            inode: [field(7)?, field(8)?, inode],
            mode,
            links,
            modified,
            device,
            size: size.into(),
            name: field(11)?.into(),
            check: field(12)?,
        })
    }

    fn octal(bytes: &[u8]) -> Option<Header> {
        let field = |index: usize| number(bytes, HeaderForm::FIRST + index * 6, 6, 8);
        let size = bytes.get(65..76)?.iter().try_fold(0, |size, digit| Some(size * 8 + value(*digit, 8)?))?;
        // The times have eleven digits, as sizes do: 33 bits, of which the highest is none of a time.
        let modified = number(bytes, 48, 11, 8)?;
        let [device, inode, mode, links, special] = [field(0)?, field(1)?, field(2)?, field(5)?, field(6)?];
        Some(Header {
            form: HeaderForm::Odc,
            inode: [0, device, inode],
            mode,
            links,
            modified,
            device: [0, special],
            size,
            name: field_of_name(bytes)?.into(),
            check: 0,
        })
    }

    fn binary(form: HeaderForm, bytes: &[u8], half: fn([u8; 2]) -> u16) -> Option<Header> {
        let field = |index: usize| {
            let bytes = bytes.get(index * 2..index * 2 + 2)?;
            Some(u32::from(half(bytes.try_into().ok()?)))
        };
        // The higher half of a number comes first, however its bytes are ordered.
        let long = |index: usize| Some(field(index)? << 16 | field(index + 1)?);
        let size = long(11)?.into();
        Some(Header {
            form,
            inode: [0, field(1)?, field(2)?],
            mode: field(3)?,
            links: field(6)?,
            device: [0, field(7)?],
            modified: long(8)?,
            name: field(10)?.into(),
            size,
            check: 0,
        })
    }

    /// Returns the type of the file. PWB/UNIX had no bits for files, and one for large files that means a FIFO
    /// today; unknown types are read as files.
    pub(super) fn file_type(&self) -> FileType {
        match self.mode & TYPE {
            0o040_000 => FileType::Directory,
            0o120_000 => FileType::Link,
            0o010_000 if self.size == 0 || self.device == [0, 1] => FileType::Fifo,
            0o140_000 => FileType::Socket,
            0o020_000 | 0o060_000 => FileType::Device,
            _ => FileType::File,
        }
    }

    /// Returns whether this is a name of a file that comes without the content.
    pub(super) fn is_empty_name(&self) -> bool {
        self.form.has_empty_names() && self.links > 1 && self.size == 0 && self.file_type() == FileType::File
    }
}

/// Returns the length of the name in an octal header.
fn field_of_name(bytes: &[u8]) -> Option<u32> {
    number(bytes, 59, 6, 8)
}

/// Returns the number in digits of a base; of too many bits, the lower ones.
fn number(bytes: &[u8], at: usize, length: usize, base: u32) -> Option<u32> {
    let digits = bytes.get(at..at.checked_add(length)?)?;
    digits.iter().try_fold(0_u32, |number, digit| {
        Some(number.wrapping_mul(base).wrapping_add(value(*digit, base)? as u32))
    })
}

/// Returns the value of a digit.
fn value(digit: u8, base: u32) -> Option<u64> {
    char::from(digit).to_digit(base).map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_forms_are_read() {
        let newc = b"070701000000010000A1FF0000000300000004000000026566778800000005000000010000000200000003\
            000000040000000600000000";
        let header = Header::parse(HeaderForm::Newc, newc).unwrap();
        assert_eq!((header.inode, header.mode, header.links), ([1, 2, 1], 0o120_777, 2));
        assert_eq!((header.modified, header.size, header.name), (0x6566_7788, 5, 6));
        assert_eq!(header.file_type(), FileType::Link);
        let odc = b"0707070000010000021006440000030000040000010000071454514675600000600000000011";
        let header = Header::parse(HeaderForm::Odc, odc).unwrap();
        assert_eq!((header.inode, header.mode, header.links), ([0, 1, 2], 0o100_644, 1));
        assert_eq!((header.modified, header.size, header.name), (0o14_545_146_756, 9, 6));
        let halves = [0o070_707_u16, 1, 2, 0o040_755, 3, 4, 5, 6, 0x6566, 0x7788, 6, 0, 9];
        let little: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        let big: Vec<u8> = halves.iter().flat_map(|half| half.to_be_bytes()).collect();
        for bytes in [little, big] {
            let header = Header::parse(HeaderForm::new(&bytes).unwrap(), &bytes).unwrap();
            assert_eq!((header.inode, header.mode, header.links), ([0, 1, 2], 0o040_755, 5));
            assert_eq!((header.modified, header.size, header.name), (0x6566_7788, 9, 6));
        }
    }

    #[test]
    fn numbers_have_digits_only() {
        assert_eq!(number(b"0000000g", 0, 8, 16), None);
        assert_eq!(number(b"00000 12", 0, 8, 8), None);
        assert_eq!(number(b"0000001", 0, 8, 8), None);
        assert_eq!(number(b"fFfFfFfF", 0, 8, 16), Some(u32::MAX));
        assert!(Header::parse(HeaderForm::Odc, &[b'8'; 76]).is_none());
        assert!(Header::parse(HeaderForm::BigEndian, &[0; 25]).is_none());
    }

    #[test]
    fn special_files_of_hp_ux_have_no_content() {
        let halves = [0o070_707_u16, 1, 2, 0o020_644, 3, 4, 1, 1, 0, 0, 6, 0x0102, 0x0304];
        let bytes: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        let header = Header::parse(HeaderForm::LittleEndian, &bytes).unwrap();
        assert_eq!((header.file_type(), header.size), (FileType::Device, 0));
    }

    #[test]
    fn parts_are_padded() {
        assert_eq!([0, 1, 2, 3, 4].map(|length| HeaderForm::Newc.padding(length)), [0, 3, 2, 1, 0]);
        assert_eq!([0, 1, 2, 3].map(|length| HeaderForm::BigEndian.padding(length)), [0, 1, 0, 1]);
        assert_eq!([0, 1, 2, 3].map(|length| HeaderForm::Odc.padding(length)), [0; 4]);
        assert_eq!(HeaderForm::Newc.padding(u64::MAX), 1);
    }
}
