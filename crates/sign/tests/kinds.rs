//! Keys of every kind that ssh-keygen makes, or that a security key would: their signatures are verified as ssh-keygen
//! does, and private keys are opened whatever encrypts them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_sign::ssh::{AllowedSigners, moment};
use hashmill_sign::{Error, KeyFile, Message, Signature, SignatureVerdict, Trust};
use p256::ecdsa::signature::hazmat::PrehashSigner;
use ring::digest::{SHA256, SHA512, digest};
use ring::signature::{Ed25519KeyPair, KeyPair};
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Stdio};

const MESSAGE: &[u8] = b"a manifest\n";
const WHO: &str = "alice@example.org";
const PASSPHRASE: &str = "a passphrase with \u{fc}";

fn run(folder: &Path, program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(fs::File::open(folder.join("message")).unwrap());
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("message"), MESSAGE).unwrap();
    folder
}

/// Returns the verdict of this crate on a signature of the message.
fn ours(signature: &[u8], allowed: &str) -> bool {
    let trust = Trust {
        allowed: AllowedSigners::parse(allowed).into_iter().collect(),
        keys: Vec::new(),
        identity: Some(WHO.into()),
        namespace: "file".into(),
        time: moment("20260601Z").unwrap(),
    };
    let Ok(signature) = Signature::parse(signature) else { return false };
    let verdict = trust.judge(&signature, &mut Message::new(&mut Cursor::new(MESSAGE))).unwrap();
    matches!(verdict, SignatureVerdict::Good(good) if good.voucher.is_ok())
}

fn theirs(folder: &Path, signature: &[u8], allowed: &str) -> bool {
    fs::write(folder.join("sig"), signature).unwrap();
    fs::write(folder.join("allowed"), allowed).unwrap();
    run(folder, "ssh-keygen", &["-Y", "verify", "-n", "file", "-I", WHO, "-f", "allowed", "-s", "sig"])
}

