//! A signature of either format.

use crate::broken::{LONG, NOT_TEXT, malformed};
use crate::mini::{self, MiniSignature};
use crate::ssh::SshSignature;
use crate::{Broken, Format};

/// A parsed signature.
#[derive(Debug, Clone)]
pub enum Signature {
    /// A signature of OpenSSH.
    Ssh(SshSignature),
    /// A signature of minisign.
    Mini(MiniSignature),
}

impl Signature {
    /// The size limit of a signature file in bytes.
    pub const LONGEST: u64 = 64 * 1024;

    /// Reads a signature of either format.
    ///
    /// # Errors
    /// If it is neither, or altered.
    pub fn parse(bytes: &[u8]) -> Result<Signature, Broken> {
        if bytes.len() as u64 > Signature::LONGEST {
            return Err(malformed(LONG));
        }
        if !bytes.starts_with(mini::COMMENT.as_bytes()) {
            return SshSignature::parse(bytes).map(Signature::Ssh);
        }
        let text = str::from_utf8(bytes).map_err(|_| malformed(NOT_TEXT))?;
        MiniSignature::parse(text).map(Signature::Mini)
    }

    /// Returns its format.
    pub fn format(&self) -> Format {
        match self {
            Signature::Ssh(_) => Format::Ssh,
            Signature::Mini(_) => Format::Mini,
        }
    }
}
