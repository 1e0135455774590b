//! Public keys of OpenSSH, and the signatures that they verify (RFC 4253, 5656, 8332 and 8709; PROTOCOL.u2f).

use super::wire::{Fields, LONG, SHORT, SshFault, put};
use crate::cryptography::ed25519;
use crate::cryptography::ed25519::Point;
use crate::{Curve, Hash};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::signature::{
    RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
    RsaParameters, RsaPublicKeyComponents,
};

pub(crate) const ED25519: &str = "ssh-ed25519";
const RSA: &str = "ssh-rsa";
const DSA: &str = "ssh-dss";
const SECURITY_ED25519: &str = "sk-ssh-ed25519@openssh.com";
const SECURITY_P256: &str = "sk-ecdsa-sha2-nistp256@openssh.com";
/// The kinds of ECDSA keys and the names of their curves.
const ECDSA: [(&str, &str, Curve); 3] = [
    ("ecdsa-sha2-nistp256", "nistp256", Curve::P256),
    ("ecdsa-sha2-nistp384", "nistp384", Curve::P384),
    ("ecdsa-sha2-nistp521", "nistp521", Curve::P521),
];
/// The kinds of signatures by RSA keys. Those of the kind `ssh-rsa` use SHA-1, which is not accepted. OpenSSH requires
/// 1024 bits, too.
static RSA_SIGNATURES: [(&str, &RsaParameters); 2] = [
    ("rsa-sha2-256", &RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY),
    ("rsa-sha2-512", &RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY),
];

/// The first byte of an uncompressed point of a curve (SEC 1, 2.3.3).
const FULL: u8 = 4;
const POINT: SshFault = SshFault::new("a point is not in full on its curve");
/// The longest name of a kind of key, in bytes (RFC 4251, 6).
const LONGEST_KIND: usize = 64;

/// A public key of OpenSSH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyData {
    kind: String,
    /// The whole key as it is encoded.
    bytes: Vec<u8>,
    material: Material,
    /// The application of a security key.
    application: Option<String>,
}

/// The numbers of a public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Material {
    Ed25519(Point),
    /// A curve and an uncompressed point, which may lie elsewhere.
    Ecdsa(Curve, Vec<u8>),
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// A kind whose signatures are not supported.
    Other,
}

impl KeyData {
    /// Parses a key in the only encoding that OpenSSH accepts: uncompressed points of curves, and exact lengths.
    pub(crate) fn parse(bytes: &[u8]) -> Result<KeyData, SshFault> {
        let mut fields = Fields::new(bytes);
        let kind = fields.text()?;
        let mut application = None;
        let material = match kind {
            ED25519 | SECURITY_ED25519 => Material::Ed25519(point(fields.string()?)?),
            RSA => {
                let (exponent, modulus) = (fields.positive()?.to_vec(), fields.positive()?.to_vec());
                Material::Rsa { modulus, exponent }
            }
            DSA => {
                for _ in 0..4 {
                    fields.positive()?;
                }
                Material::Other
            }
            SECURITY_P256 => ecdsa(&mut fields, "nistp256", Curve::P256)?,
            _ => match ECDSA.iter().find(|(known, ..)| *known == kind) {
                Some((_, name, curve)) => ecdsa(&mut fields, name, *curve)?,
                None if is_foreign(kind) => {
                    fields.string()?;
                    Material::Other
                }
                None => return Err(SshFault::Kind(kind.into())),
            },
        };
        if [SECURITY_ED25519, SECURITY_P256].contains(&kind) {
            application = Some(fields.text()?.to_string());
        }
        fields.end()?;
        Ok(KeyData { kind: kind.into(), bytes: bytes.to_vec(), material, application })
    }

    /// Returns its kind: `ssh-ed25519` and so on.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns whether it is an Ed25519 key that is not in a security key.
    pub fn is_ed25519(&self) -> bool {
        self.kind == ED25519
    }

