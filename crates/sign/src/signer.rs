//! Signers: a private key in memory, or an agent.

use crate::cryptography::ed25519::Ed25519Key;
use crate::error::{bad_key, text};
use crate::mini::{MiniSecretKey, MiniSigner};
use crate::ssh::key::KeySignature;
use crate::ssh::{self, Agent, SshPrivateKey};
use crate::{Error, KeyData, Message, PublicKey, mini};

/// The formats of signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// OpenSSH's sshsig.
    Ssh,
    /// minisign.
    Mini,
}

/// A file that names a key to sign with.
pub enum KeyFile {
    /// A private key of OpenSSH, possibly encrypted.
    Ssh(Box<SshPrivateKey>),
    /// A secret key of minisign, possibly encrypted.
    Mini(MiniSecretKey),
    /// A public key of OpenSSH, whose private key is in an agent.
    Public(Box<KeyData>),
}

/// A key that is ready to sign.
pub struct Signer(Inner);

enum Inner {
    Ssh(Box<Ed25519Key>, Box<KeyData>),
    Agent(Box<Agent>, Box<KeyData>),
    Mini(Box<MiniSigner>),
}

impl KeyFile {
    /// Reads a file: a private key of OpenSSH or minisign, or a public key of OpenSSH.
    ///
    /// # Errors
    /// If it is not one of these.
    pub fn parse(file: &str) -> Result<KeyFile, Error> {
        if file.starts_with(ssh::PRIVATE) {
            let key = SshPrivateKey::parse(file).map_err(|fault| bad_key(text(fault)))?;
            return Ok(KeyFile::Ssh(Box::new(key)));
        }
        if file.starts_with(mini::COMMENT) {
            return MiniSecretKey::parse(file).map(KeyFile::Mini);
        }
        if file.starts_with("-----BEGIN") {
            return Err(bad_key("not in OpenSSH's own format; 'ssh-keygen -p -f KEY' converts it"));
        }
        match PublicKey::parse(file)? {
            PublicKey::Ssh(key) => Ok(KeyFile::Public(key)),
            PublicKey::Mini(_) => Err(bad_key(mini::PUBLIC_CANT)),
        }
    }

    /// Returns whether it needs a passphrase.
    pub fn is_encrypted(&self) -> bool {
        match self {
            KeyFile::Ssh(key) => key.is_encrypted(),
            KeyFile::Mini(key) => key.is_encrypted(),
            KeyFile::Public(_) => false,
        }
    }

    /// Returns the public half of a key of OpenSSH, by which an agent identifies it.
    pub fn public(&self) -> Option<KeyData> {
        match self {
            KeyFile::Ssh(key) => Some(key.public().clone()),
            KeyFile::Public(key) => Some((**key).clone()),
            KeyFile::Mini(_) => None,
        }
    }

    /// Returns the key, ready to sign.
    ///
    /// # Errors
    /// If the passphrase is wrong or missing, or keys of this kind can't sign.
    pub fn unlock(self, passphrase: Option<&str>) -> Result<Signer, Error> {
        match self {
            KeyFile::Ssh(key) => {
                let own = key.unlock(passphrase)?;
                Ok(Signer(Inner::Ssh(Box::new(own), Box::new(key.public().clone()))))
            }
            KeyFile::Mini(key) => Ok(Signer(Inner::Mini(Box::new(key.unlock(passphrase)?)))),
            KeyFile::Public(_) => Err(bad_key("a public key: only an agent can sign with it")),
        }
    }
}

impl Signer {
    /// Creates a signer with a key in an agent.
    pub fn agent(agent: Agent, key: KeyData) -> Signer {
        Signer(Inner::Agent(Box::new(agent), Box::new(key)))
    }

    /// Returns the key that verifies its signatures.
    pub fn public(&self) -> PublicKey {
        match &self.0 {
            Inner::Ssh(_, key) | Inner::Agent(_, key) => PublicKey::Ssh(key.clone()),
            Inner::Mini(key) => PublicKey::Mini(Box::new(key.public())),
        }
    }

    /// Returns the format of its signatures.
    pub fn format(&self) -> Format {
        match &self.0 {
            Inner::Ssh(..) | Inner::Agent(..) => Format::Ssh,
            Inner::Mini(..) => Format::Mini,
        }
    }

    /// Signs a message and returns the signature file. Signatures of OpenSSH include the namespace; those of minisign
    /// include the comment, which must be one line.
    ///
    /// # Errors
    /// If the message can't be read, or the agent can't sign.
    pub fn sign(
        &mut self,
        message: &mut Message<'_>,
        namespace: &str,
        comment: &str,
    ) -> Result<Vec<u8>, Error> {
        match &mut self.0 {
            Inner::Mini(key) => mini::sign(key, message, comment),
            Inner::Ssh(own, key) => ssh::sign(key, namespace, message, &mut |bytes| {
                let made = own.sign(bytes).ok_or(Error::Unverified)?;
                Ok(KeySignature::from_ed25519(&made))
            }),
            Inner::Agent(agent, key) => {
                ssh::sign(key, namespace, message, &mut |bytes| agent.sign(key, bytes))
            }
        }
    }
}
