//! Keys for signing: from files, unlocked by passphrases, or from an agent.

use super::beside;
use crate::error::{Error, SignatureError};
use hashmill_os::{Links, facts_at};
use hashmill_sign::bundle::{EcKeyFile, EcPublicKey, EcSigner};
use hashmill_sign::{Agent, KeyData, KeyFile, PublicKey, Signer, Zeroizing};
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// The place of a private key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// In the file, if it holds a private key.
    File,
    /// In the agent.
    Agent,
}

/// Access to keys.
pub struct Keys<'a> {
    /// Path of the agent's socket, if an agent is running (`SSH_AUTH_SOCK`).
    pub agent: Option<PathBuf>,
    /// Returns the passphrase of the key in this file.
    pub passphrase: &'a mut dyn FnMut(&Path) -> io::Result<Zeroizing<String>>,
    /// Is called for a private key that others can read, with its permissions.
    pub exposed: &'a mut dyn FnMut(&Path, u32),
}

/// The file is not text.
pub(super) const NOT_A_KEY: KeyError = KeyError::Other("not a key");
const MINI_AGENT: KeyError = KeyError::Other("agents have no keys of minisign");
const NO_AGENT: KeyError = KeyError::Other("ssh-agent: SSH_AUTH_SOCK is not set, so none is running");
const NOT_IN_AGENT: KeyError = KeyError::Other("ssh-agent: it does not have this key; ssh-add adds it");
const EMPTY_AGENT: KeyError = KeyError::Other("ssh-agent: it has no ssh-ed25519 key; ssh-add adds one");

/// The reason why a key can't sign. Other errors of an agent or a file are errors of [`hashmill_sign`].
#[derive(Debug)]
#[non_exhaustive]
pub enum KeyError {
    /// The file is not a key, or the agent can't have or does not have it.
    Other(&'static str),
    /// The agent has several keys.
    Several(Vec<(PublicKey, String)>),
    /// Asking for the passphrase failed.
    Passphrase {
        /// The reason.
        source: io::Error,
        /// Whether an agent could hold the key: it is one of OpenSSH.
        openssh: bool,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Other(why) => f.write_str(why),
            KeyError::Several(keys) => {
                let names: Vec<String> =
                    keys.iter().map(|(key, comment)| format!("{key} ({comment})")).collect();
                write!(f, "ssh-agent: it has several keys: {}", names.join(", "))
            }
            KeyError::Passphrase { source, .. } => write!(f, "cannot ask for the passphrase: {source}"),
        }
    }
}

impl error::Error for KeyError {}

impl Keys<'_> {
    /// Loads the key of a file, ready to sign. For a public key, the agent's private key is used.
    ///
    /// # Errors
    /// If the file is not a key, the passphrase is wrong or can't be asked for, or the agent does not have the key.
    pub fn load(&mut self, path: &Path, keep: Keep) -> Result<Signer, Error> {
        let key = KeyFile::parse(&text(path)?).map_err(unusable(path))?;
        if keep == Keep::Agent || matches!(key, KeyFile::Public(_)) {
            let public = key.public().ok_or(MINI_AGENT).map_err(unusable(path))?;
            return self.of_agent(path, &public);
        }
        self.warn(path);
        self.unlock(path, key)
    }

    /// Loads a key in PEM from a file, ready to sign models.
    ///
    /// # Errors
    /// If the file has no such key, or the passphrase is wrong or can't be asked for.
    pub fn of_models(&mut self, path: &Path) -> Result<EcSigner, Error> {
        let key = EcKeyFile::parse(&text(path)?).map_err(unusable(path))?;
        self.warn(path);
        let openssh = false;
        let passphrase = if key.is_encrypted() { Some(self.ask(path, openssh)?) } else { None };
        key.unlock(passphrase.as_ref().map(|passphrase| passphrase.as_str())).map_err(unusable(path))
    }

    /// Returns the agent's only Ed25519 key.
    ///
    /// # Errors
    /// If the agent has none, or several.
    pub fn only_of_agent(&self) -> Result<Signer, Error> {
        let failed = |error: KeyError| Error::from(SignatureError::Agent(Box::new(error)));
        let Some(socket) = &self.agent else { return Err(failed(NO_AGENT)) };
        let mut agent = Agent::connect(socket).map_err(unusable(socket))?;
        let mut keys = agent.keys().map_err(|error| SignatureError::Agent(Box::new(error)))?;
        keys.retain(|(key, _)| key.is_ed25519());
        match keys.len() {
            0 => Err(failed(EMPTY_AGENT)),
            1 => Ok(Signer::agent(agent, keys.remove(0).0)),
            _ => {
                let named = keys.into_iter().map(|(key, comment)| (PublicKey::Ssh(Box::new(key)), comment));
                Err(failed(KeyError::Several(named.collect())))
            }
        }
    }

    fn of_agent(&self, path: &Path, key: &KeyData) -> Result<Signer, Error> {
        let socket = self.agent.as_ref().ok_or(NO_AGENT).map_err(unusable(path))?;
        let mut agent = Agent::connect(socket).map_err(unusable(path))?;
        let has = agent.keys().map_err(unusable(path))?.iter().any(|(known, _)| known == key);
        if has { Ok(Signer::agent(agent, key.clone())) } else { Err(unusable(path)(NOT_IN_AGENT)) }
    }

    fn unlock(&mut self, path: &Path, key: KeyFile) -> Result<Signer, Error> {
        if !key.is_encrypted() {
            return key.unlock(None).map_err(unusable(path));
        }
        let passphrase = self.ask(path, key.public().is_some())?;
        key.unlock(Some(passphrase.as_str())).map_err(unusable(path))
    }

    fn ask(&mut self, path: &Path, openssh: bool) -> Result<Zeroizing<String>, Error> {
        (self.passphrase)(path).map_err(|source| unusable(path)(KeyError::Passphrase { source, openssh }))
    }

    fn warn(&mut self, path: &Path) {
        if let Some(mode) = facts_at(path, Links::Follow).ok().and_then(|facts| facts.shared_mode()) {
            (self.exposed)(path, mode);
        }
    }
}

/// Reads the public key in PEM that verifies signatures of models.
///
/// # Errors
/// If the file has no such key.
pub fn public_of_models(path: &Path) -> Result<EcPublicKey, Error> {
    EcPublicKey::parse(&text(path)?).map_err(unusable(path))
}

fn text(path: &Path) -> Result<Zeroizing<String>, Error> {
    let text = String::from_utf8(beside::bytes(path)?).map_err(|_| unusable(path)(NOT_A_KEY))?;
    Ok(Zeroizing::new(text))
}

/// Makes the error of a file that can't be used.
pub(super) fn unusable<E: error::Error + Send + Sync + 'static>(path: &Path) -> impl Fn(E) -> Error + use<E> {
    let path = beside::name_of(path);
    move |why| SignatureError::Unusable { path: path.clone(), why: Box::new(why) }.into()
}
