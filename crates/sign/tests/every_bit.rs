//! Signatures and time stamps that ssh-keygen, minisign and openssl made of `data/known`: valid as they are, and
//! invalid if any single bit of them, or of the signed file, is flipped.

use hashmill_sign::ssh::{AllowedSigners, Moment, moment};
use hashmill_sign::stamp::{Request, Roots, Stamp};
use hashmill_sign::{Broken, Message, PublicKey, Signature, SignatureVerdict, Trust, Voucher};
use std::io::Cursor;

const KNOWN: &[u8] = include_bytes!("data/known");
const ALICE: &[u8] = include_bytes!("data/alice.sig");
const BOB: &[u8] = include_bytes!("data/bob.sig");
const CAROL: &[u8] = include_bytes!("data/carol.sig");
const MINI: &[u8] = include_bytes!("data/known.minisig");
const LEGACY: &[u8] = include_bytes!("data/known.legacy.minisig");
const STAMP: &[u8] = include_bytes!("data/known.tsr");
const REQUEST: &[u8] = include_bytes!("data/known.tsq");
const ROOT: &[u8] = include_bytes!("data/root.pem");

/// Returns a fixed time, independent of when the tests run.
fn now() -> Moment {
    moment("20261231Z").unwrap()
}

fn trust() -> Trust {
    Trust {
        allowed: vec![AllowedSigners::parse(include_str!("data/allowed_signers")).unwrap()],
        keys: vec![PublicKey::parse(include_str!("data/mini.pub")).unwrap()],
        identity: None,
        namespace: "file".into(),
        time: moment("20260101Z").unwrap(),
    }
}

fn judge(signature: &[u8], message: &[u8], trust: &Trust) -> SignatureVerdict {
    let mut source = Cursor::new(message);
    match Signature::parse(signature) {
        Ok(signature) => trust.judge(&signature, &mut Message::new(&mut source)).unwrap(),
        Err(broken) => SignatureVerdict::Broken(broken),
    }
}

fn counts(signature: &[u8], message: &[u8], trust: &Trust) -> bool {
    matches!(judge(signature, message, trust), SignatureVerdict::Good(good) if good.voucher.is_ok())
}

/// Returns all positions where a flipped bit has no effect.
fn unseen(bytes: &[u8], good: impl Fn(&[u8]) -> bool) -> Vec<(usize, u8)> {
    assert!(good(bytes));
    let mut bytes = bytes.to_vec();
    let mut found = Vec::new();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            if good(&bytes) {
                found.push((at, bit));
            }
            bytes[at] ^= 1 << bit;
        }
    }
    found
}

#[test]
fn signatures_of_openssh() {
    let trust = trust();
    for (signature, who) in
        [(ALICE, "alice@example.org"), (BOB, "bob@example.org,robert@example.org"), (CAROL, "*@example.com")]
    {
        let SignatureVerdict::Good(good) = judge(signature, KNOWN, &trust) else { panic!("{who}") };
        assert_eq!(good.voucher, Ok(Voucher::Principals(who.into())));
    }
    for signature in [ALICE, BOB, CAROL] {
        assert_eq!(unseen(signature, |bytes| counts(bytes, KNOWN, &trust)), []);
    }
    assert_eq!(unseen(KNOWN, |bytes| counts(ALICE, bytes, &trust)), []);
}

#[test]
fn signatures_of_minisign() {
    let trust = trust();
    // The text after "untrusted comment: " is not covered, as its name says. All its bits can be changed, except those
    // that would end the line or make it invalid text.
    let start = "untrusted comment: ".len();
    for signature in [MINI, LEGACY] {
        let end = signature.iter().position(|byte| *byte == b'\n').unwrap();
        let found = unseen(signature, |bytes| counts(bytes, KNOWN, &trust));
        assert!(found.iter().all(|(at, _)| (start..end).contains(at)), "{found:?}");
        assert_eq!(unseen(KNOWN, |bytes| counts(signature, bytes, &trust)), []);
    }
}

#[test]
fn time_stamps() {
    let roots = Roots::parse(ROOT).unwrap();
    let request = Request::parse(REQUEST).unwrap();
    let good = |stamp: &[u8], message: &[u8]| {
        let mut source = Cursor::new(message);
        let mut of = |stamp: &Stamp| {
            stamp.check_message(&mut Message::new(&mut source), Some(&request)).unwrap().is_ok()
        };
        Stamp::parse(stamp).is_ok_and(|stamp| of(&stamp) && stamp.by(&roots, now()).is_ok())
    };
    let seen = Stamp::parse(STAMP).unwrap().by(&roots, now()).unwrap();
    assert_eq!(seen.authority, "CN=Example TSA,O=Example");
    assert!(seen.until > now());
    // The answer around the stamp is not covered: "granted" and "granted with changes" differ in one bit.
    assert_eq!(unseen(STAMP, |bytes| good(bytes, KNOWN)), [(8, 0)]);
    assert_eq!(unseen(KNOWN, |bytes| good(STAMP, bytes)), []);
}

#[test]
fn what_is_wrong_is_said() {
    let trust = trust();
    let other = Trust { namespace: "git".into(), ..trust.clone() };
    let broken = |verdict| match verdict {
        SignatureVerdict::Broken(broken) => broken,
        other => panic!("{other:?}"),
    };
    assert_eq!(broken(judge(ALICE, b"other", &trust)), Broken::Signature);
    assert_eq!(
        broken(judge(ALICE, KNOWN, &other)),
        Broken::Namespace { found: "file".into(), wanted: "git".into() }
    );
    assert!(matches!(broken(judge(b"", KNOWN, &trust)), Broken::Malformed(_)));
    let nobody = Trust { keys: Vec::new(), allowed: Vec::new(), ..trust };
    assert!(
        matches!(judge(MINI, KNOWN, &nobody), SignatureVerdict::Unchecked(number) if number == "91F32667549ED5DB")
    );
    assert!(matches!(judge(ALICE, KNOWN, &nobody), SignatureVerdict::Good(good) if good.voucher.is_err()));
    let mut source = Cursor::new(b"other");
    let stamp = Stamp::parse(STAMP).unwrap();
    assert_eq!(stamp.check_message(&mut Message::new(&mut source), None).unwrap(), Err(Broken::Imprint));
}
