//! Whose signatures count, as typed.

use crate::keys::{self, Keep};
use crate::message::{self, Shown};
use crate::output;
use anyhow::ensure;
use clap::Args;
use hashloom_job::output::replaces;
use hashloom_job::signatures::guard::Guard;
use hashloom_job::signatures::trusted::TrustFiles;
use hashloom_job::{Error, Misfit};
use hashloom_sign::ssh::{BadLine, FILE, Moment, moment};
use hashloom_sign::{Signer, Trust};
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The options of commands that rely on a list.
#[derive(Debug, Clone, Args)]
pub struct Guarded {
    /// Don't look at signatures that lie beside a list; else a broken one stops the command
    #[arg(long, conflicts_with_all = ["allowed_signers", "public_key", "require"])]
    pub ignore_signature: bool,
    #[command(flatten)]
    pub trusted: Trusted,
}

/// The option of commands that sign what they write.
#[derive(Debug, Clone, Args)]
pub struct Signing {
    /// Sign the manifest with this key, as hashloom sign does, before it gets its name (needs -o); may be
    /// given more than once
    #[arg(long, value_name = "KEY")]
    sign: Vec<PathBuf>,
}

/// The options.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Whose signatures count")]
pub struct Trusted {
    /// Those of the signers in FILE, in the form of ssh-keygen (principals, options, key); may be given more
    /// than once
    #[arg(long, value_name = "FILE")]
    pub allowed_signers: Vec<PathBuf>,
    /// Those of this key, of OpenSSH (KEY.pub) or minisign; may be given more than once
    #[arg(long, value_name = "FILE")]
    pub public_key: Vec<PathBuf>,
    /// Of the allowed signers only this one
    #[arg(long, value_name = "NAME", requires = "allowed_signers")]
    pub identity: Option<String>,
    /// So many good ones are needed, each by another signer with another key [default: 1]
    #[arg(long, value_name = "N")]
    pub require: Option<NonZeroUsize>,
    /// What signatures of OpenSSH must have been made for
    #[arg(long, value_name = "NAME", default_value = FILE)]
    pub namespace: String,
    /// The time at which signers must be allowed, as ssh-keygen takes it
    // As text of its own: its brackets would be links of documentation.
    #[arg(
        long,
        value_name = "TIME",
        value_parser = time,
        help = "The time at which signers must be allowed: YYYYMMDD[HHMM[SS]][Z] [default: now]"
    )]
    pub verify_time: Option<Moment>,
}

impl Guarded {
    /// Reads whom to trust.
    ///
    /// # Errors
    /// If a file of keys is not usable.
    pub fn guard(&self) -> anyhow::Result<Guard> {
        let needs = self.trusted.require.is_none() || self.trusted.is_anybody();
        ensure!(needs, "--require: say whose signatures count, by --allowed-signers or --public-key");
        let trust = if self.ignore_signature { None } else { Some(self.trusted.read()?) };
        Ok(Guard { trust, needed: self.trusted.needed() })
    }
}

impl Signing {
    /// The keys, ready to sign what is written here.
    ///
    /// # Errors
    /// If that is no file, or a key is not usable.
    pub fn signers(&self, output: Option<&Path>) -> anyhow::Result<Vec<Signer>> {
        let file = output::named(output).filter(|path| replaces(path));
        if !self.sign.is_empty() && file.is_none() {
            return Err(Misfit::SignStream.into());
        }
        Ok(self.sign.iter().map(|key| keys::load(key, Keep::File)).collect::<Result<_, _>>()?)
    }
}

impl Trusted {
    /// Reads the files.
    ///
    /// # Errors
    /// If one is not usable.
    pub fn read(&self) -> Result<Trust, Error> {
        let files = TrustFiles {
            allowed_signers: self.allowed_signers.clone(),
            public_keys: self.public_key.clone(),
            identity: self.identity.clone(),
            namespace: self.namespace.clone(),
            time: self.verify_time,
        };
        files.read(&mut tell_bad_line)
    }

    /// Whether somebody is named whose signatures are wanted.
    pub fn is_anybody(&self) -> bool {
        !self.allowed_signers.is_empty() || !self.public_key.is_empty()
    }

    /// Good signatures that are needed: none if nobody was named.
    pub fn needed(&self) -> usize {
        match self.require {
            Some(number) => number.get(),
            None => usize::from(self.is_anybody()),
        }
    }
}

fn tell_bad_line(path: &Path, BadLine { number, why }: &BadLine) {
    let why = why.to_string();
    let line = format_args!("WARNING: line {number} counts for nobody: {}", Shown(why.as_bytes()));
    message::about(path.as_os_str().as_bytes(), line);
}

fn time(text: &str) -> Result<Moment, String> {
    moment(text).ok_or_else(|| "YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with a Z for UTC, is wanted".into())
}