    /// Returns its fingerprint as OpenSSH shows it: `SHA256:…`.
    pub fn fingerprint(&self) -> String {
        format!("SHA256:{}", STANDARD_NO_PAD.encode(Hash::Sha256.digest(&self.bytes)))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn material(&self) -> &Material {
        &self.material
    }

    /// Returns whether signatures by it can be verified.
    pub(crate) fn is_supported(&self) -> bool {
        self.material != Material::Other
    }

    /// Returns whether it makes signatures of this kind. Those of RSA also state a hash.
    fn makes(&self, kind: &str) -> bool {
        match self.material {
            Material::Rsa { .. } => RSA_SIGNATURES.iter().any(|(known, _)| *known == kind),
            _ => self.kind == kind,
        }
    }

    /// Returns whether a signature matches bytes and this key.
    pub(crate) fn verifies(&self, signed: &[u8], signature: &KeySignature) -> bool {
        let own;
        let signed = match &self.application {
            None => signed,
            Some(application) => {
                let hash = |bytes: &[u8]| Hash::Sha256.digest(bytes);
                own = [hash(application.as_bytes()), signature.counter.clone(), hash(signed)].concat();
                &own
            }
        };
        let made = signature.made.as_slice();
        match &self.material {
            Material::Ed25519(key) => ed25519::verifies(key, signed, made),
            Material::Ecdsa(curve, point) => {
                curve.verifies_numbers(point, &curve.hash().digest(signed), made)
            }
            Material::Rsa { modulus: n, exponent: e } => {
                let row = RSA_SIGNATURES.iter().find(|(known, _)| *known == signature.kind);
                row.is_some_and(|(_, by)| RsaPublicKeyComponents { n, e }.verify(by, signed, made).is_ok())
            }
            Material::Other => false,
        }
    }
}

/// A signature by a key, without the data around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeySignature {
    kind: String,
    /// The whole signature as it is encoded.
    bytes: Vec<u8>,
    /// The signature itself. Of ECDSA: two numbers, each with the length of a coordinate.
    made: Vec<u8>,
    /// The flags and the counter of a security key.
    counter: Vec<u8>,
}

/// The reason why bytes are no signature by a key.
pub(crate) enum SignatureFault {
    Malformed(SshFault),
    /// It is of a kind that the key does not make.
    Kinds,
    /// It is an RSA signature with SHA-1.
    Sha1,
}

impl KeySignature {
    /// Parses a signature by this key.
    pub fn parse(bytes: &[u8], key: &KeyData) -> Result<KeySignature, SignatureFault> {
        let mut fields = Fields::new(bytes);
        let kind = fields.text().map_err(SignatureFault::Malformed)?;
        if !key.makes(kind) {
            let sha1 = kind == RSA && key.kind == RSA;
            return Err(if sha1 { SignatureFault::Sha1 } else { SignatureFault::Kinds });
        }
        KeySignature::read(bytes, kind, &mut fields, key).map_err(SignatureFault::Malformed)
    }

    fn read(
        bytes: &[u8],
        kind: &str,
        fields: &mut Fields<'_>,
        key: &KeyData,
    ) -> Result<KeySignature, SshFault> {
        let made = fields.string()?;
        let made = match key.material {
            Material::Ecdsa(curve, _) => numbers(made, curve.size())?,
            Material::Ed25519(_) if made.len() != ed25519::SIGNATURE => return Err(SHORT),
            _ => made.to_vec(),
        };
        let counter = if key.application.is_some() { fields.bytes(5)? } else { &[] };
        fields.end()?;
        Ok(KeySignature { kind: kind.into(), bytes: bytes.to_vec(), made, counter: counter.to_vec() })
    }