fn string(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

/// Encodes a number that is not negative.
fn number(bytes: &[u8]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    match &bytes[zeros..] {
        rest if rest.first().is_some_and(|byte| *byte >= 0x80) => string(&[&[0], rest].concat()),
        rest => string(rest),
    }
}

fn bare(armoured: &[u8]) -> Vec<u8> {
    let lines: String =
        str::from_utf8(armoured).unwrap().lines().filter(|line| !line.starts_with('-')).collect();
    STANDARD.decode(lines).unwrap()
}

fn armour(bytes: &[u8]) -> Vec<u8> {
    let text = STANDARD.encode(bytes);
    let lines: Vec<&str> = text.as_bytes().chunks(70).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n", lines.join("\n")).into_bytes()
}

#[test]
fn signatures_of_every_kind_of_key_are_good_and_changed_ones_are_not() {
    let folder = folder();
    for (kind, bits) in [
        ("ed25519", "256"),
        ("ecdsa", "256"),
        ("ecdsa", "384"),
        ("ecdsa", "521"),
        ("rsa", "1024"),
        ("rsa", "2048"),
        ("rsa", "3072"),
    ] {
        let name = format!("{kind}{bits}");
        assert!(run(folder.path(), "ssh-keygen", &["-q", "-t", kind, "-b", bits, "-N", "", "-f", &name]));
        assert!(run(
            folder.path(),
            "ssh-keygen",
            &["-q", "-Y", "sign", "-n", "file", "-f", &name, "message"]
        ));
        let public = fs::read_to_string(folder.path().join(format!("{name}.pub"))).unwrap();
        let signature = fs::read(folder.path().join("message.sig")).unwrap();
        fs::remove_file(folder.path().join("message.sig")).unwrap();
        let allowed = format!("{WHO} {public}");
        assert!(ours(&signature, &allowed), "{name}");
        let mut bytes = bare(&signature);
        for at in 0..bytes.len() {
            bytes[at] ^= 1 << (at % 8);
            assert!(!ours(&armour(&bytes), &allowed), "{name}: byte {at}");
            bytes[at] ^= 1 << (at % 8);
        }
        assert!(ours(&armour(&bytes), &allowed), "{name}");
    }
}

/// A signature by a security key, field by field.
#[derive(Clone)]
struct Security {
    ecdsa: bool,
    application: &'static [u8],
    signed_application: &'static [u8],
    counter: [u8; 5],
    signed_counter: [u8; 5],
    behind: &'static [u8],
}

impl Security {
    fn sound(ecdsa: bool) -> Security {
        let counter = [1, 0, 0, 1, 7];
        let application = b"ssh:";
        Security {
            ecdsa,
            application,
            signed_application: application,
            counter,
            signed_counter: counter,
            behind: b"",
        }
    }

    fn kind(&self) -> &'static [u8] {
        if self.ecdsa { b"sk-ecdsa-sha2-nistp256@openssh.com" } else { b"sk-ssh-ed25519@openssh.com" }
    }

    fn key(&self) -> Vec<u8> {
        let point = if self.ecdsa {
            let point = self.secret().verifying_key().to_sec1_point(false);
            [string(b"nistp256"), string(point.as_bytes())].concat()
        } else {
            string(self.pair().public_key().as_ref())
        };
        [string(self.kind()), point, string(self.application)].concat()
    }

    fn pair(&self) -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
    }

    fn secret(&self) -> p256::ecdsa::SigningKey {
        p256::ecdsa::SigningKey::from_slice(&[7; 32]).unwrap()
    }

    fn signature(&self) -> Vec<u8> {
        let own = [string(b"file"), string(b""), string(b"sha512")].concat();
        let message = digest(&SHA512, MESSAGE);
        let inner = [b"SSHSIG".as_slice(), &own, &string(message.as_ref())].concat();
        let hash = |bytes: &[u8]| digest(&SHA256, bytes).as_ref().to_vec();
        let signed = [hash(self.signed_application), self.signed_counter.to_vec(), hash(&inner)].concat();
        let made = if self.ecdsa {
            let made: p256::ecdsa::Signature = self.secret().sign_prehash(&hash(&signed)).unwrap();
            let (r, s) = made.split_bytes();
            [number(&r), number(&s)].concat()
        } else {
            self.pair().sign(&signed).as_ref().to_vec()
        };
        let made = [&string(self.kind()), &string(&made), &self.counter[..], self.behind].concat();
        let fields = [string(&self.key()), own, string(&made)].concat();
        armour(&[&b"SSHSIG\0\0\0\x01"[..], &fields].concat())
    }
}

#[test]
fn signatures_of_security_keys_are_judged_as_ssh_keygen_does() {
    let folder = folder();
    for ecdsa in [false, true] {
        let sound = Security::sound(ecdsa);
        let other = [0, 0, 0, 1, 7];
        for (case, good) in [
            (sound.clone(), true),
            (Security { application: b"ssh:x", ..sound.clone() }, false),
            (Security { application: b"ssh:x", signed_application: b"ssh:x", ..sound.clone() }, true),
            (Security { counter: other, ..sound.clone() }, false),
            (Security { behind: b"\0", ..sound.clone() }, false),
        ] {
            let kind = str::from_utf8(case.kind()).unwrap();
            let allowed = format!("{WHO} {kind} {}\n", STANDARD.encode(case.key()));
            let signature = case.signature();
            let name = format!("{kind} {:?} {:?}", case.application, case.counter);
            assert_eq!(ours(&signature, &allowed), good, "{name}");
            assert_eq!(theirs(folder.path(), &signature, &allowed), good, "{name}");
        }
        // A key that nobody touched: ssh-keygen verifies no touch of its signatures either.
        let untouched = Security { counter: other, signed_counter: other, ..sound };
        let allowed = format!(
            "{WHO} {} {}\n",
            str::from_utf8(untouched.kind()).unwrap(),
            STANDARD.encode(untouched.key())
        );
        let signature = untouched.signature();
        assert!(!ours(&signature, &allowed) || theirs(folder.path(), &signature, &allowed));
    }
}

