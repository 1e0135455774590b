//! `hashloom sign`: signatures and time stamps of a file, written beside it.

mod model;
mod options;
pub mod stamping;

pub use options::Options;

use crate::exit::Exit;
use crate::keys::{self, Keep};
use crate::message;
use crate::output::Output;
use anyhow::{anyhow, bail, ensure};
use hashloom_job::signatures::{beside, staged};
use hashloom_sign::{Format, Message, Signer};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The command, from options to exit code.
///
/// # Errors
/// If the options do not go together, a key is not usable, or a signature can't be written.
pub fn run(options: &Options) -> anyhow::Result<Exit> {
    let manifest = match (&options.models.model, &options.manifest) {
        (Some(folder), _) => return model::run(folder, options),
        (None, Some(manifest)) => manifest,
        (None, None) => bail!("say what to sign: MANIFEST, or --model DIR"),
    };
    let signers = signers(options)?;
    ensure!(
        !signers.is_empty() || options.stamp.is_asked(),
        "say what to sign with: --key KEY, --agent, or --timestamp URL"
    );
    ensure!(
        options.output.is_empty() || options.output.len() == signers.len(),
        "--output: one for each key is needed, or none"
    );
    ensure!(!options.namespace.is_empty(), "--namespace: must not be empty");
    let roots = options.stamp.roots()?;
    let mut file = match open(manifest) {
        Ok(file) => file,
        Err(error) => return Ok(failed(manifest, &error)),
    };
    let mut message = Message::new(&mut file);
    for (number, signer) in signers.into_iter().enumerate() {
        sign((manifest, options), number, signer, &mut message)?;
    }
    stamping::stamp(manifest, &options.stamp, roots.as_ref(), &mut message)
}

fn failed(manifest: &Path, error: &std::io::Error) -> Exit {
    message::about(manifest.as_os_str().as_bytes(), format_args!("cannot read: {error}"));
    Exit::Failed
}

fn open(manifest: &Path) -> std::io::Result<File> {
    let file = File::open(manifest)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(std::io::Error::other("only regular files can be signed")),
    }
}

fn signers(options: &Options) -> anyhow::Result<Vec<Signer>> {
    let keep = if options.agent { Keep::Agent } else { Keep::File };
    let mut signers = Vec::new();
    for key in &options.key {
        signers.push(keys::load(key, keep)?);
    }
    if options.agent && options.key.is_empty() {
        signers.push(keys::only_of_agent()?);
    }
    let wanted = options.format.map(Format::from);
    if let Some(other) = signers.iter().find(|signer| wanted.is_some_and(|format| format != signer.format()))
    {
        return Err(anyhow!("--format: the key {} signs in another format", other.public()));
    }
    let mut ids: Vec<_> =
        signers.iter().map(|signer| (signer.public().id(), signer.format() == Format::Ssh)).collect();
    ids.sort();
    ensure!(ids.windows(2).all(|pair| pair[0] != pair[1]), "--key: the same key twice");
    Ok(signers)
}

fn sign(
    (manifest, options): (&Path, &Options),
    number: usize,
    mut signer: Signer,
    message: &mut Message<'_>,
) -> anyhow::Result<()> {
    let typed = options.output.get(number);
    let path: PathBuf = match typed {
        Some(path) => path.clone(),
        None => beside::place(manifest, &signer.public(), message)?,
    };
    let signature = staged::sign(&mut signer, message, &options.namespace, manifest)?;
    let output = Output::typed_or(typed.map(PathBuf::as_path), &path)?;
    staged::write(output, &signature)?.finish()?;
    message::about(path.as_os_str().as_bytes(), format_args!("signed with the key {}", signer.public()));
    Ok(())
}
