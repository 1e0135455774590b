//! The way from the stored bytes of an object to those whose digest is its name.

use crate::gvariant::offset_size;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::io::{self, Read};

/// The way from the stored bytes to those that are hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// They are hashed as they are.
    Stored,
    /// All but so many last bytes are hashed.
    Trailer(usize),
    /// They are compressed by zlib. The text of git's header at their start says the size of the rest.
    GitZlib,
    /// They are compressed by zlib.
    Zlib,
    /// They are compressed by gzip.
    Gzip,
    /// They have a header of OSTree, and are compressed by Deflate.
    Filez,
    /// A header of OSTree is hashed before them, which is made of owner, mode and attributes of their file; of a
    /// symbolic link nothing else.
    Bare,
    /// Likewise, of a file without attributes.
    BarePlain,
    /// Likewise, and owner, mode and attributes are in an attribute of their file. A symbolic link is a file, too.
    BareUser,
    /// Likewise, of the mode of their file alone.
    BareUserOnly,
}

impl Coding {
    /// Returns whether the bytes must be decoded, and so can be read in order only.
    pub fn is_coded(self) -> bool {
        matches!(self, Coding::GitZlib | Coding::Zlib | Coding::Gzip | Coding::Filez)
    }

    /// Returns whether a header of OSTree is hashed before the bytes of a file.
    pub fn has_header(self) -> bool {
        matches!(self, Coding::Bare | Coding::BarePlain | Coding::BareUser | Coding::BareUserOnly)
    }

    /// Returns whether a symbolic link may be such an object.
    pub fn may_be_link(self) -> bool {
        self.has_header() && self != Coding::BareUser
    }
}

/// The bytes of an object behind its coding, read in order.
pub struct Decoder<R: Read> {
    source: Source<R>,
    /// The first bytes, which were read to find the size.
    head: Vec<u8>,
    /// The number of bytes that were returned.
    position: u64,
    /// The number of bytes, if the object says it.
    size: Option<u64>,
    /// The number of stored bytes, if none may be left over.
    stored: Option<u64>,
    /// Whether the end was reached and is right.
    ended: bool,
}

enum Source<R: Read> {
    Zlib(ZlibDecoder<R>),
    /// All members, as programs that decompress it do.
    Gzip(MultiGzDecoder<R>),
    Deflate(DeflateDecoder<R>),
    /// A symbolic link has no content.
    Nothing,
}

/// The types of git's objects.
const TYPES: [&str; 4] = ["blob", "tree", "commit", "tag"];

/// The longest header of git: a type, a space, a number of 20 digits and a zero byte.
const MAX_HEADER: usize = 32;

impl<R: Read> Decoder<R> {
    /// Begins to decode stored bytes, which are so many.
    ///
    /// # Errors
    /// If they can't be read, or don't begin as the coding says.
    pub fn new(coding: Coding, mut stored: R, length: u64) -> io::Result<Decoder<R>> {
        let (mut head, mut size) = (Vec::new(), None);
        let source = match coding {
            Coding::Filez => {
                let header = FileHeader::read(&mut stored)?;
                (head, size) = (header.hashed, header.size);
                if header.is_link { Source::Nothing } else { Source::Deflate(DeflateDecoder::new(stored)) }
            }
            Coding::Gzip => Source::Gzip(MultiGzDecoder::new(stored)),
            _ => Source::Zlib(ZlibDecoder::new(stored)),
        };
        let length = (coding == Coding::GitZlib).then_some(length);
        let mut decoder = Decoder { source, head, position: 0, size, stored: length, ended: false };
        if coding == Coding::GitZlib {
            decoder.read_header()?;
        }
        Ok(decoder)
    }

    /// Returns the number of bytes, if the object says it.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Returns the number of bytes that were returned.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Reads git's header: `TYPE SIZE`, and a zero byte.
    fn read_header(&mut self) -> io::Result<()> {
        let mut head = Vec::new();
        let mut byte = [0];
        while head.len() < MAX_HEADER && !head.ends_with(b"\0") && self.decode(&mut byte)? > 0 {
            head.push(byte[0]);
        }
        let text = head.strip_suffix(b"\0").and_then(|text| str::from_utf8(text).ok());
        let size = text.and_then(|text| text.split_once(' ')).and_then(|(kind, size)| {
            // git refuses other types, and signs and zeros before numbers.
            let is_plain = size == "0" || size.starts_with(|digit: char| ('1'..='9').contains(&digit));
            (is_plain && TYPES.contains(&kind)).then(|| size.parse::<u64>().ok())?
        });
        let size = size.and_then(|size| size.checked_add(head.len() as u64));
        self.size = Some(size.ok_or_else(|| damaged("does not begin with a header of git"))?);
        self.head = head;
        Ok(())
    }

    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.source {
            Source::Zlib(decoder) => decoder.read(buffer),
            Source::Gzip(decoder) => decoder.read(buffer),
            Source::Deflate(decoder) => decoder.read(buffer),
            Source::Nothing => Ok(0),
        };
        read.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                damaged("is not well compressed")
            }
            _ => error,
        })
    }
}

