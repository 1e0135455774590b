//! Trust: whose signatures count.

use crate::mini::MiniSignature;
use crate::ssh::{AllowedSigners, Moment, NotAllowed};
use crate::{Broken, Message, PublicKey, Signature, count};
use std::{fmt, io};

/// Who is trusted, and for what.
#[derive(Debug, Clone)]
pub struct Trust {
    /// Files of allowed signers.
    pub allowed: Vec<AllowedSigners>,
    /// Keys that count by themselves.
    pub keys: Vec<PublicKey>,
    /// The only identity whose signatures count; none: that of every allowed signer.
    pub identity: Option<String>,
    /// What signatures must have been made for.
    pub namespace: String,
    /// When keys must be allowed.
    pub time: Moment,
}

/// What a signature is worth.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It fits the message and its key.
    Good(Good),
    /// It does not, or is not a signature.
    Broken(Broken),
    /// Nothing can be said: the key with this number is needed, and was not given.
    Unchecked(String),
}

/// A signature that fits.
#[derive(Debug, Clone)]
pub struct Good {
    /// The key that it was made with.
    pub key: PublicKey,
    /// Who vouches for the key, or why nobody does.
    pub voucher: Result<Voucher, NotAllowed>,
    /// The purpose that a signature of OpenSSH was made for.
    pub namespace: Option<String>,
    /// When it was made, if it says so in a comment that it covers, as those of minisign do.
    pub time: Option<Moment>,
}

/// Who vouches for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Voucher {
    /// The key itself was given.
    Given,
    /// A line of a file of allowed signers, for these principals.
    Principals(String),
}

impl Trust {
    /// Whether anybody is trusted.
    pub fn is_anybody(&self) -> bool {
        !self.allowed.is_empty() || !self.keys.is_empty()
    }

    /// What a signature of a message is worth.
    ///
    /// # Errors
    /// If the message can't be read.
    pub fn judge(&self, signature: &Signature, message: &mut Message<'_>) -> io::Result<Verdict> {
        let (checked, key) = match signature {
            Signature::Ssh(signature) => {
                let checked = signature.verify(message, &self.namespace)?;
                (checked, PublicKey::Ssh(Box::new(signature.key().clone())))
            }
            Signature::Mini(signature) => match self.mini(signature, message)? {
                Some(done) => done,
                None => return Ok(Verdict::Unchecked(signature.number())),
            },
        };
        Ok(match checked {
            Ok(()) => Verdict::Good(self.good(signature, key)),
            Err(broken) => Verdict::Broken(broken),
        })
    }

    fn good(&self, signature: &Signature, key: PublicKey) -> Good {
        let (namespace, time) = match signature {
            Signature::Ssh(signature) => (Some(signature.namespace().to_string()), None),
            Signature::Mini(signature) => (None, signature.time()),
        };
        Good { voucher: self.voucher(&key), key, namespace, time }
    }

    /// What the key with a signature's number says of it. Should several have that number, one that fits counts.
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

    /// How many different signers made signatures: the most of them that can be distinguished, each by a principal of
    /// their own and a key of their own. Signatures that nobody vouches for don't count.
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
