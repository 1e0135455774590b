//! Keys to sign with: from files, asked for their passphrases on the terminal, or from an agent.

use crate::message;
use anyhow::{Context, anyhow, bail, ensure};
use hashloom_job::signatures::beside;
use hashloom_sign::bundle::{EcKeyFile, EcPublicKey, EcSigner};
use hashloom_sign::{Agent, Error, KeyData, KeyFile, PublicKey, Signer, Zeroizing};
use std::env;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The variable that says where an agent listens.
const SOCKET: &str = "SSH_AUTH_SOCK";
/// Permissions that a private key should not give: to the group and to all others.
const OTHERS: u32 = 0o077;

/// Where private keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// In the file, if it has one.
    File,
    /// In the agent.
    Agent,
}

/// The key that a file names, ready to sign. A public key means the agent's private one.
///
/// # Errors
/// If the file is no key, the passphrase is wrong or can't be asked for, or the agent does not have it.
pub fn load(path: &Path, keep: Keep) -> anyhow::Result<Signer> {
    let shown = path.display();
    let key = KeyFile::parse(&text(path)?).with_context(|| shown.to_string())?;
    if keep == Keep::Agent || matches!(key, KeyFile::Public(_)) {
        let public = key.public().with_context(|| format!("{shown}: agents have no keys of minisign"))?;
        return from_agent(&public).with_context(|| shown.to_string());
    }
    warn(path);
    unlock(path, key)
}

/// The agent's only Ed25519 key.
///
/// # Errors
/// If it has none, or several.
pub fn only_of_agent() -> anyhow::Result<Signer> {
    let mut agent = connect()?;
    let mut keys = agent.keys()?;
    keys.retain(|(key, _)| key.is_ed25519());
    match keys.as_slice() {
        [(key, _)] => Ok(Signer::agent(agent, key.clone())),
        [] => bail!("ssh-agent: it has no ssh-ed25519 key; ssh-add adds one"),
        several => {
            let names = several
                .iter()
                .map(|(key, comment)| format!("{} ({comment})", PublicKey::Ssh(Box::new(key.clone()))));
            let names = names.collect::<Vec<_>>().join(", ");
            bail!("ssh-agent: it has several keys: {names}; say which one with --key KEY.pub")
        }
    }
}

fn connect() -> anyhow::Result<Agent> {
    let socket = env::var_os(SOCKET).filter(|socket| !socket.is_empty());
    let socket = socket.with_context(|| format!("ssh-agent: {SOCKET} is not set, so none is running"))?;
    Agent::connect(Path::new(&socket)).with_context(|| format!("{}", Path::new(&socket).display()))
}

fn from_agent(key: &KeyData) -> anyhow::Result<Signer> {
    let mut agent = connect()?;
    let has = agent.keys()?.iter().any(|(known, _)| known == key);
    ensure!(has, "ssh-agent: it does not have this key; ssh-add adds it");
    Ok(Signer::agent(agent, key.clone()))
}

fn unlock(path: &Path, key: KeyFile) -> anyhow::Result<Signer> {
    let shown = path.display();
    if !key.is_encrypted() {
        return key.unlock(None).with_context(|| shown.to_string());
    }
    let openssh = key.public().is_some();
    let passphrase = ask(
        path,
        match openssh {
            true => "let an agent sign: ssh-add the key, then use --agent or the public key",
            false => "use a key without passphrase, or one of OpenSSH in an agent",
        },
    )?;
    key.unlock(Some(passphrase.as_str())).with_context(|| shown.to_string())
}

/// The passphrase of a key, from the terminal; or what to do without one.
fn ask(path: &Path, way: &str) -> anyhow::Result<Zeroizing<String>> {
    let shown = path.display();
    let passphrase = rpassword::prompt_password(format!("Passphrase of {shown}: "));
    let failed = |error| anyhow!("{shown}: {}; without a terminal {way}", Error::Passphrase(error));
    passphrase.map(Zeroizing::new).map_err(failed)
}

/// The key in PEM that a file has, ready to sign models.
///
/// # Errors
/// If the file has none, the passphrase is wrong or can't be asked for.
pub fn load_of_models(path: &Path) -> anyhow::Result<EcSigner> {
    let key = EcKeyFile::parse(&text(path)?).with_context(|| path.display().to_string())?;
    warn(path);
    let passphrase = match key.is_encrypted() {
        true => Some(ask(path, "use a key without passphrase")?),
        false => None,
    };
    let passphrase = passphrase.as_ref().map(|passphrase| passphrase.as_str());
    key.unlock(passphrase).with_context(|| path.display().to_string())
}

/// The public key in PEM that signatures of models are verified with.
///
/// # Errors
/// If the file has none.
pub fn public_of_models(path: &Path) -> anyhow::Result<EcPublicKey> {
    EcPublicKey::parse(&text(path)?).with_context(|| path.display().to_string())
}

fn text(path: &Path) -> anyhow::Result<Zeroizing<String>> {
    let text = String::from_utf8(beside::bytes(path)?);
    text.map(Zeroizing::new).map_err(|_| anyhow!("{}: not a key", path.display()))
}

fn warn(path: &Path) {
    let mode = path.metadata().map_or(0, |meta| meta.mode());
    if mode & OTHERS != 0 {
        let name = path.as_os_str().as_bytes();
        let mode = mode & 0o777;
        message::about(
            name,
            format_args!(
                "WARNING: a private key that others can read (mode {mode:04o}); chmod 600 keeps them out"
            ),
        );
    }
}
