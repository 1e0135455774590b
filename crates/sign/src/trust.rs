//! Trust in signers.

use crate::mini::MiniSignature;
use crate::ssh::{AllowedSigners, Moment, NotAllowed};
use crate::{Broken, Message, PublicKey, Signature, count};
use std::{fmt, io};

/// The trusted signers and the conditions of trust.
#[derive(Debug, Clone)]
pub struct Trust {
    /// Files of allowed signers.
    pub allowed: Vec<AllowedSigners>,
    /// Keys that are trusted by themselves.
    pub keys: Vec<PublicKey>,
    /// The only identity whose signatures count; `None`: any allowed signer.
    pub identity: Option<String>,
    /// The namespace that signatures must be made for.
    pub namespace: String,
    /// The time at which keys must be allowed.
    pub time: Moment,
}

/// The verdict on a signature.
#[derive(Debug, Clone)]
pub enum SignatureVerdict {
    /// It matches the message and its key.
    Good(Good),
    /// It does not match, or is not a signature.
    Broken(Broken),
    /// It can't be checked, since the key with this number was not given.
    Unchecked(String),
}

/// A signature that matches.
#[derive(Debug, Clone)]
pub struct Good {
    /// The signing key.
    pub key: PublicKey,
    /// The reason for trust in the key, or the reason why it is not trusted.
    pub voucher: Result<Voucher, NotAllowed>,
    /// The namespace of a signature of OpenSSH.
    pub namespace: Option<String>,
    /// The time of signing, if a covered comment states it, as in minisign.
    pub time: Option<Moment>,
}

/// The reason for trust in a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Voucher {
    /// The key itself was given.
    Given,
    /// A line of a file of allowed signers, with these principals.
    Principals(String),
}

impl Trust {
    /// Returns whether any signer is trusted.
    pub fn is_anybody(&self) -> bool {
        !self.allowed.is_empty() || !self.keys.is_empty()
    }

    /// Returns the verdict on a signature of a message.
    ///
    /// # Errors
    /// If the message can't be read.
    pub fn judge(&self, signature: &Signature, message: &mut Message<'_>) -> io::Result<SignatureVerdict> {
        let (checked, key) = match signature {
            Signature::Ssh(signature) => {
                let checked = signature.verify(message, &self.namespace)?;
                (checked, PublicKey::Ssh(Box::new(signature.key().clone())))
            }
            Signature::Mini(signature) => match self.mini(signature, message)? {
                Some(done) => done,
                None => return Ok(SignatureVerdict::Unchecked(signature.number())),
            },
        };
        Ok(match checked {
            Ok(()) => SignatureVerdict::Good(self.good(signature, key)),
            Err(broken) => SignatureVerdict::Broken(broken),
        })
    }

    fn good(&self, signature: &Signature, key: PublicKey) -> Good {
        let (namespace, time) = match signature {
            Signature::Ssh(signature) => (Some(signature.namespace().to_string()), None),
            Signature::Mini(signature) => (None, signature.time()),
        };
        Good { voucher: self.voucher(&key), key, namespace, time }
    }

    /// Verifies a signature with the key that has its number. If several keys do, one that matches counts.
    fn mini(
        &self,
        signature: &MiniSignature,
        message: &mut Message<'_>,
    ) -> io::Result<Option<(Result<(), Broken>, PublicKey)>> {
        let mut found = None;
        for key in &self.keys {
            let PublicKey::Mini(mini) = key else { continue };
            if signature.is_by(mini) && !matches!(found, Some((Ok(()), _))) {
                found = Some((signature.verify(message, mini)?, key.clone()));
            }
        }
        Ok(found)
    }

    /// Returns the number of different signers: the most that can be distinguished, each with a different principal and
    /// a different key. Untrusted signatures don't count.
    pub fn signers<'a>(&self, good: impl IntoIterator<Item = &'a Good>) -> usize {
        let vouched = good.into_iter().filter(|good| good.voucher.is_ok());
        count::signers(self, vouched.map(|good| &good.key))
    }

    fn voucher(&self, key: &PublicKey) -> Result<Voucher, NotAllowed> {
        if self.keys.contains(key) {
            return Ok(Voucher::Given);
        }
        let PublicKey::Ssh(key) = key else { return Err(NotAllowed::Unknown) };
        let mut worst = NotAllowed::Unknown;
        for file in &self.allowed {
            match file.principals(key, &self.namespace, self.identity.as_deref(), self.time) {
                Ok(principals) => return Ok(Voucher::Principals(principals)),
                Err(why) => worst = worst.max(why),
            }
        }
        Err(worst)
    }
}

impl fmt::Display for Good {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.voucher {
            Ok(Voucher::Given) => write!(f, "good signature by the key {}", self.key),
            Ok(Voucher::Principals(who)) => write!(f, "good signature by {who}, key {}", self.key),
            Err(why) => write!(f, "good signature by key {}, {why}", self.key),
        }
    }
}
