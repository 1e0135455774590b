//! Certificates and time stamps, valid unless a test changes them.

use super::der::{bits, boolean, int, name, octets, oid, seq, set, time, tlv};
use super::keys::{Hash, Key};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

pub const MESSAGE: &[u8] = b"a manifest\n";
pub const UTF8: u8 = 0x0c;
pub const PRINTABLE: u8 = 0x13;
pub const NOW: &str = "20260601120000Z";

pub const STAMPING: &str = "1.3.6.1.5.5.7.3.8";

#[derive(Clone)]
pub struct Cert {
    pub subject: Vec<u8>,
    pub issuer: Vec<u8>,
    pub key: Key,
    pub by: Key,
    pub hash: Hash,
    pub pss: bool,
    pub version: u8,
    pub serial: u8,
    pub from: &'static str,
    pub until: &'static str,
    /// The identifier, whether it is critical, and the contents of each.
    pub extensions: Vec<(&'static str, bool, Vec<u8>)>,
}

/// A stamp, and the roots to verify it with.
#[derive(Clone)]
pub struct Case {
    /// The signer's certificate first, then the others up to the root.
    pub certs: Vec<Cert>,
    /// The certificates that are included in the stamp.
    pub included: Vec<usize>,
    pub roots: Vec<usize>,
    pub tsa: Option<Vec<u8>>,
    pub status: u8,
    pub time: &'static str,
    pub hash: Hash,
    pub pss: bool,
    /// The certificates that the signature names, in SigningCertificate and in SigningCertificateV2.
    pub older: Vec<Id>,
    pub newer: Vec<Id>,
    pub extensions: Vec<u8>,
}

/// A reference to a certificate, with or without the issuer's serial number and name.
#[derive(Clone, Copy)]
pub struct Id {
    pub of: usize,
    pub serial: Option<u8>,
    pub spoilt: bool,
}

pub fn id(of: usize) -> Id {
    Id { of, serial: None, spoilt: false }
}

pub fn authority(longest: Option<u8>) -> Vec<u8> {
    let longest = longest.map(int).unwrap_or_default();
    seq(&[&boolean(true), &longest])
}

/// Encodes a keyUsage with these bits, 0 to 8.
pub fn usage(set_bits: &[u8]) -> Vec<u8> {
    let mut bytes = [0u8; 2];
    for bit in set_bits {
        bytes[usize::from(bit / 8)] |= 0x80 >> (bit % 8);
    }
    let used = if bytes[1] != 0 { 2 } else { usize::from(bytes[0] != 0) };
    let unused = if used == 0 { 0 } else { bytes[used - 1].trailing_zeros() as u8 };
    tlv(3, &[&[unused], &bytes[..used]].concat())
}

pub fn purposes(ids: &[&str]) -> Vec<u8> {
    let ids: Vec<Vec<u8>> = ids.iter().map(|id| oid(id)).collect();
    tlv(0x30, &ids.concat())
}

/// Encodes a general name that is a directory name.
pub fn directory(name: &[u8]) -> Vec<u8> {
    tlv(0xa4, name)
}

impl Cert {
    pub fn without(&mut self, id: &str) -> &mut Cert {
        self.extensions.retain(|(other, ..)| *other != id);
        self
    }

    /// Adds or replaces an extension.
    pub fn with(&mut self, id: &'static str, critical: bool, contents: Vec<u8>) -> &mut Cert {
        self.without(id).extensions.push((id, critical, contents));
        self
    }

    pub fn der(&self) -> Vec<u8> {
        let algorithm = self.by.algorithm(self.hash, self.pss);
        let version = tlv(0xa0, &int(self.version));
        let extensions = self.extensions.iter().map(|(id, critical, contents)| {
            let critical = if *critical { boolean(true) } else { Vec::new() };
            seq(&[&oid(id), &critical, &octets(contents)])
        });
        let extensions = extensions.collect::<Vec<_>>().concat();
        let tbs = seq(&[
            if self.version == 0 { &[] } else { &version },
            &int(self.serial),
            &algorithm,
            &self.issuer,
            &seq(&[&time(self.from), &time(self.until)]),
            &self.subject,
            &self.key.public(),
            &if extensions.is_empty() { Vec::new() } else { tlv(0xa3, &tlv(0x30, &extensions)) },
        ]);
        let signature = self.by.sign(self.hash, self.pss, &tbs);
        seq(&[&tbs, &algorithm, &bits(&signature)])
    }
}

impl Case {
    /// Creates a root, an authority below it, and a certificate for stamps.
    pub fn sound() -> Case {
        let cert = |who: &str, by: &str, key: u8, issuer: u8| Cert {
            subject: name(UTF8, "Example", who),
            issuer: name(UTF8, "Example", by),
            key: Key::P256(key),
            by: Key::P256(issuer),
            hash: Hash::Sha256,
            pss: false,
            version: 2,
            serial: key,
            from: "20200101000000Z",
            until: "20400101000000Z",
            extensions: Vec::new(),
        };
        let mut tsa = cert("TSA", "Mid", 1, 2);
        tsa.with("2.5.29.37", true, purposes(&[STAMPING]));
        let mut mid = cert("Mid", "Root", 2, 3);
        mid.with("2.5.29.19", true, authority(None)).with("2.5.29.15", true, usage(&[5, 6]));
        let mut root = cert("Root", "Root", 3, 3);
        root.with("2.5.29.19", true, authority(None)).with("2.5.29.15", true, usage(&[5, 6]));
        Case {
            certs: vec![tsa, mid, root],
            included: vec![0, 1],
            roots: vec![2],
            tsa: None,
            status: 0,
            time: NOW,
            hash: Hash::Sha256,
            pss: false,
            older: Vec::new(),
            newer: vec![id(0)],
            extensions: Vec::new(),
        }
    }

