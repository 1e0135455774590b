//! Options of `hashmill sign`.

use super::model::ModelOptions;
use crate::options::force::Force;
use crate::options::values::{Choice, address, one_of};
use crate::results::report::ListReport;
use clap::Args;
use hashmill_sign::{Format, ssh};
use std::path::PathBuf;

/// hashmill sign
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    mut_group("Serialization", |group| group.conflicts_with("manifest")),
    mut_group("ResourceOptions", |group| group.conflicts_with("manifest"))
)]
pub struct Options {
    /// The file to sign: a manifest, or any other
    #[arg(value_name = "MANIFEST", required_unless_present = "model")]
    pub manifest: Option<PathBuf>,
    /// A private key of OpenSSH (Ed25519) or minisign, or a public key whose private key is in an agent; may be given
    /// more
    /// than once
    #[arg(long, value_name = "KEY")]
    pub key: Vec<PathBuf>,
    /// Let the agent sign, with the keys of --key or with its only one
    #[arg(long)]
    pub agent: bool,
    /// Refuse keys of another format [default: each key signs in its own]
    #[arg(long, value_name = "FORMAT", value_parser = one_of(KEY_FORMATS))]
    pub key_format: Option<Format>,
    /// The form of the result: text on standard error, or JSON on standard output
    #[arg(short, long, value_enum, default_value_t = ListReport::Text)]
    pub format: ListReport,
    /// The namespace (purpose) of the signature; ssh-keygen -Y verify -n must name the same
    #[arg(long, value_name = "NAME", default_value = ssh::FILE)]
    pub namespace: String,
    /// Write the signature here, one for each key [default: MANIFEST.sig or MANIFEST.minisig, for further
    /// signers MANIFEST.2.sig and so on]
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    #[command(flatten)]
    pub force: Force,
    #[command(flatten)]
    pub stamp: Stamping,
    #[command(flatten)]
    pub models: ModelOptions,
}

/// Options for time stamps.
#[derive(Debug, Args)]
#[command(next_help_heading = "Time stamps (RFC 3161), into MANIFEST.tsr")]
pub struct Stamping {
    /// Request a time stamp from this authority, over HTTP
    #[arg(long, value_name = "URL", value_parser = address, conflicts_with = "timestamp_response")]
    pub timestamp: Option<String>,
    /// Write the request to this file, to be sent by other means or kept for its nonce; with --timestamp-response, read
    /// it
    #[arg(long, value_name = "FILE")]
    pub timestamp_request: Option<PathBuf>,
    /// Read the authority's response from this file
    #[arg(long, value_name = "FILE")]
    pub timestamp_response: Option<PathBuf>,
    /// Refuse time stamps whose certificate does not lead to one of these (PEM)
    #[arg(long, value_name = "FILE")]
    pub timestamp_roots: Option<PathBuf>,
}

/// Values of `--key-format`.
const KEY_FORMATS: &[Choice<Format>] = &[
    ("ssh", "OpenSSH: ssh-keygen -Y verify", Format::Ssh),
    ("minisign", "minisign: minisign -V", Format::Mini),
];

const EXAMPLES: &str = "\
Examples:
  hashmill sign photos.manifest --key ~/.ssh/id_ed25519
  hashmill sign photos.manifest --agent
  hashmill sign photos.manifest --key minisign.key --timestamp http://tsa.example.org
  ssh-keygen -Y verify -f allowed_signers -I alice@example.org -n file \\
      -s photos.manifest.sig < photos.manifest
  hashmill sign --model llama --key key.pem -o llama/model.sig";
