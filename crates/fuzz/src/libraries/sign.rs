//! Signatures, keys, allowed signers and time stamps from any bytes: no panic, and no forged signature is accepted.

use hashmill_sign::ssh::{AllowedSigners, Moment};
use hashmill_sign::stamp::{Request, Roots, Stamp};
use hashmill_sign::{KeyFile, Message, PublicKey, Signature, SignatureVerdict, Trust};
use std::io::Cursor;

/// Parses the bytes as every possible kind, and uses the results.
pub fn sign(data: &[u8]) {
    let mut source = Cursor::new(b"another message");
    let mut message = Message::new(&mut source);
    let text = str::from_utf8(data).unwrap_or_default();
    let trust = Trust {
        allowed: AllowedSigners::parse(data).into_iter().collect(),
        keys: PublicKey::parse(text).into_iter().collect(),
        identity: None,
        namespace: "file".into(),
        time: Moment::UNIX_EPOCH,
    };
    if let Ok(signature) = Signature::parse(data) {
        let verdict = trust.judge(&signature, &mut message).expect("a message in memory");
        assert!(!matches!(verdict, SignatureVerdict::Good(_)), "{verdict:?}");
    }
    if let Ok(stamp) = Stamp::parse(data) {
        assert!(stamp.check_message(&mut message, None).expect("a message in memory").is_err());
        let _ = stamp.says().authority;
    }
    if let Ok(request) = Request::parse(data) {
        assert_eq!(request.as_bytes(), data);
        assert!(!request.is_of(&mut message).expect("a message in memory"));
    }
    let _ = Roots::parse(data);
    // Encrypted keys are not opened: a hostile one may require hours of work, as its owner may choose.
    if let Ok(key) = KeyFile::parse(text)
        && !key.is_encrypted()
        && let Ok(mut signer) = key.unlock(None)
    {
        let _ = signer.sign(&mut message, "file", "comment");
    }
}

/// A line of allowed signers with a valid key.
const LINE: &[u8] =
    b"who@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti\n";

/// Parses any bytes as a file of allowed signers: no panic, every malformed line is reported by its number, and none
/// hides a valid line before or after it.
pub fn allowed_signers(data: &[u8]) {
    let lines = data.split(|byte| *byte == b'\n').count();
    let key = match PublicKey::parse(&String::from_utf8_lossy(&LINE[b"who@example.org ".len()..])) {
        Ok(PublicKey::Ssh(key)) => key,
        other => panic!("{other:?}"),
    };
    for file in [[data, b"\n", LINE].concat(), [LINE, data].concat()] {
        let allowed = AllowedSigners::parse(&file).expect("a good line is in it");
        assert!(allowed.bad().iter().all(|bad| (1..=lines + 1).contains(&bad.number)));
        let who = Some("who@example.org");
        let found = allowed.principals(&key, "file", who, Moment::UNIX_EPOCH);
        assert!(found.is_ok(), "{found:?}");
        let _ = allowed.principals(&key, "git", None, Moment::MAX);
    }
    let _ = AllowedSigners::parse(data).map(|allowed| allowed.bad().len());
}

/// Parses any bytes as a time stamp, as a request, and as a trusted certificate: no panic, and no stamp can be forged
/// for the root of the seeds.
pub fn stamp(data: &[u8]) {
    const ROOT: &[u8] = include_bytes!("../../../sign/tests/data/root.pem");
    const MESSAGE: &[u8] = include_bytes!("../../../sign/tests/data/known");
    let roots = Roots::parse(ROOT).expect("a root");
    if let Ok(stamp) = Stamp::parse(data) {
        let of = stamp
            .check_message(&mut Message::new(&mut Cursor::new(MESSAGE)), None)
            .expect("a message in memory");
        let good = stamp.by(&roots, Moment::MAX).is_ok();
        assert!(!good || of.is_ok(), "a stamp of another message by the root of the seeds");
        let _ = stamp.says().authority;
    }
    let _ = Request::parse(data);
    let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
    pem.push_str(&base64(data));
    pem.push_str("\n-----END CERTIFICATE-----\n");
    let _ = Roots::parse(pem.as_bytes()).map(|_| ());
}

fn base64(data: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |bytes: &[u8]| {
        let bits =
            bytes.iter().enumerate().fold(0u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        let letter = |at: usize| match at <= bytes.len() {
            true => char::from(LETTERS[(bits >> (18 - 6 * at)) as usize & 63]),
            false => '=',
        };
        [letter(0), letter(1), letter(2), letter(3)]
    };
    data.chunks(3).flat_map(group).collect()
}
