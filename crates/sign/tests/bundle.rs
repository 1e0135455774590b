//! Bundles with keys that OpenSSL created: signed payloads open, and nothing else does.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_sign::bundle::{Bundle, Curve, EcKeyFile, EcPublicKey, sign};
use hashmill_sign::{Broken, Error};
use std::process::Command;

const KIND: &str = "application/vnd.in-toto+json";
const PASSPHRASE: &str = "a passphrase with \u{fc}";
const PROTECTED: &str = "it is protected by a passphrase";
const UNSUPPORTED: &str = "it is encrypted in a way that is not supported";

fn openssl(args: &[&str]) -> String {
    let output = Command::new("openssl").args(args).output().expect("openssl");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Creates a private key on a curve. Returns it and its public half.
fn pair(folder: &std::path::Path, curve: &str) -> (String, String) {
    let file = folder.join(curve);
    let name = file.to_str().unwrap();
    let option = format!("ec_paramgen_curve:{curve}");
    openssl(&["genpkey", "-algorithm", "EC", "-pkeyopt", &option, "-out", name]);
    (std::fs::read_to_string(&file).unwrap(), openssl(&["pkey", "-in", name, "-pubout"]))
}

#[test]
fn what_is_signed_opens_with_its_key_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (name, curve) in [("P-256", Curve::P256), ("P-384", Curve::P384), ("P-521", Curve::P521)] {
        let (private, public) = pair(folder.path(), name);
        let key = EcPublicKey::parse(&public).unwrap();
        assert_eq!(key.curve(), curve);
        let signer = EcKeyFile::parse(&private).unwrap().unlock(None).unwrap();
        assert_eq!(*signer.public(), key);
        let bundle = sign(&signer, KIND, b"{}\n").unwrap();
        let open = |key: &EcPublicKey, kind: &str| Bundle::parse(&bundle).unwrap().open(key, kind);
        let opened = open(&key, KIND).unwrap();
        assert_eq!((&opened.payload[..], opened.names_key), (&b"{}\n"[..], true));
        let other = open(&key, "text/plain");
        let wanted = format!("malformed: its payload has the type '{KIND}'");
        assert_eq!(other.unwrap_err().to_string(), wanted);
        let (_, foreign) = pair(folder.path(), name);
        let foreign = EcPublicKey::parse(&foreign).unwrap();
        assert_eq!(open(&foreign, KIND), Err(Broken::OtherKey));
        let text = String::from_utf8(bundle.clone()).unwrap().replace(&key.hint(), "");
        let unnamed = Bundle::parse(text.as_bytes()).unwrap();
        assert!(!unnamed.clone().open(&key, KIND).unwrap().names_key);
        assert_eq!(unnamed.open(&foreign, KIND), Err(Broken::Signature));
    }
}

#[test]
fn every_bit_of_a_bundle_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (private, public) = pair(folder.path(), "P-256");
    let key = EcPublicKey::parse(&public).unwrap();
    let signer = EcKeyFile::parse(&private).unwrap().unlock(None).unwrap();
    let bundle = sign(&signer, KIND, b"{\"a\": [1, 2]}").unwrap();
    for bit in 0..bundle.len() * 8 {
        let mut changed = bundle.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let opened = Bundle::parse(&changed).and_then(|bundle| bundle.open(&key, KIND));
        assert!(opened.is_err(), "bit {bit}: {}", String::from_utf8_lossy(&changed));
    }
}

#[test]
fn keys_under_a_passphrase_are_opened_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let (_, public) = pair(folder.path(), "P-384");
    let plain = folder.path().join("P-384");
    let pass = format!("pass:{PASSPHRASE}");
    for options in [
        &["-v2", "aes-256-cbc"][..],
        &["-v2", "aes-192-cbc", "-v2prf", "hmacWithSHA384"],
        &["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512"],
        &["-scrypt"],
    ] {
        let args = ["pkcs8", "-topk8", "-in", plain.to_str().unwrap(), "-passout", &pass];
        let key = EcKeyFile::parse(&openssl(&[&args[..], options].concat())).unwrap();
        assert!(key.is_encrypted());
        assert!(matches!(key.unlock(None), Err(Error::Key(why)) if why == PROTECTED), "{options:?}");
        assert!(matches!(key.unlock(Some("another")), Err(Error::WrongPassphrase)), "{options:?}");
        let signer = key.unlock(Some(PASSPHRASE)).unwrap();
        assert_eq!(*signer.public(), EcPublicKey::parse(&public).unwrap());
    }
    for options in [&["-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA1"][..], &["-v2", "des3"]] {
        let args = ["pkcs8", "-topk8", "-in", plain.to_str().unwrap(), "-passout", &pass];
        let key = EcKeyFile::parse(&openssl(&[&args[..], options].concat())).unwrap();
        let refused = key.unlock(Some(PASSPHRASE));
        assert!(matches!(refused, Err(Error::Key(why)) if why == UNSUPPORTED), "{options:?}");
    }
}

/// A private key may hold its public half, which must be its own; in each form that openssl writes.
#[test]
fn private_keys_have_their_own_public_half() {
    let folder = tempfile::tempdir().unwrap();
    for curve in ["P-256", "P-384", "P-521"] {
        let (private, public) = pair(folder.path(), curve);
        let file = folder.path().join(curve);
        let old = openssl(&["ec", "-in", file.to_str().unwrap()]);
        assert!(old.contains("BEGIN EC PRIVATE KEY"));
        for text in [private, old] {
            let signer = EcKeyFile::parse(&text).unwrap().unlock(None).unwrap();
            assert_eq!(*signer.public(), EcPublicKey::parse(&public).unwrap());
            let (begin, rest) = text.split_once("KEY-----\n").unwrap();
            let (body, end) = rest.split_once("-----END").unwrap();
            let mut bytes = STANDARD.decode(body.replace('\n', "")).unwrap();
            // The last byte is that of the public half.
            *bytes.last_mut().unwrap() ^= 1;
            let changed = format!("{begin}KEY-----\n{}\n-----END{end}", STANDARD.encode(&bytes));
            assert!(EcKeyFile::parse(&changed).unwrap().unlock(None).is_err(), "{curve}");
            bytes.truncate(bytes.len() - 1);
            let cut = format!("{begin}KEY-----\n{}\n-----END{end}", STANDARD.encode(&bytes));
            assert!(EcKeyFile::parse(&cut).unwrap().unlock(None).is_err(), "{curve}");
        }
    }
}
