//! Crafted signatures and files of allowed signers, most of them slightly wrong, compared with ssh-keygen and minisign.
//! Input that they reject is never accepted here; if it is rejected only here, the case gives the reason.
//! `HASHMILL_CASES=N` multiplies the number of random cases by N.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashmill_sign::ssh::{AllowedSigners, moment};
use hashmill_sign::{Message, PublicKey, Signature, SignatureVerdict, Trust};
use hashmill_testing::{Random, cases};
use ring::digest;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use std::fmt::Write;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

const KNOWN: &[u8] = include_bytes!("data/known");
const WHO: &str = "alice@example.org";
const TIME: &str = "20260601120000Z";

/// The reason why a case may be rejected here although the program accepts it.
type Stricter = Option<&'static str>;

struct Case {
    name: String,
    stricter: Stricter,
    signature: Vec<u8>,
    /// The file of allowed signers, or the public key.
    trusted: Vec<u8>,
}

fn key() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

/// Returns the public half of the key.
fn point() -> Vec<u8> {
    key().public_key().as_ref().to_vec()
}

fn string(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes(), bytes].concat()
}

fn blob() -> Vec<u8> {
    [string(b"ssh-ed25519"), string(&point())].concat()
}

/// Returns a file that allows this key.
fn allowed() -> Vec<u8> {
    format!("{WHO} ssh-ed25519 {}\n", STANDARD.encode(blob())).into_bytes()
}

/// A signature of OpenSSH, field by field; the signed bytes are derived from the fields.
#[derive(Clone)]
struct Fields {
    magic: Vec<u8>,
    version: u32,
    key: Vec<u8>,
    namespace: Vec<u8>,
    reserved: Vec<u8>,
    signed_reserved: Vec<u8>,
    hash: Vec<u8>,
    kind: Vec<u8>,
    cut: usize,
    more: Vec<u8>,
    behind: Vec<u8>,
}

