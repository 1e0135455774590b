//! Files of OSTree that lie as they are: a header of their owner, mode and attributes is hashed before them.

use hashmill_content::selection::Bytes as Path;
use hashmill_objects::{Coding, OSTREE_METADATA, OstreeFile};
use hashmill_os::{Attributes, attributes, attributes_in, read_at};
use hashmill_source::{Bytes, Meta, OperandDirectory, mode};
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// The most bytes of the target of a symbolic link (`PATH_MAX` of Linux).
const MAX_TARGET: u64 = 4096;

/// Opens a file or a symbolic link, with its header.
///
/// # Errors
/// If it can't be read, or lacks its metadata.
pub(super) fn open(
    operand: &Arc<OperandDirectory>,
    path: &[u8],
    coding: Coding,
) -> io::Result<Box<dyn Bytes>> {
    let meta = operand.meta(path)?;
    let (header, file) = if meta.is_link() && coding.may_be_link() {
        let attributes = attributes_in(&operand.open_parent(path)?, name(path))?;
        (metadata(attributes, coding)?.header(&operand.read_link(path)?), None)
    } else {
        with_content(operand, path, coding)?
    };
    Ok(Box::new(Headed { operand: Arc::clone(operand), path: path.into(), header, file }))
}

/// Opens a regular file. One that stands for a symbolic link has its target as content, which the header has, too.
fn with_content(
    operand: &OperandDirectory,
    path: &[u8],
    coding: Coding,
) -> io::Result<(Vec<u8>, Option<File>)> {
    let file = operand.open_file(path)?;
    let attributes = attributes(&file)?;
    if attributes.mode & mode::TYPE != mode::FILE {
        return Err(io::Error::other("it is no longer a regular file"));
    }
    let metadata = metadata(attributes, coding)?;
    if !metadata.is_link() {
        return Ok((metadata.header(b""), Some(file)));
    }
    let mut target = Vec::new();
    file.take(MAX_TARGET + 1).read_to_end(&mut target)?;
    match target.len() as u64 {
        // A zero byte ends the target.
        0..=MAX_TARGET => Ok((metadata.header(target.strip_suffix(b"\0").unwrap_or(&target)), None)),
        _ => Err(damaged("is a symbolic link that is too long")),
    }
}

/// Returns the metadata that a header has.
fn metadata(of: Attributes, coding: Coding) -> io::Result<OstreeFile> {
    let Attributes { user, group, mode, extended } = of;
    match coding {
        Coding::Bare => Ok(OstreeFile { user, group, mode, attributes: extended }),
        Coding::BarePlain => Ok(OstreeFile { user, group, mode, attributes: Vec::new() }),
        Coding::BareUser => {
            let stored = extended.iter().find(|(name, _)| name == OSTREE_METADATA);
            let (_, value) = stored.ok_or_else(|| damaged("has no attribute user.ostreemeta"))?;
            OstreeFile::parse(value)
                .ok_or_else(|| damaged("has no metadata in its attribute user.ostreemeta"))
        }
        _ => Ok(OstreeFile { mode, ..OstreeFile::default() }),
    }
}

fn name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A header and the bytes of a file.
#[derive(Debug)]
struct Headed {
    operand: Arc<OperandDirectory>,
    path: Path,
    header: Vec<u8>,
    /// None of a symbolic link.
    file: Option<File>,
}

impl Bytes for Headed {
    fn meta(&self) -> io::Result<Meta> {
        let meta = self.operand.meta(&self.path)?;
        let content = if self.file.is_some() { meta.size } else { 0 };
        Ok(Meta { size: content.saturating_add(self.header.len() as u64), ..meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.header.len() as u64;
        if let Some(rest) =
            usize::try_from(offset).ok().and_then(|at| self.header.get(at..)).filter(|rest| !rest.is_empty())
        {
            let read = rest.len().min(buffer.len());
            buffer[..read].copy_from_slice(&rest[..read]);
            return Ok(read);
        }
        self.file.as_ref().map_or(Ok(0), |file| read_at(file, buffer, offset - length))
    }
}