    /// Creates a signature by an Ed25519 key.
    pub fn from_ed25519(made: &[u8; ed25519::SIGNATURE]) -> KeySignature {
        let mut bytes = Vec::new();
        put(&mut bytes, ED25519.as_bytes());
        put(&mut bytes, made);
        KeySignature { kind: ED25519.into(), bytes, made: made.to_vec(), counter: Vec::new() }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn point(bytes: &[u8]) -> Result<Point, SshFault> {
    bytes.try_into().map_err(|_| POINT)
}

/// Reads the name of a curve, which must be this one, and a point.
fn ecdsa(fields: &mut Fields<'_>, name: &str, curve: Curve) -> Result<Material, SshFault> {
    if fields.text()? != name {
        return Err(POINT);
    }
    let point = fields.string()?;
    if point.len() != 1 + 2 * curve.size() || point[0] != FULL {
        return Err(POINT);
    }
    Ok(Material::Ecdsa(curve, point.to_vec()))
}

/// Reads two numbers, and pads each to this length.
fn numbers(bytes: &[u8], size: usize) -> Result<Vec<u8>, SshFault> {
    let mut fields = Fields::new(bytes);
    let mut all = Vec::with_capacity(2 * size);
    for _ in 0..2 {
        let number = fields.positive()?;
        let zeros = size.checked_sub(number.len()).ok_or(LONG)?;
        all.resize(all.len() + zeros, 0);
        all.extend(number);
    }
    fields.end()?;
    Ok(all)
}

/// Returns whether it is the name of a kind that somebody else defined: `name@domain`.
fn is_foreign(kind: &str) -> bool {
    let parts: Vec<&str> = kind.split('@').collect();
    let named = matches!(parts.as_slice(), [name, domain] if !name.is_empty() && !domain.is_empty());
    named && kind.is_ascii() && kind.len() <= LONGEST_KIND
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;

    /// Encodes a key of its fields.
    pub(crate) fn encoded(fields: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        fields.iter().for_each(|field| put(&mut bytes, field));
        bytes
    }

    /// Returns an Ed25519 key with these bytes.
    pub(crate) fn plain(point: [u8; 32]) -> KeyData {
        KeyData::parse(&encoded(&[ED25519.as_bytes(), &point])).unwrap()
    }

    /// Returns the same key in a security key.
    pub(crate) fn security(point: [u8; 32], application: &str) -> KeyData {
        let fields = [SECURITY_ED25519.as_bytes(), &point, application.as_bytes()];
        KeyData::parse(&encoded(&fields)).unwrap()
    }

    /// Returns a key as a line.
    pub(crate) fn line(key: &KeyData) -> String {
        format!("{} {}", key.kind(), STANDARD.encode(key.as_bytes()))
    }

    #[test]
    fn keys_have_one_encoding() {
        let point = [&[4][..], &[7; 64]].concat();
        let short = [&[3][..], &[7; 32]].concat();
        let long = [&[4][..], &[7; 65]].concat();
        let (p256, sk) = (&b"ecdsa-sha2-nistp256"[..], SECURITY_P256.as_bytes());
        for (fields, is_key) in [
            (&[b"ssh-ed25519", &[7; 32][..]][..], true),
            (&[b"ssh-ed25519", &[7; 31][..]], false),
            (&[b"ssh-ed25519", &[7; 32][..], b""], false),
            (&[SECURITY_ED25519.as_bytes(), &[7; 32], b"ssh:"], true),
            (&[SECURITY_ED25519.as_bytes(), &[7; 32]], false),
            (&[SECURITY_ED25519.as_bytes(), &[7; 32], b"\xff"], false),
            (&[p256, b"nistp256", &point], true),
            (&[p256, b"nistp384", &point], false),
            (&[p256, b"nistp256", &short], false),
            (&[p256, b"nistp256", &long], false),
            (&[sk, b"nistp256", &point, b"ssh:"], true),
            (&[sk, b"nistp256", &point], false),
            (&[b"ssh-rsa", &[1, 0, 1], &[0, 0x80, 1]], true),
            (&[b"ssh-rsa", &[1, 0, 1], &[0x80, 1]], false),
            (&[b"ssh-rsa", &[0, 1, 0, 1], &[0, 0x80, 1]], false),
            (&[b"rsa-sha2-512", &[1, 0, 1], &[0, 0x80, 1]], false),
            (&[b"ssh-dss", &[1], &[2], &[3], &[4]], true),
            (&[b"ssh-dss", &[1], &[2], &[3]], false),
            (&[b"key@example.org", b"anything"], true),
            (&[b"key@", b"anything"], false),
            (&[b"key", b"anything"], false),
            (&[], false),
        ] {
            let bytes = encoded(fields);
            assert_eq!(KeyData::parse(&bytes).is_ok(), is_key, "{fields:?}");
            assert!(KeyData::parse(&[&bytes[..], &[0]].concat()).is_err(), "{fields:?}");
        }
    }

    #[test]
    fn signatures_are_of_the_kind_of_their_key() {
        let numbers = encoded(&[&[1], &[0, 0x80]]);
        let full = [&[4][..], &[7; 64]].concat();
        let ecdsa = KeyData::parse(&encoded(&[b"ecdsa-sha2-nistp256", b"nistp256", &full])).unwrap();
        let rsa = KeyData::parse(&encoded(&[b"ssh-rsa", &[1, 0, 1], &[0, 0x80, 1]])).unwrap();
        let parsed = |key: &KeyData, fields: &[&[u8]], behind: &[u8]| {
            let bytes = [&encoded(fields)[..], behind].concat();
            KeySignature::parse(&bytes, key).ok().map(|signature| signature.made)
        };
        let made = parsed(&ecdsa, &[b"ecdsa-sha2-nistp256", &numbers], b"").unwrap();
        assert_eq!((made.len(), made[31], made[63]), (64, 1, 0x80));
        assert!(parsed(&ecdsa, &[b"ecdsa-sha2-nistp256", &numbers[..9]], b"").is_none());
        assert!(parsed(&ecdsa, &[b"ecdsa-sha2-nistp256", &[&numbers[..], &[0]].concat()], b"").is_none());
        assert!(parsed(&ecdsa, &[b"ecdsa-sha2-nistp384", &numbers], b"").is_none());
        assert!(parsed(&rsa, &[b"rsa-sha2-256", &[1; 128]], b"").is_some());
        assert!(parsed(&rsa, &[b"ssh-rsa", &[1; 128]], b"").is_none());
        let key = plain([7; 32]);
        assert!(parsed(&key, &[b"ssh-ed25519", &[1; 64]], b"").is_some());
        assert!(parsed(&key, &[b"ssh-ed25519", &[1; 63]], b"").is_none());
        assert!(parsed(&key, &[b"ssh-ed25519", &[1; 64]], &[0; 5]).is_none());
        let key = security([7; 32], "ssh:");
        assert!(parsed(&key, &[SECURITY_ED25519.as_bytes(), &[1; 64]], &[0; 5]).is_some());
        assert!(parsed(&key, &[SECURITY_ED25519.as_bytes(), &[1; 64]], &[0; 4]).is_none());
    }
}
