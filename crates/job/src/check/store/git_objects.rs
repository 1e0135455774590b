//! The objects of a repository of git, loose or in packs, also those of its alternates. Each one is compared with its
//! name.

use super::packs::{self, PackFile};
use super::place::{joined, read_small};
use hashmill_content::selection::Bytes;
use hashmill_digest::{Algorithm, Digest, hash};
use hashmill_objects::pack::{PackIndex, PackObjects, Unpacker};
use hashmill_objects::{Coding, Decoder};
use hashmill_os::names;
use hashmill_source::OperandDirectory;
use std::io::{self, Read};

/// The most bytes of the header of an object.
const MAX_HEADER: u64 = 32;

/// A folder of objects.
pub(super) type ObjectFolder = (OperandDirectory, Bytes);

/// A pack with its index and its length.
pub(super) type OpenPack = (PackIndex, PackFile, u64);

/// The objects of a repository of git.
pub(super) struct GitObjects<'a> {
    pub folders: &'a [ObjectFolder],
    pub packs: Vec<(&'a PackObjects<'a>, Unpacker<'a>)>,
    /// The algorithm of their names.
    pub algorithm: &'static Algorithm,
}

impl GitObjects<'_> {
    /// Returns the content of an object of a type; none if it has more bytes than `most`.
    ///
    /// # Errors
    /// If it is not there, or not right: the reason.
    pub fn get(&mut self, name: &[u8], word: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        let hex = Digest::new(name).to_string();
        let Some(content) = self.stored(name, &hex, most)? else { return Ok(None) };
        let header = format!("{word} {}\0", content.len());
        match hash(self.algorithm, &[header.as_bytes(), &content].concat()).as_bytes() == name {
            true => Ok(Some(content)),
            false => Err(format!("the object {hex} is no {word}, or damaged")),
        }
    }

    fn stored(&mut self, name: &[u8], hex: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        for (pack, unpacker) in &mut self.packs {
            if let Some(number) = pack.find_name(name) {
                return unpacker.content(number, most).map_err(|fault| format!("the object {hex} {fault}"));
            }
        }
        let (front, rest) = hex.split_at_checked(2).unwrap_or_default();
        for (operand, folder) in self.folders {
            match loose(operand, &joined(folder, format!("{front}/{rest}")), most) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                read => return read.map_err(|error| format!("cannot read the object {hex}: {error}")),
            }
        }
        Err(format!("cannot read the object {hex}: it is not there"))
    }
}

/// Reads a loose object; none if it has more bytes than `most`.
fn loose(operand: &OperandDirectory, path: &[u8], most: u64) -> io::Result<Option<Vec<u8>>> {
    let meta = operand.meta(path)?;
    if !meta.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let decoder = Decoder::new(Coding::GitZlib, operand.open_file(path)?, meta.size)?;
    let most_with_header = most.saturating_add(MAX_HEADER);
    if decoder.size().is_none_or(|size| size > most_with_header) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    decoder.take(most_with_header.saturating_add(1)).read_to_end(&mut bytes)?;
    let start = bytes.iter().position(|byte| *byte == 0).map_or(0, |zero| zero + 1);
    let content = bytes.split_off(start);
    Ok((content.len() as u64 <= most).then_some(content))
}

/// Opens the packs in a folder of objects.
///
/// # Errors
/// If one can't be opened, or its index is not right: the reason.
pub(super) fn open_packs((operand, folder): &ObjectFolder, digest: usize) -> Result<Vec<OpenPack>, String> {
    let folder = joined(folder, "pack");
    let shown = |name: &[u8], why: &dyn std::fmt::Display| {
        format!("{}: {why}", hashmill_terminal::Shown(&joined(&folder, name)))
    };
    let found = match operand.names(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        names => names.map_err(|error| shown(b"", &error))?,
    };
    let mut packs = Vec::new();
    for name in found {
        let name = names::bytes(&name);
        let Some(stem) = name.strip_suffix(b".idx") else { continue };
        let bytes = read_small(operand, &joined(&folder, &*name), packs::MAX_PACK_INDEX);
        let bytes = bytes.map_err(|error| shown(&name, &error))?;
        let index = PackIndex::parse(bytes, digest).map_err(|fault| shown(&name, &fault))?;
        let pack = packs::open(operand, &joined(&folder, [stem, b".pack"].concat()));
        let (file, length) = pack.map_err(|error| shown(&name, &error))?;
        packs.push((index, file, length));
    }
    Ok(packs)
}
