//! Options for signatures: trusted keys, and keys to sign with.

use super::force::Force;
use super::values::positive;
use crate::access;
use crate::keys::{self, Keep};
use crate::output;
use crate::words::message;
use crate::words::message::Shown;
use crate::words::typed;
use anyhow::ensure;
use clap::Args;
use hashmill_content::output::replaces;
use hashmill_job::Misfit;
use hashmill_lists::signatures::guard::Guard;
use hashmill_lists::signatures::trusted::TrustFiles;
use hashmill_sign::ssh::{AllowedSigners, BadLine, FILE, Moment, moment};
use hashmill_sign::{Signer, Trust};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The options of commands that rely on a list.
#[derive(Debug, Clone, Args)]
pub struct Guarded {
    /// Ignore signatures beside a list; otherwise a broken one stops the command
    #[arg(long, conflicts_with_all = ["allowed_signers", "public_key", "require"])]
    pub ignore_signature: bool,
    /// Accept required signatures of checksums (XXH128, CRC32), which anybody can forge
    #[arg(long)]
    pub allow_weak: bool,
    #[command(flatten)]
    pub trusted: Trusted,
}

/// The option of commands that sign what they write.
#[derive(Debug, Clone, Args)]
pub struct Signing {
    /// Sign the manifest with this key before it gets its name, as hashmill sign does (needs -o); may be given more
    /// than once
    #[arg(long, value_name = "KEY")]
    sign: Vec<PathBuf>,
}

/// The options about signers, by their fields.
pub const OF_SIGNERS: [&str; 6] =
    ["allowed_signers", "public_key", "identity", "require", "namespace", "verify_time"];

/// The keys and signers that are trusted.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Trusted signatures")]
pub struct Trusted {
    /// Trust the signers in FILE, an allowed_signers file of ssh-keygen; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub allowed_signers: Vec<PathBuf>,
    /// Trust this key, of OpenSSH (KEY.pub) or minisign; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub public_key: Vec<PathBuf>,
    /// Trust only this one of the allowed signers
    #[arg(long, value_name = "NAME")]
    pub identity: Option<String>,
    /// Require N valid signatures by different signers with different keys [default: 1]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub require: Option<NonZeroUsize>,
    /// The namespace of OpenSSH signatures: the purpose that they were made for
    #[arg(long, value_name = "NAME", default_value = FILE)]
    pub namespace: String,
    /// The time at which signers must be allowed, as ssh-keygen takes it
    // The help is set separately: rustdoc would take its brackets for links.
    #[arg(
        long,
        value_name = "TIME",
        value_parser = time,
        help = "The time at which signers must be allowed: YYYYMMDD[HHMM[SS]][Z] [default: now]"
    )]
    pub verify_time: Option<Moment>,
}

impl Guarded {
    /// Reads the trusted keys.
    ///
    /// # Errors
    /// If a file of keys is not usable.
    pub fn guard(&self) -> anyhow::Result<Guard> {
        let trust = if self.ignore_signature { None } else { Some(self.trusted.read()?) };
        let (needed, allows_weak) = (self.trusted.needed(), self.allow_weak);
        Ok(Guard { trust, needed, allows_weak, stores: access::stores() })
    }
}

impl Signing {
    /// Returns whether a key is given.
    pub fn is_given(&self) -> bool {
        !self.sign.is_empty()
    }

    /// Returns the keys, ready to sign this output.
    ///
    /// # Errors
    /// If the output is no regular file, or a key is not usable.
    pub fn signers(&self, output: Option<&Path>) -> anyhow::Result<Vec<Signer>> {
        let file = output::named(output).filter(|path| replaces(&Force::default().at(path)));
        if !self.sign.is_empty() && file.is_none() {
            return Err(Misfit::SignStream.into());
        }
        Ok(self.sign.iter().map(|key| keys::load(key, Keep::File)).collect::<Result<_, _>>()?)
    }
}

impl Trusted {
    /// Reads the files of keys.
    ///
    /// # Errors
    /// If one is not usable, or a time was typed that no signer depends on.
    pub fn read(&self) -> anyhow::Result<Trust> {
        let files = TrustFiles {
            allowed_signers: self.allowed_signers.clone(),
            public_keys: self.public_key.clone(),
            identity: self.identity.clone(),
            namespace: self.namespace.clone(),
            time: self.verify_time,
        };
        let trust = files.read(&mut tell_bad_line)?;
        let has_dates = trust.allowed.iter().any(AllowedSigners::has_dates);
        ensure!(
            has_dates || !typed::has_option("verify-time"),
            "--verify-time: has no effect here: no signer has dates (valid-after, valid-before)"
        );
        Ok(trust)
    }

    /// Returns whether a trusted signer or key was named.
    pub fn is_anybody(&self) -> bool {
        !self.allowed_signers.is_empty() || !self.public_key.is_empty()
    }

    /// Returns how many valid signatures are required: none if no signer and no key was named.
    pub fn needed(&self) -> usize {
        match self.require {
            Some(number) => number.get(),
            None => usize::from(self.is_anybody()),
        }
    }
}

fn tell_bad_line(path: &Path, BadLine { number, why }: &BadLine) {
    let why = why.to_string();
    let line = format_args!("WARNING: line {number} is ignored: {}", Shown(why.as_bytes()));
    message::about_path(path, line);
}

fn time(text: &str) -> Result<Moment, String> {
    moment(text).ok_or_else(|| "not YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with or without Z (UTC)".into())
}