impl Fields {
    fn sound() -> Fields {
        Fields {
            magic: b"SSHSIG".to_vec(),
            version: 1,
            key: blob(),
            namespace: b"file".to_vec(),
            reserved: Vec::new(),
            signed_reserved: Vec::new(),
            hash: b"sha512".to_vec(),
            kind: b"ssh-ed25519".to_vec(),
            cut: 0,
            more: Vec::new(),
            behind: Vec::new(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let digest = match self.hash.starts_with(b"sha256") {
            true => digest::digest(&digest::SHA256, KNOWN),
            false => digest::digest(&digest::SHA512, KNOWN),
        };
        let own = [string(&self.namespace), string(&self.signed_reserved), string(&self.hash)].concat();
        let signed = [b"SSHSIG".as_slice(), &own, &string(digest.as_ref())].concat();
        let mut made = key().sign(&signed).as_ref().to_vec();
        made.truncate(64 - self.cut);
        let made = [string(&self.kind), string(&made), self.more.clone()].concat();
        [
            self.magic.clone(),
            self.version.to_be_bytes().to_vec(),
            string(&self.key),
            string(&self.namespace),
            string(&self.reserved),
            string(&self.hash),
            string(&made),
            self.behind.clone(),
        ]
        .concat()
    }
}

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";

fn armour(bytes: &[u8]) -> String {
    armour_of(&STANDARD.encode(bytes), 70)
}

fn armour_of(text: &str, width: usize) -> String {
    let lines: Vec<&str> = text.as_bytes().chunks(width).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("{BEGIN}\n{}\n{END}\n", lines.join("\n"))
}

/// Decodes armoured bytes.
fn bare(armoured: &[u8]) -> Vec<u8> {
    let text = str::from_utf8(armoured).unwrap();
    let lines: String = text.lines().filter(|line| !line.starts_with('-')).collect();
    STANDARD.decode(lines).unwrap()
}

fn armours(all: &mut Vec<Case>) {
    let form = Some("only the form that ssh-keygen writes, so that no byte can be changed unseen");
    let sound = Fields::sound().bytes();
    let text = armour(&sound);
    let base = STANDARD.encode(&sound);
    let body = text[BEGIN.len() + 1..text.len() - END.len() - 2].to_string();
    let mut add = |name: &str, stricter: Stricter, signature: String| {
        let name = format!("armour: {name}");
        all.push(Case { name, stricter, signature: signature.into_bytes(), trusted: allowed() });
    };
    add("sound", None, text.clone());
    for width in [1, 2, 64, 69, 71, 76, 1000] {
        add(&format!("lines of {width}"), None, armour_of(&base, width));
    }
    for (name, to) in
        [("CR LF", "\r\n"), ("CR", "\r"), ("LF LF", "\n\n"), ("blank LF", " \n"), ("tab LF", "\t\n")]
    {
        add(&format!("{name} everywhere"), form, text.replace('\n', to));
        add(&format!("{name} in the body"), form, text.replace(&body, &body.replace('\n', to)));
        for at in 1..=3 {
            let mut parts: Vec<String> = text.split_inclusive('\n').map(str::to_string).collect();
            let place = [0, 1, parts.len() - 1][at - 1];
            parts[place] = parts[place].replace('\n', to);
            add(&format!("{name} in line {place}"), form, parts.concat());
        }
    }
    for (name, what) in [
        ("a blank", " "),
        ("a tab", "\t"),
        ("a vertical tab", "\x0b"),
        ("a form feed", "\x0c"),
        ("LF", "\n"),
        ("CR LF", "\r\n"),
        ("a letter", "x"),
        ("a zero byte", "\0"),
        ("a mark of byte order", "\u{feff}"),
        ("a minus", "-"),
        ("=", "="),
    ] {
        add(&format!("{name} in front"), form, format!("{what}{text}"));
        add(&format!("{name} behind"), form, format!("{text}{what}"));
        add(
            &format!("{name} behind the first line"),
            form,
            text.replacen(BEGIN, &format!("{BEGIN}{what}"), 1),
        );
        add(&format!("{name} before the body"), form, text.replacen(&body, &format!("{what}{body}"), 1));
        add(
            &format!("{name} in the body"),
            form,
            text.replacen(&body[9..19], &format!("{what}{}", &body[9..19]), 1),
        );
        add(&format!("{name} behind the body"), form, text.replacen(END, &format!("{what}{END}"), 1));
        add(
            &format!("{name} before the last LF"),
            form,
            text.replacen(&format!("{END}\n"), &format!("{END}{what}\n"), 1),
        );
    }
    add("no LF at the end", None, text.trim_end().to_string());
    add("no last line", None, text.replace(END, ""));
    add("no first line", None, text.replace(BEGIN, ""));
    add("nothing", None, String::new());
    add("no body", None, format!("{BEGIN}\n{END}\n"));
    add("an empty body", None, format!("{BEGIN}\n\n{END}\n"));
    add("small letters", None, text.replace("BEGIN", "begin"));
    add("another name", None, text.replace("SSH", "PGP"));
    add("twice", form, format!("{text}{text}"));
    add("the last line in the body", form, text.replace(END, &format!("{END}\nx\n{END}")));
    add("the first line twice", None, text.replacen(BEGIN, &format!("{BEGIN}\n{BEGIN}"), 1));
    add("of URLs", None, text.replace('+', "-").replace('/', "_"));
    let mut longer = sound.clone();
    for count in 0..3 {
        longer.push(0);
        let text = STANDARD.encode(&longer);
        add(&format!("{count} and one more byte"), None, armour_of(&text, 70));
        add(&format!("{count}: no padding"), None, armour_of(text.trim_end_matches('='), 70));
        add(&format!("{count}: more padding"), None, armour_of(&format!("{text}="), 70));
        add(&format!("{count}: four letters more"), None, armour_of(&format!("{text}===="), 70));
    }
}

fn fields(all: &mut Vec<Case>) {
    let mut add = |name: String, stricter: Stricter, fields: &Fields| {
        let signature = armour(&fields.bytes()).into_bytes();
        all.push(Case { name: format!("fields: {name}"), stricter, signature, trusted: allowed() });
    };
    let covered = Some("the field is covered by nothing, so only its one form is taken");
    let sound = Fields::sound();
    for version in [0, 2, 256, u32::MAX] {
        let stricter = covered.filter(|_| version == 0);
        add(format!("version {version}"), stricter, &Fields { version, ..sound.clone() });
    }
    for magic in ["", "SSHSI", "SSHSIH", "sshsig", "SSHSIGSSHSIG"] {
        add(format!("magic {magic}"), None, &Fields { magic: magic.into(), ..sound.clone() });
    }
    let names: [&[u8]; 9] =
        [b"file", b"", b"file\0", b"fil\0", b"FILE", b"file ", b"git", b"fi\xffle", b"files"];
    let hashes: [&[u8]; 12] = [
        b"sha512",
        b"sha256",
        b"SHA512",
        b"sha384",
        b"sha1",
        b"md5",
        b"",
        b"sha512\0",
        b"sha256,sha512",
        b"sha*",
        b"sha512-256",
        b"sha512 ",
    ];
    let reserved: [&[u8]; 3] = [b"", b"x", b"\0"];
    for namespace in names {
        for hash in hashes {
            let stricter = covered.filter(|_| namespace.ends_with(b"\0") || hash.ends_with(b"\0"));
            let fields = Fields { namespace: namespace.into(), hash: hash.into(), ..sound.clone() };
            add(format!("namespace {namespace:?}, hash {hash:?}"), stricter, &fields);
        }
        for (unsigned, signed) in
            reserved.iter().flat_map(|one| reserved.iter().map(move |other| (one, other)))
        {
            let fields = Fields {
                namespace: namespace.into(),
                reserved: unsigned.to_vec(),
                signed_reserved: signed.to_vec(),
                ..sound.clone()
            };
            add(
                format!("namespace {namespace:?}, reserved {unsigned:?}, signed {signed:?}"),
                covered,
                &fields,
            );
        }
    }
    let certificate: &[u8] = b"ssh-ed25519-cert-v01@openssh.com";
    let kinds: [&[u8]; 9] = [
        b"ssh-ed25519",
        b"ssh-rsa",
        b"rsa-sha2-512",
        b"ssh-dss",
        b"ecdsa-sha2-nistp256",
        b"sk-ssh-ed25519@openssh.com",
        certificate,
        b"",
        b"ssh-ed25519\0",
    ];
    for kind in kinds {
        add(
            format!("kind of the signature {kind:?}"),
            covered,
            &Fields { kind: kind.into(), ..sound.clone() },
        );
        let own = [string(kind), string(&point())].concat();
        add(format!("kind of the key {kind:?}"), covered, &Fields { key: own, ..sound.clone() });
        let own = [string(kind), string(&point()), string(b"ssh:")].concat();
        add(
            format!("kind of the security key {kind:?}"),
            covered,
            &Fields { key: own, kind: kind.into(), ..sound.clone() },
        );
    }
    for cut in [1, 32, 64] {
        add(format!("signature cut by {cut}"), None, &Fields { cut, ..sound.clone() });
    }
    for more in [&b"\0"[..], b"x", b"\0\0\0\0"] {
        add(format!("behind all {more:?}"), None, &Fields { behind: more.into(), ..sound.clone() });
        add(format!("behind the signature {more:?}"), None, &Fields { more: more.into(), ..sound.clone() });
        let own = [blob(), more.to_vec()].concat();
        add(format!("behind the key {more:?}"), None, &Fields { key: own, ..sound.clone() });
    }
}

/// Adds signatures of several kinds of keys, with bytes changed, removed or added.
fn spoilt(all: &mut Vec<Case>) {
    let random = &mut Random(0x9e37_79b9_7f4a_7c15);
    let allowed_all = include_bytes!("data/allowed_signers");
    let files: [&[u8]; 3] =
        [include_bytes!("data/alice.sig"), include_bytes!("data/bob.sig"), include_bytes!("data/carol.sig")];
    for number in 0..cases(120) {
        let mut bytes = bare(random.pick::<&[u8]>(&files));
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = 0,
                2 => drop(bytes.remove(at)),
                3 => bytes.insert(at, random.below(256) as u8),
                _ => bytes.truncate(at + 1),
            }
        }
        let signature = armour(&bytes).into_bytes();
        let stricter = Some("a changed byte that OpenSSH does not look at");
        all.push(Case {
            name: format!("spoilt {number}"),
            stricter,
            signature,
            trusted: allowed_all.to_vec(),
        });
    }
}

