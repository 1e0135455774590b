//! Private keys of OpenSSH in files (PROTOCOL.key), possibly encrypted.

use super::PRIVATE;
use super::key::{ED25519, KeyData, Material};
use super::wire::{Fields, SHORT, SshFault};
use crate::Error;
use crate::cryptography::cipher;
use crate::cryptography::cipher::Mode;
use crate::cryptography::ed25519::Ed25519Key;
use crate::cryptography::kdf;
use crate::error::{PROTECTED, bad_key, text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

const END: &str = "-----END OPENSSH PRIVATE KEY-----";
const MAGIC: &[u8] = b"openssh-key-v1\0";
/// The name of no cipher and of no derivation of its key.
const NONE: &str = "none";
const BCRYPT: &str = "bcrypt";
const ARMOUR: SshFault = SshFault::new("its lines of base64 are damaged");
const HALVES: SshFault = SshFault::new("its private and its public half do not belong together");
const PADDING: SshFault = SshFault::new("it does not end as a private key does");
/// The length that unencrypted keys are filled to a multiple of.
const PLAIN_BLOCK: usize = 8;

/// The supported ciphers: their names, modes and the lengths of their keys.
const CIPHERS: [(&str, Mode, usize); 8] = [
    ("aes256-ctr", Mode::Ctr, 32),
    ("aes192-ctr", Mode::Ctr, 24),
    ("aes128-ctr", Mode::Ctr, 16),
    ("aes256-cbc", Mode::Cbc, 32),
    ("aes192-cbc", Mode::Cbc, 24),
    ("aes128-cbc", Mode::Cbc, 16),
    ("aes256-gcm@openssh.com", Mode::Gcm, 32),
    ("aes128-gcm@openssh.com", Mode::Gcm, 16),
];

/// A private key as stored in its file.
pub struct SshPrivateKey {
    public: KeyData,
    lock: Option<Lock>,
    /// The private part, encrypted if there is a lock.
    bytes: Zeroizing<Vec<u8>>,
}

/// How a passphrase opens a key.
struct Lock {
    mode: Mode,
    key_length: usize,
    salt: Vec<u8>,
    rounds: u32,
}

impl SshPrivateKey {
    /// Parses a file.
    pub(crate) fn parse(file: &str) -> Result<SshPrivateKey, SshFault> {
        let body = file.strip_prefix(PRIVATE).ok_or(ARMOUR)?;
        let (body, behind) = body.split_once(END).ok_or(ARMOUR)?;
        if !behind.trim().is_empty() {
            return Err(ARMOUR);
        }
        let lines: Zeroizing<String> = Zeroizing::new(body.lines().collect());
        let bytes = Zeroizing::new(STANDARD.decode(lines.as_bytes()).map_err(|_| ARMOUR)?);
        SshPrivateKey::read(
            bytes.strip_prefix(MAGIC).ok_or(SshFault::new("it does not begin with 'openssh-key-v1'"))?,
        )
    }

    fn read(bytes: &[u8]) -> Result<SshPrivateKey, SshFault> {
        let mut fields = Fields::new(bytes);
        let (cipher, derivation) = (fields.text()?, fields.text()?);
        let options = Fields::new(fields.string()?);
        if fields.number()? != 1 {
            return Err(SshFault::new("it does not have exactly one key"));
        }
        let public = KeyData::parse(fields.string()?)?;
        let own = fields.string()?;
        let lock = match (cipher, derivation) {
            (NONE, NONE) => {
                options.end()?;
                None
            }
            (_, BCRYPT) if cipher != NONE => Some(Lock::read(cipher, options)?),
            _ => {
                let how = format!("its passphrase is used by '{derivation}', which is not supported");
                return Err(SshFault::Other(how.into()));
            }
        };
        let block = if lock.is_some() { cipher::BLOCK } else { PLAIN_BLOCK };
        if own.len() % block != 0 {
            return Err(PADDING);
        }
        // The tag comes after the field.
        let tag = fields.bytes(lock.as_ref().map_or(0, |lock| lock.tag_length()))?;
        fields.end()?;
        Ok(SshPrivateKey { public, lock, bytes: Zeroizing::new([own, tag].concat()) })
    }

    pub(crate) fn public(&self) -> &KeyData {
        &self.public
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.lock.is_some()
    }

    /// Returns the key, ready to sign.
    pub(crate) fn unlock(&self, passphrase: Option<&str>) -> Result<Ed25519Key, Error> {
        if !self.public.is_ed25519() {
            let kind = self.public.kind();
            let why = format!("{kind}: from files, only ssh-ed25519 keys can sign; use an agent for others");
            return Err(bad_key(why));
        }
        let opened;
        let (bytes, block) = match (&self.lock, passphrase) {
            (None, _) => (&self.bytes, PLAIN_BLOCK),
            (Some(_), None) => return Err(bad_key(PROTECTED)),
            (Some(lock), Some(passphrase)) => {
                opened = lock.open(passphrase, &self.bytes).ok_or(Error::WrongPassphrase)?;
                (&opened, cipher::BLOCK)
            }
        };
        let mut fields = Fields::new(bytes);
        let wrong = |fault: SshFault| bad_key(text(fault));
        // One random number twice: they are the same if the passphrase is right.
        if fields.number().map_err(wrong)? != fields.number().map_err(wrong)? {
            let differ = || bad_key("its two check numbers differ");
            return Err(if self.is_encrypted() { Error::WrongPassphrase } else { differ() });
        }
        self.private(fields, block).map_err(wrong)
    }

    fn private(&self, mut fields: Fields<'_>, block: usize) -> Result<Ed25519Key, SshFault> {
        if fields.text()? != ED25519 {
            return Err(HALVES);
        }
        let (public, private) = (fields.string()?, fields.string()?);
        fields.text()?;
        let padding = fields.rest();
        if padding.len() >= block || !padding.iter().zip(1..).all(|(byte, wanted)| *byte == wanted) {
            return Err(PADDING);
        }
        // The second half of the private key is the public key.
        let (seed, again) = private.split_at_checked(32).ok_or(SHORT)?;
        let key = Ed25519Key::new(seed, public).filter(|_| again == public).ok_or(HALVES)?;
        let is_own = *self.public.material() == Material::Ed25519(*key.public());
        if is_own { Ok(key) } else { Err(HALVES) }
    }
}

impl Lock {
    fn read(cipher: &str, mut options: Fields<'_>) -> Result<Lock, SshFault> {
        let known = CIPHERS.iter().find(|(name, ..)| *name == cipher);
        let (_, mode, key_length) = known.ok_or_else(|| {
            let how = format!(
                "it is encrypted with {cipher}, which is not supported; 'ssh-keygen -p -Z aes256-ctr -f KEY' changes that"
            );
            SshFault::Other(how.into())
        })?;
        let (salt, rounds) = (options.string()?.to_vec(), options.number()?);
        options.end()?;
        Ok(Lock { mode: *mode, key_length: *key_length, salt, rounds })
    }

    fn tag_length(&self) -> usize {
        if self.mode == Mode::Gcm { cipher::BLOCK } else { 0 }
    }

    fn open(&self, passphrase: &str, bytes: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let mut derived = Zeroizing::new(vec![0; self.key_length + self.mode.iv_length()]);
        kdf::bcrypt(passphrase.as_bytes(), &self.salt, self.rounds, &mut derived)?;
        let (key, iv) = derived.split_at(self.key_length);
        cipher::decrypt(self.mode, key, iv, bytes)
    }
}
