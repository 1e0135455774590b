//! Signature files of PRONOM.

use anyhow::{Context, ensure};
use clap::Args;
use hashmill_facts::{Fact, FactSet, Signatures};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// The longest signature file that is read.
const MAX_BYTES: u64 = (64 << 20) + 1;

/// Signature files of PRONOM.
#[derive(Debug, Clone, Default, Args)]
pub struct Pronom {
    /// The signature files of DROID for --facts puid (may be given more than once), as The National Archives publish them: DROID_SignatureFile_V*.xml, and
    /// container-signature-*.xml for what ZIP archives and compound files contain
    #[arg(long, value_name = "FILE")]
    pub pronom: Vec<PathBuf>,
}

impl Pronom {
    /// Reads the files, if facts ask for them.
    ///
    /// # Errors
    /// If one of fact and files is missing, or a file can't be read.
    pub fn open(&self, facts: FactSet) -> anyhow::Result<Option<Arc<Signatures>>> {
        let is_asked = facts.has(Fact::Puid);
        ensure!(is_asked || self.pronom.is_empty(), "--pronom has no effect without --facts puid");
        ensure!(
            !is_asked || !self.pronom.is_empty(),
            "--facts puid: name the signature file of DROID with --pronom FILE (The National Archives publish it)"
        );
        if !is_asked {
            return Ok(None);
        }
        let mut signatures = Signatures::default();
        for path in &self.pronom {
            let shown = path.display();
            let mut bytes = Vec::new();
            File::open(path)
                .and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes))
                .with_context(|| format!("{shown}: cannot read the signature file"))?;
            signatures.add(&bytes).with_context(|| format!("{shown}: cannot use the signature file"))?;
        }
        ensure!(
            !signatures.is_empty(),
            "--pronom: no file has signatures of formats; add DROID_SignatureFile_V*.xml"
        );
        Ok(Some(Arc::new(signatures)))
    }
}
