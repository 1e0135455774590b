//! Signatures that lie beside a list which a command is about to rely on: a broken one stops it.

use super::beside;
use super::judge::{Judged, judge, signers};
use super::trusted::Trusted;
use crate::message::Shown;
use anyhow::{Context, bail, ensure};
use clap::Args;
use hashloom_sign::Trust;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The options of commands that rely on a list.
#[derive(Debug, Clone, Args)]
pub struct Guarded {
    /// Don't look at signatures that lie beside a list; else a broken one stops the command
    #[arg(long, conflicts_with_all = ["allowed_signers", "public_key", "require"])]
    pub ignore_signature: bool,
    #[command(flatten)]
    pub trusted: Trusted,
}

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

    /// The same for a list that may be standard input, which has nothing beside it.
    ///
    /// # Errors
    /// As [`Guard::pass`]; and if signatures are needed.
    pub fn pass_list(&self, list: &OsStr) -> anyhow::Result<Vec<String>> {
        if list != "-" {
            return self.pass(Path::new(list));
        }
        ensure!(self.needed == 0, "standard input has no signature beside it");
        Ok(Vec::new())
    }

    /// Says what the signatures of a list show.
    ///
    /// # Errors
    /// If one is broken, can't be read, or there are fewer good ones than needed.
    pub fn pass(&self, list: &Path) -> anyhow::Result<Vec<String>> {
        let Some(trust) = &self.trust else { return Ok(Vec::new()) };
        let signatures = beside::all(list);
        if signatures.is_empty() && self.needed == 0 {
            return Ok(Vec::new());
        }
        let shown = Shown(list.as_os_str().as_bytes());
        let judged = judge(list, signatures, trust).with_context(|| format!("{shown}: cannot read"))?;
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
        Ok(judged.iter().map(Judged::line).collect())
    }
}
