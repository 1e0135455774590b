//! `certutil`: the output of `certutil -hashfile` of Windows: a title with algorithm and name, and the digest below it,
//! in older versions with blanks between its bytes. Prompts and commands between them are ignored. Only read.

use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::without_cr;
use crate::format::values::naming::Naming;
use crate::format::{Hint, Reader};
use std::io::Read;

const OF: &[u8] = b" hash of ";

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    title(line).is_some_and(|(name, _)| matches!(name.len(), 3..=6) && name.is_ascii())
}

/// Parses a title into the names of the algorithm and the file; versions before Windows 8 write `file` before the name.
fn title(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = without_cr(line).strip_suffix(b":")?;
    let at = memchr::memmem::find(line, OF)?;
    let (name, file) = (&line[..at], &line[at + OF.len()..]);
    let known = name.starts_with(b"MD") || name.starts_with(b"SHA");
    let name = known.then_some(name)?;
    Some((name, file.strip_prefix(b"file ").unwrap_or(file)))
}

/// Returns whether a line is the prompt of a shell of Windows, with a command or without one: `C:\t>certutil -hashfile a`.
fn is_command(line: &[u8]) -> bool {
    let prompt = line.strip_prefix(b"PS ").unwrap_or(line);
    let is_folder = matches!(prompt, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
        || prompt.starts_with(b"\\\\");
    is_folder && prompt.contains(&b'>')
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Output { naming: Naming::new(Hint::None), title: None }))
}

struct Output {
    naming: Naming,
    /// The algorithm and the file's name; the next line has the digest.
    title: Option<(Vec<u8>, Vec<u8>)>,
}

impl Parse for Output {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        if let Some((name, file)) = title(line) {
            let before = self.title.replace((name.to_vec(), file.to_vec()));
            return before.map(|_| Err(Bad::new("digest", Why::Missing)));
        }
        if line.trim_ascii().is_empty() || line.starts_with(b"CertUtil: ") {
            return None;
        }
        let (name, file) = match self.title.take() {
            Some(title) => title,
            None if is_command(line) => return None,
            None => return Some(Err(Bad::new("line", Why::Unrecognised))),
        };
        let digits: Vec<u8> = line.iter().filter(|byte| **byte != b' ').copied().collect();
        let named = self.naming.tagged(&name, &digits).map_err(|bad| bad.with_file(&file));
        Some(named.map(|named| Record::hashed(file.into(), None, vec![named])))
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        self.title.take().map(|_| Err(Bad::new("digest", Why::Missing)))
    }
}