#[test]
fn private_keys_open_whatever_encrypts_them() {
    let folder = folder();
    for cipher in [
        "aes256-ctr",
        "aes192-ctr",
        "aes128-ctr",
        "aes256-cbc",
        "aes192-cbc",
        "aes128-cbc",
        "aes256-gcm@openssh.com",
        "aes128-gcm@openssh.com",
    ] {
        let args = ["-q", "-t", "ed25519", "-Z", cipher, "-a", "4", "-N", PASSPHRASE, "-f", cipher];
        assert!(run(folder.path(), "ssh-keygen", &args), "{cipher}");
        let text = fs::read_to_string(folder.path().join(cipher)).unwrap();
        let parsed = || KeyFile::parse(&text).unwrap();
        assert!(parsed().is_encrypted());
        let protected = |why: &str| why == "it is protected by a passphrase";
        assert!(matches!(parsed().unlock(None), Err(Error::Key(why)) if protected(&why)), "{cipher}");
        assert!(matches!(parsed().unlock(Some("another")), Err(Error::WrongPassphrase)), "{cipher}");
        assert!(matches!(parsed().unlock(Some("")), Err(Error::WrongPassphrase)), "{cipher}");
        let mut signer = parsed().unlock(Some(PASSPHRASE)).unwrap();
        let made = signer.sign(&mut Message::new(&mut Cursor::new(MESSAGE)), "file", "").unwrap();
        let public = fs::read_to_string(folder.path().join(format!("{cipher}.pub"))).unwrap();
        assert!(theirs(folder.path(), &made, &format!("{WHO} {public}")), "{cipher}");
        assert!(ours(&made, &format!("{WHO} {public}")), "{cipher}");
    }
    let args =
        ["-q", "-t", "ed25519", "-Z", "chacha20-poly1305@openssh.com", "-N", PASSPHRASE, "-f", "other"];
    assert!(run(folder.path(), "ssh-keygen", &args));
    let text = fs::read_to_string(folder.path().join("other")).unwrap();
    let Err(error) = KeyFile::parse(&text) else { panic!("a cipher that is not supported") };
    assert!(error.to_string().contains("ssh-keygen -p -Z aes256-ctr"), "{error}");
}

#[test]
fn changed_private_keys_do_not_open() {
    let folder = folder();
    assert!(run(
        folder.path(),
        "ssh-keygen",
        &["-q", "-t", "ed25519", "-N", "", "-C", "comment", "-f", "key"]
    ));
    let text = fs::read_to_string(folder.path().join("key")).unwrap();
    let bytes = bare(text.as_bytes());
    let file = |bytes: &[u8]| {
        let (begin, end) = ("-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----");
        format!("{begin}\n{}\n{end}\n", STANDARD.encode(bytes))
    };
    let opens = |bytes: &[u8]| KeyFile::parse(&file(bytes)).is_ok_and(|key| key.unlock(None).is_ok());
    assert!(opens(&bytes));
    // Only the comment and the random number before the key can be changed; the latter is there twice.
    let comment = bytes.windows(7).rposition(|part| part == b"comment").unwrap();
    for at in (0..bytes.len()).filter(|at| !(comment..comment + 7).contains(at)) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(!opens(&changed), "byte {at}");
    }
    for length in 0..bytes.len() {
        assert!(!opens(&bytes[..length]), "{length} bytes");
    }
    assert!(!opens(&[&bytes[..], &[0]].concat()));
    assert!(KeyFile::parse(&text.replace("\n", "\n ")).is_err());
    assert!(KeyFile::parse(&format!("{text}x")).is_err());
}