/// Adds lines of allowed signers, combined from parts of all kinds.
fn lines(all: &mut Vec<Case>) {
    let encoded = STANDARD.encode(blob());
    let starts = ["", " ", "\t", " \t ", "\r", "\x0b", "\u{feff}", "#", " #", "\0"];
    let principals = [
        WHO,
        "*",
        "*@example.org",
        "bob",
        "bob,alice@example.org",
        "alice@example.org,",
        ",alice@example.org",
        "!bob,*",
        "*,!alice@example.org",
        "!alice@example.org",
        "\"alice@example.org\"",
        "\"alice@example.org",
        "alice@\"example.org\"",
        "\"\"",
        "\"bob alice\",alice@example.org",
        "alice@example.or?",
        "ALICE@EXAMPLE.ORG",
        "alice@example.org\u{e9}",
        "\\*",
        "alice@example.org\\",
        "a\"b\"c",
    ];
    let options = [
        "",
        "namespaces=\"file\"",
        "namespaces=\"git\"",
        "namespaces=\"git,file\"",
        "namespaces=\"*\"",
        "namespaces=\"!git,*\"",
        "namespaces=\"*,!file\"",
        "namespaces=\"\"",
        "namespaces=file",
        "namespaces=\"file",
        "NAMESPACES=\"file\"",
        "namespaces=\"file\",namespaces=\"file\"",
        "namespaces=\"fi\\\"le,file\"",
        "namespaces=\"file\"x",
        "namespaces=\"file\",",
        "namespaces = \"file\"",
        "namespaces=\"a b,file\"",
        "cert-authority",
        "cert-authority,namespaces=\"file\"",
        "cert-authorityx",
        "nosuch",
        "nosuch=\"x\"",
        "no-touch-required",
        "valid-after=\"20250101Z\"",
        "valid-after=\"20270101Z\"",
        "valid-before=\"20250101Z\"",
        "valid-before=\"20270101Z\"",
        "valid-after=\"20260601120000Z\"",
        "valid-before=\"20260601120000Z\"",
        "valid-after=\"20260601120001Z\"",
        "valid-before=\"202606011159Z\"",
        "valid-after=\"20250101UTC\"",
        "valid-after=\"20250101z\"",
        "valid-after=\"20250101utc\"",
        "valid-after=\"20250101\"",
        "valid-after=\"202501011200\"",
        "valid-after=\"2025-01-01\"",
        "valid-after=\"20251301Z\"",
        "valid-after=\"20250230Z\"",
        "valid-after=\"19600101Z\"",
        "valid-after=\"19700101Z\"",
        "valid-before=\"19700101Z\"",
        "valid-after=\"\"",
        "valid-after=20250101Z",
        "valid-after=\"20250101Z\",valid-before=\"20270101Z\"",
        "valid-after=\"20270101Z\",valid-before=\"20250101Z\"",
        "valid-after=\"20250101Z\",valid-after=\"20250101Z\"",
        "valid-after=\"20250101Z\",namespaces=\"file\"",
        "valid-after=\"+0250101Z\"",
        "valid-after=\" 20250101Z\"",
        "valid-before=\"99991231235959Z\"",
        ",",
        ",namespaces=\"file\"",
    ];
    let gaps = [" ", "\t", "  ", " \t", "\x0b", "\r", "\u{a0}", ""];
    let keys = [
        format!("ssh-ed25519 {encoded}"),
        format!("ssh-ed25519\t{encoded}"),
        format!("ssh-ed25519  {encoded}"),
        format!("ssh-rsa {encoded}"),
        format!("SSH-ED25519 {encoded}"),
        format!("ssh-ed25519 {}", encoded.trim_end_matches('=')),
        format!("ssh-ed25519 {encoded}="),
        format!("ssh-ed25519 {}\x0b{}", &encoded[..9], &encoded[9..]),
        format!("ssh-ed25519 {} {}", &encoded[..9], &encoded[9..]),
        format!("ssh-ed25519-cert-v01@openssh.com {encoded}"),
        format!("rsa-sha2-256 {encoded}"),
        "ssh-ed25519".into(),
        "ssh-ed25519 AAAA".into(),
        format!("ssh-ed25519 {}", STANDARD.encode([blob(), vec![0]].concat())),
        encoded.clone(),
        String::new(),
    ];
    let ends = [
        "",
        "\n",
        "\r\n",
        " comment\n",
        "\tcomment\n",
        " \n",
        " #\n",
        " \u{e9}\n",
        "\r",
        "\0",
        "\0x\n",
        " x\0y\n",
        "\x0b\n",
    ];
    let sound = format!("{WHO} ssh-ed25519 {encoded}\n");
    let forms = "a zero byte, which ends a line for ssh-keygen alone; a day that no month has; an option that is empty";
    let strict = ["\0", "20250230", " ,namespaces", "\t,namespaces"];
    let signature = armour(&Fields::sound().bytes()).into_bytes();
    let mut add = |text: String| {
        let name = format!("allowed: {text:?}");
        let bytes = text.replace('\u{e9}', "\u{1}").into_bytes();
        let bytes = bytes.into_iter().map(|byte| if byte == 1 { 0xe9 } else { byte }).collect();
        let stricter = strict.iter().any(|part| text.contains(part)).then_some(forms);
        all.push(Case { name, stricter, signature: signature.clone(), trusted: bytes });
    };
    let line = |start: &str, who: &str, gap: &str, option: &str, key: &str, end: &str| match option {
        "" => format!("{start}{who}{gap}{key}{end}"),
        _ => format!("{start}{who}{gap}{option}{gap}{key}{end}"),
    };
    starts.iter().for_each(|start| add(line(start, WHO, " ", "", &keys[0], "\n")));
    principals.iter().for_each(|who| add(line("", who, " ", "", &keys[0], "\n")));
    options.iter().for_each(|option| add(line("", WHO, " ", option, &keys[0], "\n")));
    gaps.iter().for_each(|gap| add(line("", WHO, gap, "namespaces=\"file\"", &keys[0], "\n")));
    keys.iter().for_each(|key| add(line("", WHO, " ", "", key, "\n")));
    ends.iter().for_each(|end| add(line("", WHO, " ", "", &keys[0], end)));
    add(String::new());
    add(format!("{WHO} {}\n", "x".repeat(5000)));
    add(format!("{},{WHO} {}\n", "x".repeat(1022), keys[0]));
    add(format!("{},{WHO} {}\n", "x".repeat(1023), keys[0]));
    let random = &mut Random(0x1234_5678_9abc_def1);
    let mut any = |sound_part: usize| {
        let mut pick = |all: &[&'static str], usual: &'static str| match random.below(sound_part) {
            0 => *random.pick(all),
            _ => usual,
        };
        let (start, who, gap) = (pick(&starts, ""), pick(&principals, WHO), pick(&gaps, " "));
        let (option, end) = (pick(&options, ""), pick(&ends, "\n"));
        let key = if random.below(sound_part) == 0 { random.pick(&keys) } else { &keys[0] };
        line(start, who, gap, option, key, end)
    };
    // Bad lines before a good one must not hide it.
    for _ in 0..cases(60) {
        add(any(2));
        add(any(2) + &sound);
        add(any(3) + &any(3) + &any(4));
    }
}

fn ours(case: &Case) -> bool {
    let allowed = AllowedSigners::parse(&case.trusted).into_iter().collect();
    let text = String::from_utf8_lossy(&case.trusted);
    let keys = if text.starts_with("untrusted") {
        PublicKey::parse(&text).into_iter().collect()
    } else {
        Vec::new()
    };
    let trust = Trust {
        allowed,
        keys,
        identity: Some(WHO.into()),
        namespace: "file".into(),
        time: moment(TIME).unwrap(),
    };
    let mut source = Cursor::new(KNOWN);
    let Ok(signature) = Signature::parse(&case.signature) else { return false };
    let verdict = trust.judge(&signature, &mut Message::new(&mut source)).unwrap();
    matches!(verdict, SignatureVerdict::Good(good) if good.voucher.is_ok())
}

fn ssh_keygen(dir: &Path, number: usize, case: &Case) -> bool {
    let at = |what: &str| dir.join(format!("{number}.{what}"));
    fs::write(at("sig"), &case.signature).unwrap();
    fs::write(at("allowed"), &case.trusted).unwrap();
    let mut command = Command::new("ssh-keygen");
    command.args(["-Y", "verify", "-n", "file", "-I", WHO]).arg(format!("-Overify-time={TIME}"));
    command.arg("-f").arg(at("allowed")).arg("-s").arg(at("sig")).env("TZ", "UTC");
    runs(command.stdin(fs::File::open(dir.join("known")).unwrap()))
}

fn minisign(dir: &Path, number: usize, case: &Case) -> bool {
    let at = |what: &str| dir.join(format!("{number}.{what}"));
    fs::write(at("minisig"), &case.signature).unwrap();
    fs::write(at("pub"), &case.trusted).unwrap();
    let mut command = Command::new("minisign");
    command
        .args(["-V", "-q", "-m"])
        .arg(dir.join("known"))
        .arg("-p")
        .arg(at("pub"))
        .arg("-x")
        .arg(at("minisig"));
    runs(command.stdin(Stdio::null()))
}

fn runs(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

/// Compares the verdicts of this crate and of a program; returns cases that differ without a reason.
fn campaign(cases: &[Case], program: fn(&Path, usize, &Case) -> bool) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("known"), KNOWN).unwrap();
    let differ = |part: usize, cases: &[Case]| {
        let mut differ = String::new();
        let (mut good, mut stricter) = (0, 0);
        for (at, case) in cases.iter().enumerate() {
            let (here, there) = (ours(case), program(dir.path(), part * 1_000_000 + at, case));
            good += usize::from(here && there);
            stricter += usize::from(!here && there);
            if here != there && (here || case.stricter.is_none()) {
                let _ = writeln!(differ, "{}: here {here}, there {there}", case.name);
            }
        }
        (differ, good, stricter)
    };
    let parts: Vec<_> = thread::scope(|scope| {
        let size = cases.len().div_ceil(4);
        let parts = cases.chunks(size).enumerate();
        let parts: Vec<_> = parts.map(|(part, cases)| scope.spawn(move || differ(part, cases))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let differ: String = parts.iter().map(|(differ, ..)| differ.as_str()).collect();
    let good: usize = parts.iter().map(|(_, good, _)| good).sum();
    let stricter: usize = parts.iter().map(|(.., stricter)| stricter).sum();
    println!("{} cases, {good} good, {stricter} refused here alone", cases.len());
    assert!(differ.is_empty(), "of {} cases, {good} good:\n{differ}", cases.len());
    assert!(good > 10, "{good}");
}

#[test]
fn the_verdict_is_that_of_ssh_keygen() {
    let mut cases = Vec::new();
    armours(&mut cases);
    fields(&mut cases);
    spoilt(&mut cases);
    lines(&mut cases);
    campaign(&cases, ssh_keygen);
}

/// A signature of minisign, line by line.
#[derive(Clone)]
struct Lines {
    comment: Vec<u8>,
    kind: [u8; 2],
    number: [u8; 8],
    weak: bool,
    weak_comment: bool,
    trusted: Vec<u8>,
    /// The line ends of the four lines.
    ends: [&'static str; 4],
    behind: &'static str,
}

impl Lines {
    fn sound() -> Lines {
        Lines {
            comment: b"untrusted comment: x".to_vec(),
            kind: *b"Ed",
            number: *b"12345678",
            weak: false,
            weak_comment: false,
            trusted: b"trusted comment: file:known".to_vec(),
            ends: ["\n"; 4],
            behind: "",
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let made = made(KNOWN, self.weak);
        let first = STANDARD.encode([&self.kind[..], &self.number, &made].concat());
        let own = self.trusted.strip_prefix(b"trusted comment: ").unwrap_or(&self.trusted);
        let second = STANDARD.encode(self::made(&[&made[..], own].concat(), self.weak_comment));
        self.joined(&first, &second)
    }

    /// Returns the lines with signatures of the identity and zero.
    fn forged(&self) -> Vec<u8> {
        let mut made = [0; 64];
        made[0] = 1;
        let first = STANDARD.encode([&self.kind[..], &self.number, &made].concat());
        self.joined(&first, &STANDARD.encode(made))
    }

    fn joined(&self, first: &str, second: &str) -> Vec<u8> {
        let lines = [&self.comment[..], first.as_bytes(), &self.trusted, second.as_bytes()];
        let lines: Vec<Vec<u8>> =
            lines.iter().zip(self.ends).map(|(line, end)| [line, end.as_bytes()].concat()).collect();
        [lines.concat(), self.behind.as_bytes().to_vec()].concat()
    }
}

/// The numbers of the weak signatures by the key: of the file, of its sound signature and the comment, of its weak one
/// and the comment. curve25519-dalek computed them once: they are the product of the private key and the hash.
const WEAK: [&str; 3] = [
    "d83f80060bd3dde54ac8b1eb85fbcde4f9416536cc1f720dccf6c0350531c105",
    "17d92a54cd4e812d60d52de4d15fc91b0bacd3036edafa9fca972f4a36d8f602",
    "b248f104f698b001b2b8f7464163649a049b15a3b5e71fa13506bd674f008203",
];

/// Creates a signature; a weak one has the point with which all signatures by a key are alike.
fn made(message: &[u8], weak: bool) -> [u8; 64] {
    if !weak {
        return key().sign(message).as_ref().try_into().unwrap();
    }
    let all = WEAK.map(|hex| {
        let mut signature = [0; 64];
        signature[0] = 1;
        for (at, byte) in signature[32..].iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
        }
        signature
    });
    // Without a look at its point, it is a good signature.
    let fits =
        |made: &&[u8; 64]| UnparsedPublicKey::new(&ED25519, point()).verify(message, &made[..]).is_ok();
    *all.iter().find(fits).expect("one of the messages with a weak signature")
}

fn mini_key(number: &[u8]) -> String {
    let bytes = [b"Ed", number, &point()].concat();
    format!("untrusted comment: x\n{}\n", STANDARD.encode(bytes))
}

fn mini_cases() -> Vec<Case> {
    let mut all = Vec::new();
    let form = Some("only the form that minisign writes, so that no byte can be changed unseen");
    let own = mini_key(b"12345678");
    let mut add = |name: String, signature: Vec<u8>, trusted: &str| {
        all.push(Case { name, stricter: form, signature, trusted: trusted.as_bytes().to_vec() });
    };
    let sound = Lines::sound();
    let text = |length: usize| "y".repeat(length);
    let comments: Vec<String> = [
        "untrusted comment: ",
        "untrusted comment:",
        "untrusted comment: \u{e9}",
        "untrusted comment: \r",
        "untrusted comment: a\rb",
        "untrusted comment: \0",
        " untrusted comment: ",
        "Untrusted comment: ",
        "trusted comment: ",
        "untrusted comment: \t x ",
    ]
    .into_iter()
    .map(str::to_string)
    .chain(
        [900, 1000, 1002, 1003, 1004, 1005, 1006, 1024, 2048]
            .map(|length| format!("untrusted comment: {}", text(length))),
    )
    .collect();
    let trusted: Vec<String> = [
        "trusted comment: ",
        "trusted comment:",
        "trusted comment: \u{e9}",
        "trusted comment: a\r",
        "trusted comment: a\rb",
        "trusted comment: a\0",
        "trusted comment: \0",
        "trusted comment:  x",
        "trusted comment: x ",
        "trusted comment: \tx\t",
        " trusted comment: x",
        "Trusted comment: x",
        "untrusted comment: x",
        "trusted comment: trusted comment: x",
        "trusted comment: \u{a0}x",
    ]
    .into_iter()
    .map(str::to_string)
    .chain(
        [8000, 8172, 8173, 8174, 8175, 8192, 9000].map(|length| format!("trusted comment: {}", text(length))),
    )
    .collect();
    let ends = ["\n", "\r\n", "\r", "", " \n", "\t\n", "\n\n", "=\n", "\0\n", "x\n", "\x0b\n"];
    for comment in &comments {
        for trusted in &trusted {
            let lines =
                Lines { comment: comment.clone().into(), trusted: trusted.clone().into(), ..sound.clone() };
            add(
                format!("minisign: {comment:.40?} {} {trusted:.40?} {}", comment.len(), trusted.len()),
                lines.bytes(),
                &own,
            );
        }
    }
    for at in 0..4 {
        for (end, other) in ends.iter().flat_map(|end| ends.iter().map(move |other| (*end, *other))) {
            let mut lines = sound.clone();
            (lines.ends[at], lines.ends[(at + 1) % 4]) = (end, other);
            add(
                format!("minisign: line {at} ends with {end:?}, the next with {other:?}"),
                lines.bytes(),
                &own,
            );
        }
    }
    for end in ends {
        add(
            format!("minisign: all end with {end:?}"),
            Lines { ends: [end; 4], ..sound.clone() }.bytes(),
            &own,
        );
    }
    for behind in ["", "\n", "x", "x\n", "\0", "\r\n", " ", "untrusted comment: x\n"] {
        for end in ends {
            let ends = ["\n", "\n", "\n", end];
            add(
                format!("minisign: {behind:?} behind {end:?}"),
                Lines { behind, ends, ..sound.clone() }.bytes(),
                &own,
            );
        }
    }
    for kind in [*b"Ed", *b"ED", *b"ed", *b"eD", [0, 0], *b"Ee"] {
        for number in [*b"12345678", *b"12345679", [0; 8]] {
            for (weak, weak_comment) in [(false, false), (true, false), (false, true), (true, true)] {
                let lines = Lines { kind, number, weak, weak_comment, ..sound.clone() };
                add(
                    format!("minisign: kind {kind:?} number {number:?} weak {weak} {weak_comment}"),
                    lines.bytes(),
                    &own,
                );
            }
        }
    }
    for (name, key) in mini_keys(&own) {
        add(format!("minisign: key {name}"), sound.bytes(), &key);
    }
    // A point of small order as a key: a signature without any secret fits one message in eight or more.
    let mut forged = sound.clone();
    for (name, key) in weak_keys() {
        for text in 0..16 {
            forged.trusted = format!("trusted comment: {text}").into_bytes();
            add(format!("minisign: {name}, {text}"), forged.forged(), &key);
        }
    }
    let random = &mut Random(0xfeed_beef_cafe_f00d);
    let files: [(&[u8], &str); 3] = [
        (include_bytes!("data/known.minisig"), include_str!("data/mini.pub")),
        (include_bytes!("data/known.legacy.minisig"), include_str!("data/mini.pub")),
        (&sound.bytes(), &own),
    ];
    for number in 0..cases(400) {
        let (file, key) = random.pick(&files);
        let mut bytes = file.to_vec();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes.insert(at, *random.pick(b" \t\r\n=\0Ax\xff")),
                2 => drop(bytes.remove(at)),
                3 => bytes.truncate(at + 1),
                _ => bytes[at] = *random.pick(b" \t\r\n=\0Ax\xff"),
            }
        }
        add(format!("minisign: spoilt {number}"), bytes, key);
    }
    all
}

/// Returns all encodings of points of small order as keys.
fn weak_keys() -> Vec<(String, String)> {
    let eighth = [
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ]
    .map(|hex| std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()));
    let low = |byte: u8| std::array::from_fn(|at| if at == 0 { byte } else { 0 });
    let high = |byte: u8| {
        std::array::from_fn(|at| match at {
            0 => byte,
            31 => 0x7f,
            _ => 0xff,
        })
    };
    let points: [[u8; 32]; 7] = [low(0), low(1), eighth[0], eighth[1], high(0xec), high(0xed), high(0xee)];
    let mut all = Vec::new();
    for point in points {
        for sign in [0, 0x80] {
            let mut point = point;
            point[31] |= sign;
            let bytes = [b"Ed12345678", &point[..]].concat();
            let name = format!("a key of small order, {:02x} to {:02x}", point[0], point[31]);
            all.push((name, format!("untrusted comment: x\n{}\n", STANDARD.encode(bytes))));
        }
    }
    all
}

/// Returns public keys that are slightly wrong.
fn mini_keys(own: &str) -> Vec<(&'static str, String)> {
    let encoded = |point: &[u8]| {
        format!("untrusted comment: x\n{}\n", STANDARD.encode([b"Ed12345678", point].concat()))
    };
    let mut high = [0xff; 32];
    (high[0], high[31]) = (0xee, 0x7f);
    let mut identity = [0; 32];
    identity[0] = 1;
    vec![
        ("sound", own.to_string()),
        ("CR LF", own.replace('\n', "\r\n")),
        ("no LF at the end", own.trim_end().to_string()),
        ("no padding", own.replace('=', "")),
        ("a blank in front", own.replacen('\n', "\n ", 1)),
        ("a blank behind", format!("{} \n", own.trim_end())),
        ("more lines", format!("{own}x\n")),
        ("another number", mini_key(b"12345679")),
        ("another kind", own.replacen("RW", "RX", 1)),
        ("cut", own[..own.len() - 9].to_string()),
        ("longer", own.replacen("RW", "RWAA", 1)),
        ("a comment that is too long", format!("untrusted comment: {}\n{own}", "y".repeat(2000))),
        ("all zero", encoded(&[0; 32])),
        ("the identity", encoded(&identity)),
        ("no point of the least form", encoded(&high)),
        ("another", encoded(&[9; 32])),
    ]
}

#[test]
fn the_verdict_is_that_of_minisign() {
    campaign(&mini_cases(), minisign);
}

/// Signatures by certificates are reported as unsupported, not as malformed.
#[test]
fn certificates_are_unsupported() {
    let dir = tempfile::tempdir().unwrap();
    let line = "ssh-keygen -q -t ed25519 -N '' -f ca && ssh-keygen -q -t ed25519 -N '' -f key && \
        ssh-keygen -q -s ca -I id -n alice@example.org key.pub && echo hello > m && rm key.pub && \
        ssh-keygen -q -Y sign -f key-cert.pub -n file m";
    let done = Command::new("sh").args(["-c", line]).current_dir(dir.path()).stderr(Stdio::null()).status();
    assert!(done.unwrap().success());
    let broken = Signature::parse(&fs::read(dir.path().join("m.sig")).unwrap()).unwrap_err();
    let wanted = "not supported: signatures by certificates of OpenSSH (ssh-ed25519-cert-v01@openssh.com)";
    assert_eq!(broken.to_string(), wanted);
}
