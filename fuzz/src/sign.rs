//! Signatures, keys, files of allowed signers and time stamps from any bytes: no panic, and what is taken for a
//! signature of the message is one.

use hashloom_sign::ssh::{AllowedSigners, Moment};
use hashloom_sign::stamp::{Request, Roots, Stamp};
use hashloom_sign::{KeyFile, Message, PublicKey, Signature, Trust, Verdict};
use std::io::Cursor;

/// Reads the bytes as everything that they might be, and uses what was read.
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
        assert!(!matches!(verdict, Verdict::Good(_)), "{verdict:?}");
    }
    if let Ok(stamp) = Stamp::parse(data) {
        assert!(stamp.is_of(&mut message, None).expect("a message in memory").is_err());
        let _ = stamp.says().authority;
    }
    if let Ok(request) = Request::parse(data) {
        assert_eq!(request.as_bytes(), data);
        assert!(!request.is_of(&mut message).expect("a message in memory"));
    }
    let _ = Roots::parse(data);
    // Keys under a passphrase are not opened: a hostile one may ask for hours of work, as its owner may.
    if let Ok(key) = KeyFile::parse(text)
        && !key.is_encrypted()
        && let Ok(mut signer) = key.unlock(None)
    {
        let _ = signer.sign(&mut message, "file", "comment");
    }
}
