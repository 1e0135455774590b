//! `hashloom verify`: signatures and time stamps of a file.

mod model;
mod stamped;

use crate::exit::Exit;
use crate::message;
use crate::options::signatures::Trusted;
use crate::output::{self, Output};
use anyhow::ensure;
use clap::Args;
use hashloom_job::signatures::beside;
use hashloom_job::signatures::judge::{Judged, judge, judge_typed, signers};
use hashloom_sign::{Message, Trust};
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// hashloom verify
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_group("ResourceOptions", |group| group.requires("model")))]
pub struct Options {
    /// What was signed; with --model the signature of the model
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// A signature; may be given more than once [default: all that lie beside MANIFEST: MANIFEST.sig,
    /// MANIFEST.2.sig …, MANIFEST.minisig …]
    #[arg(short, long, value_name = "FILE")]
    pub signature: Vec<PathBuf>,
    #[command(flatten)]
    pub trusted: Trusted,
    #[command(flatten)]
    pub stamped: stamped::Stamps,
    #[command(flatten)]
    pub models: model::ModelOptions,
}

const EXAMPLES: &str = "\
Exit codes: 0 good; 1 a signature or time stamp is broken or was not verified,
or there are too few good ones; 2 something can't be read; 64 the command line
is wrong, or a key is not usable.

Examples:
  hashloom verify photos.manifest --allowed-signers allowed_signers
  hashloom verify photos.manifest --allowed-signers allowed_signers --require 2
  hashloom verify photos.manifest --public-key minisign.pub
  hashloom verify photos.manifest --timestamp-roots roots.pem
  hashloom verify --model llama llama/model.sig --public-key key.pub";

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, or a key is not usable.
pub fn run(options: &Options) -> anyhow::Result<Exit> {
    if let Some(folder) = &options.models.model {
        return model::run(folder, options);
    }
    ensure!(
        options.trusted.is_anybody() || options.stamped.timestamp_roots.is_some(),
        "say whose signatures count: --allowed-signers FILE, --public-key FILE, or --timestamp-roots FILE"
    );
    ensure!(
        options.trusted.is_anybody() || options.trusted.require.is_none(),
        "--require: say whose signatures count, by --allowed-signers or --public-key"
    );
    let trust = options.trusted.read()?;
    let stamped = options.stamped.read()?;
    let output = output::stdout()?;
    let failed = |error| {
        message::about(options.manifest.as_os_str().as_bytes(), format_args!("cannot read: {error}"));
        Ok(Exit::Failed)
    };
    // Opened once: signatures and time stamp are of the same file, whatever has its name later.
    let mut file = match File::open(&options.manifest) {
        Ok(file) => file,
        Err(error) => return failed(error),
    };
    let mut message = Message::new(&mut file);
    let judged = match options.signature.as_slice() {
        [] => judge(&mut message, beside::all(&options.manifest), &trust),
        typed => judge_typed(&mut message, typed.to_vec(), &trust),
    };
    let judged = match judged {
        Ok(judged) => judged,
        Err(error) => return failed(error),
    };
    let exit = signed(options, &judged, &trust, &output)?;
    let exit = exit.and(stamped.verify((&options.manifest, &mut message), &output)?);
    output.finish()?;
    Ok(exit)
}

fn signed(options: &Options, judged: &[Judged], trust: &Trust, output: &Output) -> anyhow::Result<Exit> {
    for judged in judged {
        let line = format!("{judged}\n");
        output.clone().write_all(line.as_bytes()).map_err(|error| output.error(error))?;
    }
    let (found, needed) = (signers(judged, trust), options.trusted.needed());
    if found < needed {
        message::about(
            options.manifest.as_os_str().as_bytes(),
            format_args!("{found} of {needed} required good signatures by different signers"),
        );
    }
    let broken = judged.iter().any(Judged::is_broken);
    let unreadable = judged.iter().any(Judged::is_unreadable);
    Ok(Exit::Differs.when(broken || found < needed).and(Exit::Failed.when(unreadable)))
}
