//! Time stamps with chains of every kind, most of them slightly wrong, compared with `openssl ts -verify`. A stamp that
//! openssl rejects is never accepted here; if one is rejected only here, the case gives the reason.

use crate::chains::der::{self, int, name, null, octets, oid, seq, tlv};
use crate::chains::keys::{HASHES, Key};
use crate::chains::stamp::{
    Case, Id, MESSAGE, NOW, PRINTABLE, STAMPING, UTF8, authority, directory, id, purposes, usage,
};
use hashmill_sign::Message;
use hashmill_sign::ssh::{Moment, moment};
use hashmill_sign::stamp::{Roots, Stamp};
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

const KEY_USAGE: &str = "2.5.29.15";
const PURPOSES: &str = "2.5.29.37";
const CONSTRAINTS: &str = "2.5.29.19";
const NAMES: &str = "2.5.29.30";
const ALTERNATIVE: &str = "2.5.29.17";

/// A case, and the reason why it is rejected here although openssl accepts it.
struct Row(String, Option<&'static str>, Case);

#[derive(Default)]
struct Matrix(Vec<Row>);

impl Matrix {
    fn add(&mut self, name: impl Into<String>, change: impl FnOnce(&mut Case)) {
        self.stricter(name, None, change);
    }

    fn stricter(
        &mut self,
        name: impl Into<String>,
        why: impl Into<Option<&'static str>>,
        change: impl FnOnce(&mut Case),
    ) {
        let mut case = Case::sound();
        change(&mut case);
        self.0.push(Row(name.into(), why.into(), case));
    }
}

fn matrix() -> Vec<Row> {
    let mut all = Matrix::default();
    all.add("sound", |_| ());
    usages(&mut all);
    authorities(&mut all);
    extensions(&mut all);
    times(&mut all);
    algorithms(&mut all);
    names(&mut all);
    constraints(&mut all);
    chains(&mut all);
    named(&mut all);
    all.0
}

fn usages(all: &mut Matrix) {
    for bit in 0..9 {
        for (who, at) in [("signer", 0), ("authority", 1), ("root", 2)] {
            all.add(format!("keyUsage {bit} alone: {who}"), |case| {
                case.certs[at].with(KEY_USAGE, true, usage(&[bit]));
            });
        }
        all.add(format!("keyUsage digitalSignature and {bit}"), |case| {
            case.tsa().with(KEY_USAGE, true, usage(&[0, bit]));
        });
    }
    all.add("keyUsage digitalSignature, nonRepudiation, not critical", |case| {
        case.tsa().with(KEY_USAGE, false, usage(&[0, 1]));
    });
    all.add("keyUsage empty", |case| {
        case.tsa().with(KEY_USAGE, true, usage(&[]));
    });
    for (who, at) in [("authority", 1), ("root", 2)] {
        all.add(format!("no keyUsage: {who}"), |case| {
            case.certs[at].without(KEY_USAGE);
        });
    }
    let one = "one purpose alone, as RFC 3161 asks: openssl leaves out those that it does not know";
    for (what, why, critical, ids) in [
        ("not critical", None, false, vec![STAMPING]),
        ("and serverAuth", None, true, vec![STAMPING, "1.3.6.1.5.5.7.3.1"]),
        ("serverAuth alone", None, true, vec!["1.3.6.1.5.5.7.3.1"]),
        ("any", None, true, vec!["2.5.29.37.0"]),
        ("and any", None, true, vec![STAMPING, "2.5.29.37.0"]),
        ("and an unknown one", Some(one), true, vec![STAMPING, "1.2.3.4.5"]),
        ("twice", Some(one), true, vec![STAMPING, STAMPING]),
    ] {
        all.stricter(format!("extKeyUsage {what}"), why, |case| {
            case.tsa().with(PURPOSES, critical, purposes(&ids));
        });
    }
    all.add("no extKeyUsage", |case| {
        case.tsa().without(PURPOSES);
    });
    let other = "an authority for other purposes alone does not vouch for stamps";
    for (what, why, ids) in [
        ("timeStamping", None, vec![STAMPING]),
        ("any", None, vec!["2.5.29.37.0"]),
        ("serverAuth", Some(other), vec!["1.3.6.1.5.5.7.3.1"]),
    ] {
        all.stricter(format!("extKeyUsage of the authority {what}"), why, |case| {
            case.mid().with(PURPOSES, false, purposes(&ids));
        });
        all.add(format!("extKeyUsage of the root {what}"), |case| {
            case.root().with(PURPOSES, false, purposes(&ids));
        });
    }
}

fn authorities(all: &mut Matrix) {
    let no_authority = || seq(&[]);
    for (who, at) in [("authority", 1), ("root", 2)] {
        let old = "an authority of version 3 says that it is one (RFC 5280, 4.2.1.9)";
        all.stricter(format!("no basicConstraints: {who}"), old, |case| {
            case.certs[at].without(CONSTRAINTS);
        });
        all.add(format!("no basicConstraints, no keyUsage: {who}"), |case| {
            case.certs[at].without(CONSTRAINTS).without(KEY_USAGE);
        });
        all.add(format!("basicConstraints false: {who}"), |case| {
            case.certs[at].with(CONSTRAINTS, true, no_authority());
        });
        all.add(format!("basicConstraints not critical: {who}"), |case| {
            case.certs[at].with(CONSTRAINTS, false, authority(None));
        });
        for length in 0..3 {
            all.add(format!("pathLenConstraint {length}: {who}"), |case| {
                case.certs[at].with(CONSTRAINTS, true, authority(Some(length)));
            });
        }
        all.add(format!("version 1, no extensions: {who}"), |case| {
            case.certs[at].version = 0;
            case.certs[at].extensions.clear();
        });
        all.stricter(format!("version 1 with extensions: {who}"), "extensions belong to version 3", |case| {
            case.certs[at].version = 0
        });
    }
    for length in 0..3 {
        all.add(format!("pathLenConstraint {length} of the root, two authorities"), |case| {
            case.between("Upper", 4);
            case.root().with(CONSTRAINTS, true, authority(Some(length)));
        });
        all.add(format!("pathLenConstraint {length} of the upper, two authorities"), |case| {
            case.between("Upper", 4).with(CONSTRAINTS, true, authority(Some(length)));
        });
        all.add(format!("pathLenConstraint {length} of the root, one below is self-issued"), |case| {
            renewed(case);
            case.root().with(CONSTRAINTS, true, authority(Some(length)));
        });
    }
    all.add("the signer says that it is an authority", |case| {
        case.tsa().with(CONSTRAINTS, true, authority(None));
    });
    all.add("the signer says that it is none", |case| {
        case.tsa().with(CONSTRAINTS, true, no_authority());
    });
}

/// Adds a root whose new key is signed with its old one.
fn renewed(case: &mut Case) {
    let of = |byte: u8| (octets(&[byte; 20]), seq(&[&tlv(0x80, &[byte; 20])]));
    let (own, by) = (of(4).0, of(3).1);
    case.between("Root", 4).with("2.5.29.14", false, own).with("2.5.29.35", false, by);
    case.root().with("2.5.29.14", false, of(3).0);
    // The key is named, since openssl takes the first issuer with the right name and looks for no other.
    case.mid().with("2.5.29.35", false, of(4).1);
}

fn extensions(all: &mut Matrix) {
    for (who, at) in [("signer", 0), ("authority", 1), ("root", 2)] {
        all.add(format!("an unknown critical extension: {who}"), |case| {
            case.certs[at].with("1.2.3.4.5.6", true, null());
        });
        all.add(format!("an unknown extension: {who}"), |case| {
            case.certs[at].with("1.2.3.4.5.6", false, null());
        });
    }
    let policies = || seq(&[&seq(&[&oid("2.5.29.32.0")])]);
    let point = || {
        let uri = tlv(0x86, b"http://example.org/crl");
        seq(&[&seq(&[&tlv(0xa0, &tlv(0xa0, &uri))])])
    };
    let explicit = "a policy that must be explicit is not followed here";
    let rare = "is not judged here, so must not be critical";
    let rows: Vec<(&'static str, Option<&'static str>, &'static str, Vec<u8>)> = vec![
        ("subjectKeyIdentifier", None, "2.5.29.14", octets(&[1; 20])),
        ("issuerAltName", None, "2.5.29.18", seq(&[&tlv(0x82, b"example.org")])),
        ("cRLDistributionPoints", None, "2.5.29.31", point()),
        ("certificatePolicies", None, "2.5.29.32", policies()),
        ("policyConstraints explicit", Some(explicit), "2.5.29.36", seq(&[&tlv(0x80, &[0])])),
        ("policyConstraints mapping", None, "2.5.29.36", seq(&[&tlv(0x81, &[0])])),
        ("inhibitAnyPolicy", None, "2.5.29.54", int(0)),
        ("authorityInfoAccess", None, "1.3.6.1.5.5.7.1.1", seq(&[])),
        ("privateKeyUsagePeriod", None, "2.5.29.16", seq(&[])),
        ("OCSP no check", Some(rare), "1.3.6.1.5.5.7.48.1.5", null()),
        ("proxyCertInfo", None, "1.3.6.1.5.5.7.1.14", seq(&[&seq(&[&oid("1.3.6.1.5.5.7.21.1")])])),
    ];
    for (what, why, id, contents) in rows {
        for (who, at) in [("signer", 0), ("authority", 1)] {
            all.stricter(format!("critical {what}: {who}"), why, |case| {
                case.certs[at].with(id, true, contents.clone());
            });
        }
    }
    all.add("an extension twice", |case| {
        let again = case.tsa().extensions[0].clone();
        case.tsa().extensions.push(again);
    });
    all.stricter("a critical extension of the stamp", "it asks to be understood", |case| {
        let one = seq(&[&oid("1.2.3.4"), &der::boolean(true), &octets(&null())]);
        case.extensions = tlv(0xa1, &one);
    });
    all.add("an extension of the stamp", |case| {
        case.extensions = tlv(0xa1, &seq(&[&oid("1.2.3.4"), &octets(&null())]));
    });
}

fn times(all: &mut Matrix) {
    for (who, at) in [("signer", 0), ("authority", 1), ("root", 2)] {
        for (what, from, until) in [
            ("ended", "20200101000000Z", "20260101000000Z"),
            ("not begun", "20270101000000Z", "20400101000000Z"),
            ("begins now", NOW, "20400101000000Z"),
            ("ends now", "20200101000000Z", NOW),
            ("ends a second later", "20200101000000Z", "20260601120001Z"),
        ] {
            all.add(format!("{who}: {what}"), |case| {
                (case.certs[at].from, case.certs[at].until) = (from, until);
            });
        }
    }
    all.add("a stamp with fractions of seconds", |case| case.time = "20260601120000.5Z");
    let future = "of a time that is still to come nobody can know";
    all.stricter("a stamp of the future", future, |case| case.time = "20300601120000Z");
}

fn algorithms(all: &mut Matrix) {
    let keys = [Key::P256(9), Key::P384(9), Key::P521(9), Key::Rsa, Key::Ed25519(9)];
    for key in keys {
        for hash in HASHES {
            all.add(format!("signer {key:?} {hash:?}"), |case| {
                (case.tsa().key, case.hash) = (key, hash);
            });
            all.add(format!("authority {key:?} {hash:?}"), |case| {
                (case.mid().key, case.tsa().by, case.tsa().hash) = (key, key, hash);
            });
        }
    }
    for hash in HASHES {
        all.add(format!("signer RSA-PSS {hash:?}"), |case| {
            (case.tsa().key, case.hash, case.pss) = (Key::Rsa, hash, true);
        });
        all.add(format!("authority RSA-PSS {hash:?}"), |case| {
            (case.mid().key, case.tsa().by, case.tsa().hash) = (Key::Rsa, Key::Rsa, hash);
            case.tsa().pss = true;
        });
    }
    all.add("signed with another key", |case| case.tsa().by = Key::P256(77));
    all.add("the authority signed with another key", |case| case.mid().by = Key::P256(77));
}

fn names(all: &mut Matrix) {
    let own = || directory(&name(UTF8, "Example", "TSA"));
    all.add("tsa is the subject", |case| case.tsa = Some(own()));
    all.add("tsa is the subject in another form", |case| {
        case.tsa = Some(directory(&name(PRINTABLE, "EXAMPLE", "  tsa ")));
    });
    all.add("tsa is another", |case| case.tsa = Some(directory(&name(UTF8, "Example", "Other"))));
    all.add("tsa is the issuer", |case| case.tsa = Some(directory(&name(UTF8, "Example", "Mid"))));
    for (what, tsa) in
        [("host", tlv(0x82, b"tsa.example.org")), ("URI", tlv(0x86, b"http://tsa.example.org"))]
    {
        all.add(format!("tsa is a {what} that the certificate does not have"), |case| {
            case.tsa = Some(tsa.clone())
        });
        all.add(format!("tsa is a {what} of the certificate"), |case| {
            case.tsa().with(ALTERNATIVE, false, seq(&[&tlv(0x81, b"a@example.org"), &tsa]));
            case.tsa = Some(tsa.clone());
        });
    }
    all.add("tsa is a directory name besides the subject", |case| {
        let other = directory(&name(UTF8, "Example", "Other"));
        case.tsa().with(ALTERNATIVE, true, seq(&[&other]));
        case.tsa = Some(other);
    });
    for (what, issuer) in [
        ("another case", name(UTF8, "EXAMPLE", "mid")),
        ("another type", name(PRINTABLE, "Example", "Mid")),
        ("more blanks", name(UTF8, " Example  ", "Mid")),
        ("another name", name(UTF8, "Example", "Middle")),
        ("fewer parts", name(UTF8, "Example", "")),
    ] {
        all.add(format!("the issuer in {what}"), |case| case.tsa().issuer = issuer);
    }
    let keyed = |bytes: u8| seq(&[&tlv(0x80, &[bytes; 20])]);
    all.add("authorityKeyIdentifier fits", |case| {
        case.tsa().with("2.5.29.35", false, keyed(5));
        case.mid().with("2.5.29.14", false, octets(&[5; 20]));
    });
    all.add("authorityKeyIdentifier is another's", |case| {
        case.tsa().with("2.5.29.35", false, keyed(6));
        case.mid().with("2.5.29.14", false, octets(&[5; 20]));
    });
    all.add("authorityKeyIdentifier of the root is another's", |case| {
        case.root().with("2.5.29.35", false, keyed(6)).with("2.5.29.14", false, octets(&[5; 20]));
    });
    all.add("authorityKeyIdentifier without the other side", |case| {
        case.tsa().with("2.5.29.35", false, keyed(6));
    });
    for (what, serial, issuer) in
        [("fits", 2, "Root"), ("has another number", 9, "Root"), ("has another name", 2, "Mid")]
    {
        all.add(format!("authorityKeyIdentifier by number {what}"), |case| {
            let names = tlv(0xa1, &directory(&name(UTF8, "Example", issuer)));
            case.tsa().with("2.5.29.35", false, seq(&[&names, &tlv(0x82, &[serial])]));
        });
    }
}

/// Encodes nameConstraints with permitted and excluded bases.
fn trees(permitted: &[Vec<u8>], excluded: &[Vec<u8>]) -> Vec<u8> {
    let list = |tag: u8, bases: &[Vec<u8>]| {
        let all: Vec<Vec<u8>> = bases.iter().map(|base| seq(&[base])).collect();
        if all.is_empty() { Vec::new() } else { tlv(tag, &all.concat()) }
    };
    seq(&[&list(0xa0, permitted), &list(0xa1, excluded)])
}

fn constraints(all: &mut Matrix) {
    let base = |organisation: &str| directory(&name(UTF8, organisation, ""));
    let tsa = |organisation: &str| directory(&name(UTF8, organisation, "TSA"));
    let host = |text: &str| tlv(0x82, text.as_bytes());
    let mail = |text: &str| tlv(0x81, text.as_bytes());
    let compared = "only directory names are compared with constraints";
    for (who, at) in [("authority", 1), ("root", 2)] {
        for (what, contents) in [
            ("permitted", trees(&[base("Example")], &[])),
            ("permitted in another form", trees(&[directory(&name(PRINTABLE, "eXAMPLE ", ""))], &[])),
            ("permitted among others", trees(&[base("Other"), base("Example")], &[])),
            ("another permitted", trees(&[base("Other")], &[])),
            ("longer permitted", trees(&[tsa("Example")], &[])),
            ("excluded", trees(&[], &[base("Example")])),
            ("excluded in another form", trees(&[], &[directory(&name(PRINTABLE, "EXAMPLE", ""))])),
            ("another excluded", trees(&[], &[base("Other")])),
            ("the signer excluded", trees(&[], &[tsa("Example")])),
            ("permitted and the signer excluded", trees(&[base("Example")], &[tsa("Example")])),
            ("hosts permitted", trees(&[host("example.org")], &[])),
            ("hosts and mail excluded", trees(&[], &[host(""), mail("example.org")])),
        ] {
            all.add(format!("nameConstraints {what}: {who}"), |case| {
                case.certs[at].with(NAMES, true, contents.clone());
            });
        }
        all.stricter(format!("nameConstraints of hosts, and one: {who}"), compared, |case| {
            case.tsa().with(ALTERNATIVE, false, seq(&[&host("tsa.example.org")]));
            case.certs[at].with(NAMES, true, trees(&[host("example.org")], &[]));
        });
        all.add(format!("nameConstraints of hosts, and another: {who}"), |case| {
            case.tsa().with(ALTERNATIVE, false, seq(&[&host("tsa.example.com")]));
            case.certs[at].with(NAMES, true, trees(&[host("example.org")], &[]));
        });
        all.add(format!("nameConstraints of hosts, and one as common name: {who}"), |case| {
            case.tsa().subject = name(UTF8, "Example", "tsa.example.com");
            case.certs[at].with(NAMES, true, trees(&[], &[host("example.com")]));
        });
        all.add(format!("nameConstraints of mail, and one: {who}"), |case| {
            case.tsa().with(ALTERNATIVE, false, seq(&[&mail("a@example.com")]));
            case.certs[at].with(NAMES, true, trees(&[mail("example.org")], &[]));
        });
        all.add(format!("nameConstraints excluded as another name: {who}"), |case| {
            case.tsa().with(ALTERNATIVE, false, seq(&[&base("Other")]));
            case.certs[at].with(NAMES, true, trees(&[], &[base("Other")]));
        });
        all.add(format!("nameConstraints with a minimum: {who}"), |case| {
            let tree = seq(&[&base("Example"), &tlv(0x80, &[1])]);
            case.certs[at].with(NAMES, true, seq(&[&tlv(0xa0, &tree)]));
        });
    }
    all.add("nameConstraints of the root that a self-issued authority does not fit", |case| {
        renewed(case);
        case.root().with(NAMES, true, trees(&[], &[directory(&name(UTF8, "Example", "Root"))]));
    });
}

fn chains(all: &mut Matrix) {
    all.add("no root", |case| case.roots = vec![1]);
    all.add("the authority as the only root, which it is not", |case| case.roots = vec![1]);
    all.add("the signer as the only root, which it is not", |case| case.roots = vec![0]);
    all.add("all of them as roots", |case| case.roots = vec![0, 1, 2]);
    all.add("authority and root given, not in the stamp", |case| {
        (case.roots, case.included) = (vec![1, 2], vec![0]);
    });
    all.add("the authority is missing", |case| case.included = vec![0]);
    all.add("the root is in the stamp too", |case| case.included = vec![0, 1, 2]);
    all.add("a signer that signs itself, trusted", |case| {
        let tsa = case.tsa();
        (tsa.issuer, tsa.by) = (tsa.subject.clone(), tsa.key);
        (case.included, case.roots) = (vec![0], vec![0]);
    });
    all.add("a signer that signs itself, not trusted", |case| {
        let tsa = case.tsa();
        (tsa.issuer, tsa.by) = (tsa.subject.clone(), tsa.key);
        case.included = vec![0];
    });
    all.add("a root that is a certificate of a server", |case| {
        case.root().extensions.clear();
        case.root().with(CONSTRAINTS, true, seq(&[])).with(KEY_USAGE, true, usage(&[0, 2]));
        case.root().with(PURPOSES, false, purposes(&["1.3.6.1.5.5.7.3.1"]));
    });
    all.add("straight from the root", |case| {
        let root = case.root().clone();
        (case.tsa().issuer, case.tsa().by) = (root.subject, root.key);
        case.included = vec![0];
    });
    let needed = "a certificate that nobody needs could be changed unseen";
    all.stricter("a foreign certificate besides", needed, |case| {
        let mut other = case.mid().clone();
        (other.subject, other.issuer) = (name(UTF8, "Foreign", "A"), name(UTF8, "Foreign", "B"));
        case.certs.insert(2, other);
        (case.included, case.roots) = (vec![0, 1, 2], vec![3]);
    });
    for (what, status) in [("granted with changes", 1), ("rejected", 2), ("waiting", 3)] {
        all.add(what, |case| case.status = status);
    }
    all.add("a chain of five", |case| {
        case.between("B", 4);
        case.between("C", 5);
        case.between("D", 6);
    });
}

fn named(all: &mut Matrix) {
    let spoilt = |of| Id { spoilt: true, ..id(of) };
    let numbered = |of, serial| Id { serial: Some(serial), ..id(of) };
    let lists: Vec<(&str, Vec<Id>)> = vec![
        ("nothing", vec![]),
        ("the signer", vec![id(0)]),
        ("another", vec![spoilt(0)]),
        ("the authority", vec![id(1)]),
        ("signer and authority", vec![id(0), id(1)]),
        ("signer and root", vec![id(0), id(2)]),
        ("authority and signer", vec![id(1), id(0)]),
        ("signer and another", vec![id(0), spoilt(1)]),
        ("the signer twice", vec![id(0), id(0)]),
        ("the signer by number", vec![numbered(0, 1)]),
        ("the signer by another number", vec![numbered(0, 2)]),
        ("signer and authority by another number", vec![id(0), numbered(1, 7)]),
    ];
    for (what, ids) in lists {
        all.add(format!("names {what}"), |case| case.newer = ids.clone());
        all.add(format!("names {what}, the older way"), |case| {
            (case.older, case.newer) = (ids.clone(), vec![]);
        });
        all.add(format!("names the signer, and {what} the older way"), |case| case.older = ids.clone());
    }
}

/// Returns the verdict of this crate, with the reason of a rejection.
fn ours(case: &Case, now: Moment) -> Result<(), String> {
    let stamp = Stamp::parse(&case.stamp()).map_err(|error| error.to_string())?;
    let roots = Roots::parse(case.pem().as_bytes()).map_err(|error| error.to_string())?;
    let of = stamp.check_message(&mut Message::new(&mut Cursor::new(MESSAGE)), None);
    of.unwrap().map_err(|error| error.to_string())?;
    stamp.by(&roots, now).map(drop).map_err(|error| error.to_string())
}

/// Returns the verdict of openssl at the stated time.
fn theirs(dir: &Path, number: usize, case: &Case) -> Result<(), String> {
    let at = |what: &str| dir.join(format!("{number}.{what}"));
    fs::write(at("tsr"), case.stamp()).unwrap();
    fs::write(at("pem"), case.pem()).unwrap();
    let time = moment(&case.time.replace(".5", "")).unwrap().as_second().to_string();
    let done = Command::new("openssl")
        .args(["ts", "-verify", "-data", "data", "-attime", &time])
        .arg("-in")
        .arg(at("tsr"))
        .arg("-CAfile")
        .arg(at("pem"))
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

#[test]
fn the_verdict_is_that_of_openssl() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("data"), MESSAGE).unwrap();
    let rows = matrix();
    assert!(rows.len() >= 120, "{}", rows.len());
    let now = moment("20270101Z").unwrap();
    let judged: Vec<(usize, Vec<String>)> = thread::scope(|scope| {
        let parts = rows.chunks(rows.len().div_ceil(4)).enumerate().map(|(part, rows)| {
            let dir = dir.path();
            let judge = move || {
                let differs = rows.iter().enumerate().filter_map(|(at, Row(name, why, case))| {
                    let (ours, theirs) = (ours(case, now), theirs(dir, part * 10_000 + at, case));
                    // Never accepted only here; rejected only here if the row gives a reason.
                    let agrees = ours.is_ok() == theirs.is_ok() || ours.is_err() && why.is_some();
                    (!agrees).then(|| format!("{name}: here {ours:?}, openssl {theirs:?}"))
                });
                (rows.len(), differs.collect())
            };
            scope.spawn(judge)
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let differs: Vec<String> = judged.iter().flat_map(|(_, differs)| differs.clone()).collect();
    assert!(differs.is_empty(), "{} of {}:\n{}", differs.len(), rows.len(), differs.join("\n"));
}

#[test]
fn a_stamp_of_the_future_is_told() {
    let mut case = Case::sound();
    assert_eq!(ours(&case, moment("202606011156Z").unwrap()), Ok(()));
    let early = ours(&case, moment("202606011154Z").unwrap());
    assert_eq!(early, Err("it states a time in the future: 2026-06-01T12:00:00Z".into()));
    case.time = "20390601120000Z";
    assert!(ours(&case, Moment::MAX).is_ok());
}

#[test]
fn a_tangle_of_certificates_does_not_take_long() {
    // Twelve authorities with the same name and key, each of which may have issued the others.
    let mut case = Case::sound();
    let mut one = case.mid().clone();
    one.issuer = one.subject.clone();
    one.by = one.key;
    case.certs.truncate(1);
    for serial in 10..40 {
        let mut next = one.clone();
        next.serial = serial;
        next.with("2.5.29.35", false, seq(&[&tlv(0xa1, &directory(&one.issuer)), &tlv(0x82, &[serial ^ 1])]));
        case.certs.push(next);
    }
    case.included = (0..31).collect();
    case.certs.push(Case::sound().root().clone());
    case.roots = vec![31];
    assert!(ours(&case, moment("20270101Z").unwrap()).unwrap_err().contains("foreign"));
}