impl<R: Read> Read for Decoder<R> {
    /// Reads the next bytes. An object that is longer or shorter than it says is an error.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let done = usize::try_from(self.position).unwrap_or(usize::MAX);
        let read = match self.head.get(done..).filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                let length = rest.len().min(buffer.len());
                buffer[..length].copy_from_slice(&rest[..length]);
                length
            }
            None => self.decode(buffer)?,
        };
        self.position += read as u64;
        match self.size {
            Some(size) if self.position > size => Err(damaged("is longer than its header says")),
            Some(size) if read == 0 && self.position < size && !buffer.is_empty() => {
                Err(damaged("is shorter than its header says"))
            }
            Some(size) if self.position == size => self.end().map(|()| read),
            _ => Ok(read),
        }
    }
}

impl<R: Read> Decoder<R> {
    /// Checks the end of an object whose size is known: nobody reads past it, and a checksum is there.
    fn end(&mut self) -> io::Result<()> {
        if self.ended {
            return Ok(());
        }
        if self.decode(&mut [0])? > 0 {
            return Err(damaged("is longer than its header says"));
        }
        if let (Source::Zlib(decoder), Some(stored)) = (&self.source, self.stored)
            && decoder.total_in() != stored
        {
            return Err(damaged("has bytes after its end"));
        }
        self.ended = true;
        Ok(())
    }
}

/// The header of a file in OSTree.
struct FileHeader {
    /// The bytes that are hashed before the content.
    hashed: Vec<u8>,
    /// The number of all bytes that are hashed.
    size: Option<u64>,
    is_link: bool,
}

/// The most bytes of a header: the system bounds attributes of a file to 64 KiB each.
const MAX_FILE_HEADER: usize = 16 << 20;

/// The bytes before a header: its length, and as many zero bytes.
const BEFORE: usize = 8;

impl FileHeader {
    /// Reads the header of compressed content, `(tuuuusa(ayay))`. That which is hashed lacks the size.
    fn read(stored: &mut impl Read) -> io::Result<FileHeader> {
        let cut = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => damaged("ends in its header"),
            _ => error,
        };
        let mut before = [0; BEFORE];
        stored.read_exact(&mut before).map_err(cut)?;
        let [a, b, c, d, 0, 0, 0, 0] = before else { return Err(damaged("has no header of OSTree")) };
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        if length > MAX_FILE_HEADER {
            return Err(damaged("has a header that is too long"));
        }
        let mut variant = vec![0; length];
        stored.read_exact(&mut variant).map_err(cut)?;
        FileHeader::parse(&variant).ok_or_else(|| damaged("has no header of OSTree"))
    }

    fn parse(variant: &[u8]) -> Option<FileHeader> {
        let size = u64::from_be_bytes(variant.get(..8)?.try_into().ok()?);
        let mode = u32::from_be_bytes(variant.get(16..20)?.try_into().ok()?);
        let number = offset_size(variant.len());
        let rest = variant.get(8..variant.len().checked_sub(number)?)?;
        let mut end = [0; 8];
        end[..number].copy_from_slice(&variant[variant.len() - number..]);
        let end = u64::from_le_bytes(end).checked_sub(8)?;
        // The number at the end is as long as the whole with it needs.
        let number = [1, 2, 4].into_iter().find(|number| offset_size(rest.len() + number) == *number)?;
        let length = u32::try_from(rest.len() + number).ok()?;
        let hashed = [&length.to_be_bytes()[..], &[0; 4], rest, &end.to_le_bytes()[..number]].concat();
        let is_link = mode & 0o170_000 == 0o120_000;
        let content = if is_link { 0 } else { size };
        let size = content.checked_add(hashed.len() as u64)?;
        Some(FileHeader { hashed, size: Some(size), is_link })
    }
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl<R: Read> std::fmt::Debug for Decoder<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Decoder({} of {:?})", self.position, self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decoded(stored: &[u8]) -> io::Result<Vec<u8>> {
        let mut decoder = Decoder::new(Coding::GitZlib, stored, stored.len() as u64)?;
        let mut bytes = Vec::new();
        decoder.read_to_end(&mut bytes)?;
        assert_eq!(decoder.size(), Some(bytes.len() as u64));
        Ok(bytes)
    }

    #[test]
    fn headers_are_kept_and_believed_only_if_true() {
        assert_eq!(decoded(&zlib(b"blob 3\0abc")).unwrap(), b"blob 3\0abc");
        for wrong in [
            &b"blob 2\0abc"[..],
            b"blob 4\0abc",
            b"blob x\0",
            b"blob 18446744073709551615\0",
            b"",
            b"blob 03\0abc",
            b"blob +3\0abc",
            b"xlob 3\0abc",
            b" 3\0abc",
        ] {
            assert_eq!(decoded(&zlib(wrong)).unwrap_err().kind(), io::ErrorKind::InvalidData, "{wrong:?}");
        }
        let whole = zlib(b"blob 3\0abc");
        for length in 0..whole.len() {
            assert!(decoded(&whole[..length]).is_err(), "{length}");
        }
        assert!(decoded(&[&whole[..], b"x"].concat()).is_err());
        assert!(decoded(b"noise").is_err());
    }
}
