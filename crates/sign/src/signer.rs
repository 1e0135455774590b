//! Signers: a private key in memory, or an agent.

use crate::mini::MiniSecretKey;
use crate::ssh::{self, Agent};
use crate::{Error, KeyFault, Message, PublicKey, SignFault, mini};
use minisign::SecretKey;
use ssh_key::PrivateKey;
use ssh_key::public::KeyData;

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
    Ssh(Box<PrivateKey>),
    /// A secret key of minisign, possibly encrypted.
    Mini(MiniSecretKey),
    /// A public key of OpenSSH, whose private key is in an agent.
    Public(Box<KeyData>),
}

/// A key that is ready to sign.
pub struct Signer(Inner);

enum Inner {
    Ssh(Box<PrivateKey>),
    Agent(Box<Agent>, Box<KeyData>),
    Mini(Box<SecretKey>, Box<minisign::PublicKey>),
}

impl KeyFile {
    /// Reads a file: a private key of OpenSSH or minisign, or a public key of OpenSSH.
    ///
    /// # Errors
    /// If it is not one of these.
    pub fn parse(text: &str) -> Result<KeyFile, Error> {
        if text.starts_with(ssh::PRIVATE) {
            let key = PrivateKey::from_openssh(text).map_err(KeyFault::Private)?;
            return Ok(KeyFile::Ssh(Box::new(key)));
        }
        if text.starts_with(mini::COMMENT) {
            return MiniSecretKey::parse(text).map(KeyFile::Mini);
        }
        if text.starts_with("-----BEGIN") {
            return Err(KeyFault::OldFormat.into());
        }
        match PublicKey::parse(text)? {
            PublicKey::Ssh(key) => Ok(KeyFile::Public(key)),
            PublicKey::Mini(_) => Err(KeyFault::MiniPublic.into()),
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
            KeyFile::Ssh(key) => Some(key.public_key().key_data().clone()),
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
            KeyFile::Ssh(key) => Signer::ssh(*key, passphrase),
            KeyFile::Mini(key) => {
                let key = key.unlock(passphrase)?;
                let public = minisign::PublicKey::from_secret_key(&key);
                let public = public.map_err(Error::MiniKey)?;
                Ok(Signer(Inner::Mini(Box::new(key), Box::new(public))))
            }
            KeyFile::Public(_) => Err(KeyFault::NeedsAgent.into()),
        }
    }
}

impl Signer {
    fn ssh(key: PrivateKey, passphrase: Option<&str>) -> Result<Signer, Error> {
        if !key.public_key().key_data().is_ed25519() {
            return Err(KeyFault::NotEd25519(key.public_key().algorithm()).into());
        }
        let key = match passphrase.filter(|_| key.is_encrypted()) {
            Some(passphrase) => key.decrypt(passphrase).map_err(|error| match error {
                ssh_key::Error::Crypto => Error::WrongPassphrase,
                other => KeyFault::Private(other).into(),
            })?,
            None => key,
        };
        if key.is_encrypted() {
            return Err(KeyFault::Protected.into());
        }
        Ok(Signer(Inner::Ssh(Box::new(key))))
    }

    /// Creates a signer with a key in an agent.
    pub fn agent(agent: Agent, key: KeyData) -> Signer {
        Signer(Inner::Agent(Box::new(agent), Box::new(key)))
    }

    /// Returns the key that verifies its signatures.
    pub fn public(&self) -> PublicKey {
        match &self.0 {
            Inner::Ssh(key) => PublicKey::Ssh(Box::new(key.public_key().key_data().clone())),
            Inner::Agent(_, key) => PublicKey::Ssh(key.clone()),
            Inner::Mini(_, key) => PublicKey::Mini(key.clone()),
        }
    }

    /// Returns the format of its signatures.
    pub fn format(&self) -> Format {
        match &self.0 {
            Inner::Ssh(_) | Inner::Agent(..) => Format::Ssh,
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
        let PublicKey::Ssh(public) = self.public() else { return self.sign_mini(message, comment) };
        ssh::sign(*public, namespace, message, &mut |bytes| match &mut self.0 {
            Inner::Ssh(key) => {
                signature::Signer::try_sign(&**key, bytes).map_err(|error| SignFault::Key(error).into())
            }
            Inner::Agent(agent, key) => agent.sign(key, bytes),
            Inner::Mini(..) => Err(SignFault::Format.into()),
        })
    }

    fn sign_mini(&self, message: &mut Message<'_>, comment: &str) -> Result<Vec<u8>, Error> {
        let Inner::Mini(key, public) = &self.0 else {
            return Err(SignFault::Format.into());
        };
        mini::sign(key, public, message, comment)
    }
}