    pub fn tsa(&mut self) -> &mut Cert {
        &mut self.certs[0]
    }

    pub fn mid(&mut self) -> &mut Cert {
        &mut self.certs[1]
    }

    pub fn root(&mut self) -> &mut Cert {
        self.certs.last_mut().unwrap()
    }

    /// Inserts an authority between the last two certificates, and returns it.
    pub fn between(&mut self, who: &str, key: u8) -> &mut Cert {
        let root = self.certs.len() - 1;
        let mut new = self.certs[root].clone();
        new.subject = name(UTF8, "Example", who);
        (new.key, new.serial) = (Key::P256(key), key);
        self.certs[root - 1].issuer = new.subject.clone();
        self.certs[root - 1].by = new.key;
        self.certs.insert(root, new);
        self.included.push(root);
        self.roots = vec![root + 1];
        &mut self.certs[root]
    }

    fn named(&self, ders: &[Vec<u8>], id: Id, older: bool) -> Vec<u8> {
        let (cert, der) = (&self.certs[id.of], &ders[id.of]);
        let mut hash = match older {
            true => digest(&SHA1_FOR_LEGACY_USE_ONLY, der).as_ref().to_vec(),
            false => Hash::Sha256.digest(der),
        };
        hash[0] ^= u8::from(id.spoilt);
        let serial = id.serial.map(|serial| seq(&[&seq(&[&directory(&cert.issuer)]), &int(serial)]));
        seq(&[&octets(&hash), &serial.unwrap_or_default()])
    }

    /// Encodes the answer of an authority.
    pub fn stamp(&self) -> Vec<u8> {
        // Only once, since signatures with PSS are never the same.
        let ders: Vec<Vec<u8>> = self.certs.iter().map(Cert::der).collect();
        let imprint = seq(&[&Hash::Sha256.id(), &octets(&Hash::Sha256.digest(MESSAGE))]);
        let info = seq(&[
            &int(1),
            &oid("1.2.3.4.1"),
            &imprint,
            &int(9),
            &time(self.time),
            &self.tsa.as_ref().map(|tsa| tlv(0xa0, tsa)).unwrap_or_default(),
            &self.extensions,
        ]);
        let attribute = |id: &str, value: &[u8]| seq(&[&oid(id), &set(value)]);
        let list = |ids: &[Id], older: bool| {
            let ids: Vec<Vec<u8>> = ids.iter().map(|id| self.named(&ders, *id, older)).collect();
            seq(&[&tlv(0x30, &ids.concat())])
        };
        let mut attributes = vec![
            attribute("1.2.840.113549.1.9.3", &oid("1.2.840.113549.1.9.16.1.4")),
            attribute("1.2.840.113549.1.9.4", &octets(&self.hash.digest(&info))),
        ];
        if !self.older.is_empty() {
            attributes.push(attribute("1.2.840.113549.1.9.16.2.12", &list(&self.older, true)));
        }
        if !self.newer.is_empty() {
            attributes.push(attribute("1.2.840.113549.1.9.16.2.47", &list(&self.newer, false)));
        }
        attributes.sort();
        let attributes = attributes.concat();
        let tsa = &self.certs[0];
        let signer = seq(&[
            &int(1),
            &seq(&[&tsa.issuer, &int(tsa.serial)]),
            &self.hash.id(),
            &tlv(0xa0, &attributes),
            &tsa.key.algorithm(self.hash, self.pss),
            &octets(&tsa.key.sign(self.hash, self.pss, &tlv(0x31, &attributes))),
        ]);
        let mut certificates: Vec<Vec<u8>> = self.included.iter().map(|at| ders[*at].clone()).collect();
        certificates.sort();
        let data = seq(&[
            &int(3),
            &set(&self.hash.id()),
            &seq(&[&oid("1.2.840.113549.1.9.16.1.4"), &tlv(0xa0, &octets(&info))]),
            &tlv(0xa0, &certificates.concat()),
            &set(&signer),
        ]);
        let token = seq(&[&oid("1.2.840.113549.1.7.2"), &tlv(0xa0, &data)]);
        let token = if self.status < 2 { token } else { Vec::new() };
        seq(&[&seq(&[&int(self.status)]), &token])
    }

    pub fn pem(&self) -> String {
        use base64::Engine;
        let text = |at: &usize| base64::engine::general_purpose::STANDARD.encode(self.certs[*at].der());
        let one =
            |at| format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", wrapped(&text(at)));
        self.roots.iter().map(one).collect()
    }
}

fn wrapped(text: &str) -> String {
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
    lines.join("\n")
}
