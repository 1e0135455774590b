//! Signatures that lie beside a list which a command is about to rely on: a broken one stops it.

use super::beside;
use super::judge::{Judged, judge, signers};
use crate::listing::{Held, Listing};
use crate::message::Shown;
use crate::options::signatures::Guarded;
use anyhow::{Context, bail, ensure};
use hashloom_sign::{Message, Trust};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Looks at what lies beside a list before it is relied on.
pub struct Guard {
    trust: Option<Trust>,
    needed: usize,
}

impl Guard {
    /// Reads whom to trust.
    ///
    /// # Errors
    /// If a file of keys is not usable.
    pub fn new(options: &Guarded) -> anyhow::Result<Guard> {
        let needs = options.trusted.require.is_none() || options.trusted.is_anybody();
        ensure!(needs, "--require: say whose signatures count, by --allowed-signers or --public-key");
        let trust = if options.ignore_signature { None } else { Some(options.trusted.read()?) };
        Ok(Guard { trust, needed: options.trusted.needed() })
    }

    /// A list, and what the signatures beside it show. `-` is standard input, which has nothing beside it. What
    /// signatures are of is what the list gives, whatever becomes of its file.
    ///
    /// # Errors
    /// If one is broken, can't be read, or there are fewer good ones than needed.
    pub fn pass(&self, list: &OsStr) -> anyhow::Result<(Listing, Vec<String>)> {
        let stdin = list == "-";
        ensure!(!stdin || self.needed == 0, "standard input has no signature beside it");
        let path = Path::new(list);
        let signatures = if stdin { Vec::new() } else { beside::all(path) };
        match &self.trust {
            Some(trust) if !signatures.is_empty() || self.needed > 0 => {
                let shown = Shown(list.as_bytes());
                let held = Held::copy(path).with_context(|| format!("{shown}: cannot read"))?;
                self.verify((held, path), signatures, trust)
            }
            _ => Ok((Listing::plain(list), Vec::new())),
        }
    }

    fn verify(
        &self,
        (mut held, list): (Held, &Path),
        signatures: Vec<PathBuf>,
        trust: &Trust,
    ) -> anyhow::Result<(Listing, Vec<String>)> {
        let shown = Shown(list.as_os_str().as_bytes());
        let mut message = Message::new(held.bytes());
        let judged = judge(&mut message, signatures, trust);
        let judged = judged.with_context(|| format!("{shown}: cannot read"))?;
        for judged in &judged {
            if judged.is_broken() || judged.is_unreadable() {
                bail!("{}; --ignore-signature goes on without it", judged.line());
            }
        }
        let found = signers(&judged, trust);
        ensure!(
            found >= self.needed,
            "{shown}: {found} of {} required good signatures by different signers; without --allowed-signers and --public-key none is needed",
            self.needed
        );
        Ok((Listing::Held(held), judged.iter().map(Judged::line).collect()))
    }
}
