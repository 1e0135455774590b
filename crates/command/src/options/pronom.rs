//! Signature files of PRONOM.

use anyhow::{Context, ensure};
use clap::Args;
use hashmill_facts::Signatures;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// The longest signature file that is read.
const MAX_BYTES: u64 = (64 << 20) + 1;

/// Signature files of PRONOM.
#[derive(Debug, Clone, Default, Args)]
pub struct Pronom {
    /// Also name the formats of each file by the signatures of PRONOM: by this signature file of DROID, as The National
    /// Archives publish it (DROID_SignatureFile_V*.xml); may be given more than once, also with
    /// container-signature-*.xml for what ZIP archives and compound files contain (formats jsonl, csv, dfxml, ecs, premis, parquet,
    /// sqlite)
    #[arg(long, value_name = "FILE")]
    pub pronom: Vec<PathBuf>,
}

impl Pronom {
    /// Reads the files; `None` if none was named.
    ///
    /// # Errors
    /// If a file can't be read, or none has signatures of formats.
    pub fn open(&self) -> anyhow::Result<Option<Arc<Signatures>>> {
        if self.pronom.is_empty() {
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
