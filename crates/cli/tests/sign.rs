//! `hashmill sign` and `verify`, `hash --sign`, and the handling of signatures in `audit` and `check`: with ssh-keygen,
//! ssh-agent and minisign as the other side.

use crate::case;
use crate::util::{Place, Ran};
use std::os::unix::fs::PermissionsExt;

/// Makes a manifest, keys of two OpenSSH signers, and a file that allows them.
fn signers(t: &Place) -> &Place {
    t.file("tree/a", "aaa").file("tree/b", "bbb");
    t.run("hash -c sha256 -o known tree").code(0).quiet();
    for name in ["alice", "bob"] {
        t.shell(&format!("ssh-keygen -q -t ed25519 -N '' -C {name} -f {name}")).code(0);
        t.shell(&format!("echo \"{name}@example.org $(cut -d' ' -f1,2 {name}.pub)\" >> allowed")).code(0);
    }
    t
}

/// ssh-keygen's own verdict on a signature.
fn ssh_keygen(t: &Place, signature: &str, who: &str) -> Ran {
    t.shell(&format!("ssh-keygen -Y verify -f allowed -I {who}@example.org -n file -s {signature} < known"))
}

fn flip(t: &Place, name: &str, at: usize) {
    let mut bytes = t.read(name);
    bytes[at] ^= 1;
    t.file(name, bytes);
}

case!(ssh_keygen_accepts_ours, |t| {
    signers(t)
        .run("sign known --key alice")
        .code(0)
        .is("")
        .says("known.sig: signed with the key ssh-ed25519 SHA256:");
    ssh_keygen(t, "known.sig", "alice").code(0).prints("Good \"file\" signature for alice@example.org");
    ssh_keygen(t, "known.sig", "bob").code(255);
    t.shell("ssh-keygen -Y check-novalidate -n file -s known.sig < known").code(0);
    t.run("sign known --key alice --namespace mine@example.org -o other.sig").code(0);
    t.shell("ssh-keygen -Y check-novalidate -n mine@example.org -s other.sig < known").code(0);
    ssh_keygen(t, "other.sig", "alice").code(255);
});

case!(what_was_signed_is_json_for_programs, |t| {
    signers(t);
    let json = t.run("sign known --key alice --key bob -f json").code(0).quiet().json();
    let all = json.as_array().unwrap();
    let of = |key: &str| all.iter().map(|one| one[key].as_str().unwrap().to_string()).collect::<Vec<_>>();
    assert_eq!(
        (of("file"), of("signature")),
        (vec!["known".into(); 2], vec!["known.sig".into(), "known.2.sig".into()])
    );
    assert!(of("key").iter().all(|key| key.starts_with("ssh-ed25519 SHA256:")), "{json}");
    let line = t.run("sign known --key alice -o x.sig -f jsonl").code(0).quiet().json();
    assert_eq!((&line["signature"], line.get("entries")), (&"x.sig".into(), None));
});

case!(nothing_is_signed_where_an_output_has_no_place, |t| {
    signers(t);
    for places in [
        "--key alice --timestamp-request none/x",
        "--key alice --key bob -o alice.sig -o none/x",
        "--key alice --timestamp http://127.0.0.1:1/ --timestamp-request none/x",
    ] {
        t.run(&format!("sign known {places}")).code(2).says("none/x");
        for signature in ["known.sig", "known.2.sig", "alice.sig", "known.tsr"] {
            assert!(!t.has(signature), "{places}: {signature}");
        }
    }
    // No secret is made, and nothing is read.
    t.run("seal create known -o none/x --secret salts").code(2).says("none/x");
    assert!(!t.has("salts"));
    t.run("seal create known").code(0);
    t.run("proof create known no-such-record -o none/x").code(2).says("none/x").quiet_about("no-such-record");
});

case!(ours_accepts_what_ssh_keygen_made, |t| {
    signers(t).shell("ssh-keygen -q -Y sign -f alice -n file known").code(0);
    let verify = "verify known --allowed-signers allowed";
    t.run(verify)
        .code(0)
        .quiet()
        .prints("known.sig: good signature by alice@example.org, key ssh-ed25519 SHA256:");
    t.run("verify known --public-key alice.pub").code(0).prints("good signature by the key ssh-ed25519");
    let json = t.run(&format!("{verify} -f json")).code(0).json();
    assert_eq!((&json["verified"], &json["found"], &json["needed"]), (&true.into(), &1.into(), &1.into()));
    assert_eq!(json["signatures"][0]["path"], "known.sig");
    let json = t.run("verify known -f json --public-key bob.pub").code(1).json();
    assert_eq!((&json["verified"], &json["found"]), (&false.into(), &0.into()));
    t.run("verify known --public-key bob.pub").code(1).says("0 of 1 required");
    t.run(&format!("{verify} --identity alice@example.org")).code(0);
    t.run(&format!("{verify} --identity bob@example.org"))
        .code(1)
        .prints("allowed for other identities only");
    t.run(&format!("{verify} --namespace git"))
        .code(1)
        .prints("BROKEN signature: made for the namespace 'file'");
    for (kind, name) in [("ecdsa", "carol"), ("rsa -b 2048", "dave")] {
        t.shell(&format!("ssh-keygen -q -t {kind} -N '' -f {name} && rm known.sig && ssh-keygen -q -Y sign -f {name} -n file known")).code(0);
        t.run(&format!("verify known --public-key {name}.pub")).code(0);
        t.run(&format!("sign known --key {name}")).code(64).says("only ssh-ed25519 keys");
    }
    t.shell("rm known.sig; ssh-keygen -q -Y sign -f alice -O hashalg=sha256 -n file known").code(0);
    t.run(verify).code(0);
});

case!(minisign_and_ours_accept_each_other, |t| {
    signers(t).shell("minisign -G -W -p mini.pub -s mini.key > /dev/null").code(0);
    t.run("sign known --key mini.key").code(0).says("known.minisig: signed with the key minisign ");
    t.shell("minisign -V -p mini.pub -m known").code(0).prints("file:known");
    t.run("verify known --public-key mini.pub")
        .code(0)
        .prints("known.minisig: good signature by the key minisign ");
    t.run("verify known --allowed-signers allowed").code(1).prints("not checked: the public key");
    t.shell("rm known.minisig; minisign -S -s mini.key -m known > /dev/null").code(0);
    t.run("verify known --public-key mini.pub").code(0);
    t.shell("rm known.minisig; minisign -S -l -s mini.key -m known > /dev/null").code(0);
    t.run("verify known --public-key mini.pub").code(0);
    t.run("sign known --key mini.key --key-format ssh").code(64).says("--key-format");
    t.run("sign known --key mini.key --agent").code(64).says("agents have no keys of minisign");
    t.run("sign known --key mini.pub").code(64).says("a public key of minisign can't sign");
});

case!(a_changed_byte_is_1_and_a_missing_file_2, |t| {
    signers(t).run("sign known --key alice").code(0);
    let verify = "verify known --allowed-signers allowed";
    flip(t, "known", 40);
    t.run(verify).code(1).prints("known.sig: BROKEN signature: the signature does not fit these bytes");
    flip(t, "known", 40);
    flip(t, "known.sig", 100);
    t.run(verify).code(1).prints("known.sig: BROKEN");
    t.run("verify known --allowed-signers allowed --signature nosuch").code(2).prints("nosuch: cannot read");
    t.run("verify nosuch --allowed-signers allowed").code(2).says("nosuch: cannot read");
    t.remove("known.sig").run(verify).code(1).says("known: 0 of 1 required good signatures");
});

case!(several_signers_and_how_many_are_needed, |t| {
    signers(t).run("sign known --key alice --key bob").code(0);
    ssh_keygen(t, "known.sig", "alice").code(0);
    ssh_keygen(t, "known.2.sig", "bob").code(0);
    let verify = "verify known --allowed-signers allowed --require";
    t.run(&format!("{verify} 2")).code(0).prints("known.2.sig: good signature by bob@example.org");
    t.run(&format!("{verify} 3")).code(1).says("2 of 3 required");
    // The same key twice is one signer.
    t.shell("cp known.sig known.3.sig; rm known.2.sig").code(0);
    t.run(&format!("{verify} 2")).code(1).says("1 of 2 required");
    t.run("sign known --key alice --key alice").code(64).says("the same key twice");
    t.run("sign known --key alice --key bob -o x.sig").code(64).says("--output");
    // One that is broken fails, however many are good.
    t.remove("known.3.sig").run("sign known --key bob").code(0);
    flip(t, "known.2.sig", 100);
    t.run(&format!("{verify} 1")).code(1);
});

case!(signing_again_replaces_ones_own_and_never_anothers, |t| {
    signers(t).run("sign known --key alice").code(0);
    t.run("sign known --key alice").code(0).says("known.sig: signed");
    t.run("sign known --key bob").code(0).says("known.2.sig: signed");
    t.run("hash -c sha256 -o known tree/a")
        .code(0)
        .says("known.sig: WARNING: a signature of the earlier content");
    // As it does where the next manifest of an audit takes the place of a signed one; the same bytes may stay.
    t.run("hash -c sha256 -o next --sign alice tree").code(0).quiet();
    t.run("hash -c sha256 -o next tree").code(0).quiet();
    let update = "audit -k known --ignore-signature --update next tree";
    t.run(update).code(1).quiet();
    t.file("tree/c", "ccc").run(update).code(1).says("next.sig: WARNING");
    t.run("sign known --key bob")
        .code(64)
        .says("known.sig: is there, and is not a signature of known as it is now");
    t.run("sign known --key alice").code(0).says("known.sig: signed");
    t.run("sign known --key bob").code(0).says("known.2.sig: signed");
    t.run("verify known --allowed-signers allowed --require 2").code(0);
});

case!(allowed_signers_have_options, |t| {
    signers(t).run("sign known --key alice").code(0);
    let line = |options: &str| {
        t.shell(&format!("echo \"alice@example.org {options} $(cut -d' ' -f1,2 alice.pub)\" > allowed"))
            .code(0);
    };
    let verify = "verify known --allowed-signers allowed";
    for (options, code, says) in [
        (r#"namespaces=\"file,git\""#, 0, "good signature by alice"),
        (r#"namespaces=\"git\""#, 1, "not allowed for this namespace"),
        (r#"valid-after=\"20200101Z\",valid-before=\"20200102Z\""#, 1, "not allowed any more"),
        (r#"valid-after=\"99990101Z\""#, 1, "not allowed yet"),
        ("cert-authority", 1, "authority for certificates; these are not supported"),
    ] {
        line(options);
        t.run(verify).code(code).prints(says);
        // The reference is of one mind.
        ssh_keygen(t, "known.sig", "alice").code(if code == 0 { 0 } else { 255 });
    }
    line(r#"valid-before=\"20200102Z\""#);
    t.run(&format!("{verify} --verify-time 20200101120000Z")).code(0);
    t.run(&format!("{verify} --verify-time yesterday")).code(64).says("YYYYMMDD");
    line("nosuch");
    t.run(verify).code(64).says("allowed: line 1: unknown option 'nosuch'");
});

case!(signers_are_counted_and_not_keys, |t| {
    signers(t).shell("ssh-keygen -q -t ed25519 -N '' -C again -f again").code(0);
    t.run("sign known --key alice --key again").code(0);
    let allow = |who: &[(&str, &str)]| {
        let lines = who.iter().map(|(who, key)| format!("echo \"{who} $(cut -d' ' -f1,2 {key}.pub)\""));
        t.shell(&format!("({}) > allowed", lines.collect::<Vec<_>>().join("; "))).code(0);
    };
    let verify = "verify known --allowed-signers allowed --require 2";
    // Two keys of one principal are one signer: for verify, and for commands that rely on a list.
    allow(&[("alice@example.org", "alice"), ("alice@example.org", "again")]);
    t.run(verify).code(1).says("1 of 2 required good signatures by different signers");
    t.run("audit -k known --allowed-signers allowed --require 2 tree").code(64).says("1 of 2 required");
    allow(&[("alice@example.org", "alice"), ("*@example.org", "again")]);
    t.run(verify).code(1).says("1 of 2 required");
    allow(&[("alice@example.org,bob@example.org", "alice"), ("alice@example.org", "again")]);
    t.run(verify).code(0);
    // A key that is given by itself is not another signer, if it has an owner in the file.
    allow(&[("alice@example.org", "alice"), ("alice@example.org namespaces=\\\"git\\\"", "again")]);
    t.run(&format!("{verify} --public-key again.pub")).code(1).says("1 of 2 required");
    allow(&[("alice@example.org", "alice"), ("carol@example.org", "again")]);
    t.run(verify).code(0).quiet();
});

case!(a_bad_line_of_allowed_signers_hides_no_other, |t| {
    signers(t).run("sign known --key alice").code(0);
    let verify = "verify known --allowed-signers allowed";
    for bad in [
        "nosuch",
        "\"bob@example.org ssh-ed25519 AAAA",
        "bob@example.org nosuch ssh-ed25519 AAAA",
        "b\\0b x y",
    ] {
        t.shell(&format!("printf '%b\\n' '{bad}' > bad; cat bad allowed > both; mv both allowed")).code(0);
        ssh_keygen(t, "known.sig", "alice").code(0);
        t.run(verify).code(0).prints("good signature by alice").says("allowed: WARNING: line 1 is ignored: ");
    }
    t.shell("printf '\\377 x\\n' >> allowed").code(0);
    t.run(verify).code(0).says("line 7 is ignored");
});

case!(a_signature_by_a_certificate_is_unsupported, |t| {
    signers(t)
        .shell("ssh-keygen -q -s bob -I id -n alice@example.org alice.pub && mv alice.pub away && ssh-keygen -q -Y sign -f alice-cert.pub -n file known")
        .code(0);
    t.run("verify known --allowed-signers allowed").code(1).prints(
        "known.sig: UNSUPPORTED signature, which counts as none: signatures by certificates of OpenSSH",
    );
    t.run("audit -k known tree").code(64).says("UNSUPPORTED signature");
});

case!(armour_that_went_through_windows_is_refused_as_ssh_keygen_does, |t| {
    signers(t).run("sign known --key alice").code(0);
    t.shell("sed -i 's/$/\\r/' known.sig").code(0);
    ssh_keygen(t, "known.sig", "alice").code(255);
    t.run("verify known --allowed-signers allowed")
        .code(1)
        .prints("BROKEN signature: malformed: its lines end with CR LF");
});

case!(keys_that_are_of_no_use_are_64, |t| {
    signers(t).file("text", "hello\n").file("empty", "");
    t.run("sign known --key nosuch").code(64).says("nosuch: cannot read");
    t.run("sign known --key text").code(64).says("text: not a usable key");
    t.run("sign known --key empty").code(64).says("empty");
    t.run("sign known").code(64).says("say what to sign with");
    t.run("sign nosuch --key alice").code(2).says("nosuch: cannot read");
    t.run("sign tree --key alice").code(2).says("only regular files");
    t.run("verify known").code(64).says("name trusted signers");
    t.file("known.asc", "");
    t.run("verify known").code(64).says("; gpg --verify checks known.asc)");
    t.run("verify known.asc").code(64).says("; gpg --verify checks known.asc)");
    t.remove("known.asc");
    t.run("verify known --require 2").code(64);
    t.run("verify known --public-key alice").code(64).says("expected a public key");
    t.run("verify known --public-key text").code(64).says("text: not a usable key");
    t.run("verify known --allowed-signers text").code(64).says("text: line 1: no key");
    t.shell("ssh-keygen -q -t ed25519 -m PKCS8 -N '' -f pem || openssl genpkey -algorithm ed25519 -out pem")
        .code(0);
    t.shell("openssl genpkey -algorithm ed25519 -out pem").code(0);
    t.run("sign known --key pem").code(64).says("ssh-keygen -p");
});

case!(a_key_that_others_can_read_is_warned_of, |t| {
    signers(t).run("sign known --key alice").code(0);
    std::fs::set_permissions(t.path("alice"), std::fs::Permissions::from_mode(0o644)).unwrap();
    t.run("sign known --key alice")
        .code(0)
        .says("alice: WARNING: a private key that others can read (mode 0644)");
});

/// Runs a command on a terminal of its own and types an answer once a passphrase is asked for.
fn typed(t: &Place, args: &str, answer: &str) -> Ran {
    let script = r#"
import os, pty, sys, termios, time
command, answer = sys.argv[2:], sys.argv[1]
child, terminal = pty.fork()
if child == 0:
    os.execv(command[0], command)
seen = b""
sent = False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    seen += part
    if b"Passphrase of" in seen and not sent:
        sent = True
        # The prompt is there before the echo is off; what is typed by hand comes later than both.
        while termios.tcgetattr(terminal)[3] & termios.ECHO:
            time.sleep(0.01)
        os.write(terminal, answer.encode() + b"\n")
sys.stdout.buffer.write(seen)
sys.stdout.buffer.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;
    t.file("typed.py", script).shell(&format!("python3 typed.py '{answer}' $hashmill {args}"))
}

case!(a_passphrase_is_asked_for_on_the_terminal_without_echo, |t| {
    signers(t).shell("ssh-keygen -q -t ed25519 -N 'open sesame' -f locked").code(0);
    let ran = typed(t, "sign known --key locked", "open sesame").code(0).prints("Passphrase of locked: ");
    assert!(!String::from_utf8_lossy(ran.stdout()).contains("sesame"));
    t.run("verify known --public-key locked.pub").code(0);
    typed(t, "sign known --key locked", "wrong").code(64).prints("locked: wrong passphrase");
    // No terminal: the way out is said. A new session has none.
    t.shell("setsid -w $hashmill sign known --key locked < /dev/null")
        .code(64)
        .says("locked: cannot ask for the passphrase")
        .says("ssh-add");
});

case!(
    #[ignore = "campaign: takes long"]
    an_encrypted_key_of_minisign_opens_with_its_passphrase,
    |t| {
        signers(t)
            .shell("printf 'sesame\\nsesame\\n' | minisign -G -p mini.pub -s mini.key > /dev/null")
            .code(0);
        typed(t, "sign known --key mini.key", "sesame").code(0);
        t.shell("minisign -V -p mini.pub -m known").code(0);
        typed(t, "sign known --key mini.key", "wrong").code(64).prints("mini.key: wrong passphrase");
    }
);

case!(an_agent_signs, |t| {
    signers(t).shell("ssh-keygen -q -t ed25519 -N 'open sesame' -f locked").code(0);
    let agent = |line: &str| t.shell(&format!("ssh-agent sh -c '{line}'"));
    agent("ssh-add -q alice && rm alice && $hashmill sign known --agent").code(0).says("known.sig: signed");
    ssh_keygen(t, "known.sig", "alice").code(0);
    agent("ssh-add -q bob && $hashmill sign known --key bob.pub").code(0).says("known.2.sig: signed");
    ssh_keygen(t, "known.2.sig", "bob").code(0);
    agent("ssh-add -q bob && $hashmill sign known --agent --key bob").code(0);
    agent("ssh-add -q bob && $hashmill sign known --key locked.pub")
        .code(64)
        .says("it does not have this key");
    agent("$hashmill sign known --agent").code(64).says("no ssh-ed25519 key");
    t.shell("cp bob.pub carol.pub; ssh-keygen -q -t ed25519 -N \"\" -f dave").code(0);
    agent("ssh-add -q bob dave && $hashmill sign known --agent").code(64).says("several keys");
    t.shell("unset SSH_AUTH_SOCK; $hashmill sign known --agent").code(64).says("SSH_AUTH_SOCK is not set");
    t.shell("SSH_AUTH_SOCK=nosuch $hashmill sign known --agent").code(64).says("cannot connect");
});

case!(hash_signs_what_it_writes, |t| {
    signers(t).run("hash -c sha256 -o known --sign alice --sign bob tree").code(0).quiet();
    ssh_keygen(t, "known.sig", "alice").code(0);
    ssh_keygen(t, "known.2.sig", "bob").code(0);
    // A second run replaces them, and removes those that do not fit any more.
    t.file("tree/c", "ccc")
        .run("hash -c sha256 -o known --sign bob tree")
        .code(64)
        .says("another signer's signature");
    t.run("hash -c sha256 -o known --sign bob --sign alice tree").code(0).quiet();
    ssh_keygen(t, "known.sig", "bob").code(0);
    t.remove("known.2.sig").run("hash -c sha256 -f jsonl -o known --sign bob tree").code(0);
    t.run("verify known --allowed-signers allowed").code(0);
    assert!(!t.has("known.2.sig") && t.leftovers().is_empty());
    t.run("hash --sign alice tree").code(64).says("--sign needs a file as -o");
    t.run("hash --sign alice -o - tree").code(64).says("--sign needs a file as -o");
    t.run("hash --sign nosuch -o new tree").code(64).says("nosuch");
    assert!(!t.has("new"));
});

case!(a_manifest_is_kept_when_its_agent_went_away, |t| {
    signers(t).run("hash -c sha256 -o known --sign alice tree").code(0);
    t.fifo("tree/pipe");
    // The agent ends while the run waits for more of standard input: it has read some when all this is in the pipe.
    let line = "ssh-add -q alice; mkfifo in; ($hashmill hash -c sha256 -o known --sign alice.pub - < in; echo $? > code) & exec 3> in; head -c 1000000 /dev/zero >&3; ssh-agent -k > /dev/null; exec 3>&-; wait";
    t.shell(&format!("eval $(ssh-agent) > /dev/null; {line}"))
        .code(0)
        .says("the manifest is complete but not signed");
    assert_eq!(t.read("code"), b"2\n");
    assert!(t.has("known") && !t.has("known.sig"));
});

case!(an_audit_refuses_a_broken_signature, |t| {
    signers(t).run("sign known --key alice").code(0);
    let audit = "audit -k known tree";
    t.run(audit)
        .code(0)
        .prints("audit passed")
        .says("known.sig: good signature by key ssh-ed25519 SHA256:")
        .says(", which no allowed-signers file vouches for");
    t.run(&format!("{audit} --allowed-signers allowed")).code(0).says("good signature by alice@example.org");
    t.run(&format!("{audit} --public-key bob.pub")).code(64).says("0 of 1 required good signatures").is("");
    t.run(&format!("{audit} --allowed-signers allowed --require 2")).code(64).says("1 of 2 required");
    t.run(&format!("{audit} --require 2"))
        .code(64)
        .says("--require: has no effect here: it needs trusted signers");
    let text = String::from_utf8(t.read("known")).unwrap();
    t.file("known", text.replace("tree/a", "tree/x"));
    t.run(audit).code(64).is("").says("known.sig: BROKEN signature: the signature does not fit these bytes");
    t.run(&format!("{audit} --ignore-signature")).code(1).prints("moved: 1").quiet();
    t.remove("known.sig").run(audit).code(1).quiet();
    t.run(&format!("{audit} --allowed-signers allowed")).code(64).says("0 of 1 required");
});

case!(a_signature_of_checksums_proves_nothing, |t| {
    signers(t);
    for (list, options) in [
        ("m.sfv", "-c crc32 -f sfv"),
        ("m.csv", "-c xxh128 -f csv"),
        ("m.jsonl", "-c crc32,xxh3-64 -f jsonl"),
    ] {
        t.run(&format!("hash {options} -o {list} tree")).code(0);
        t.run(&format!("sign {list} --key alice")).code(0);
        let warning = "WARNING: it proves nothing about files: anybody can make others with the same";
        for command in [format!("audit -k {list} tree"), format!("check {list}"), format!("diff {list} tree")]
        {
            t.run(&command).code(0).says(warning);
            let required = format!("{command} --allowed-signers allowed --require 1");
            t.run(&required).code(64).says("its signatures prove nothing").says("--allow-weak accepts them");
            t.run(&format!("{command} --public-key alice.pub")).code(64);
            t.run(&format!("{required} --allow-weak")).code(0).says(warning);
        }
        t.run(&format!("verify {list} --public-key alice.pub")).code(0).prints(warning);
    }
    let signer = &t.run("audit -f json -k m.sfv tree").code(0).json()["run"]["manifest"]["signers"][0];
    assert_eq!(signer["forgeable"], "crc32", "{signer}");
    // One digest that can't be forged is enough, in each line.
    t.run("hash -c crc32,sha256 -f jsonl -o both.jsonl tree").code(0);
    t.run("sign both.jsonl --key alice").code(0);
    t.run("audit -k both.jsonl tree --public-key alice.pub").code(0).quiet_about("WARNING");
});

case!(a_signature_of_openpgp_is_not_ours_to_judge, |t| {
    signers(t).file("known.sig", b"\x89\x02\x33\x04\x00\x01");
    t.run("audit -k known tree").code(0).says("known.sig: not looked at: a signature of OpenPGP");
    t.file("known.sig", "what is this");
    t.run("audit -k known tree").code(64).says("known.sig: BROKEN signature: malformed");
});

case!(a_check_refuses_a_broken_signature, |t| {
    signers(t).run("hash -c sha256 -f sums -o SHA256SUMS --sign alice tree").code(0);
    t.run("check SHA256SUMS").code(0).prints("tree/a: OK").says("which no allowed-signers file vouches for");
    t.run("check --status SHA256SUMS").code(0).quiet();
    t.run("check --allowed-signers allowed SHA256SUMS").code(0);
    t.run("check --public-key bob.pub SHA256SUMS").code(64).says("0 of 1 required").is("");
    t.shell("cat SHA256SUMS | $hashmill check -").code(0).quiet_about("signature");
    flip(t, "SHA256SUMS", 3);
    t.run("check SHA256SUMS").code(64).is("").says("SHA256SUMS.sig: BROKEN");
    t.run("check --ignore-signature SHA256SUMS").code(1).prints("FAILED");
});

case!(
    #[ignore = "campaign: takes long"]
    a_long_manifest_needs_no_more_memory_than_a_short_one,
    |t| {
        signers(t).shell("minisign -G -W -p mini.pub -s mini.key > /dev/null; truncate -s 400M long").code(0);
        // Address space, in KiB: less than the file, so that holding it fails.
        let limited = |args: &str| t.shell(&format!("ulimit -v 350000; $hashmill {args}"));
        limited("sign long --key alice --key mini.key").code(0);
        limited("verify long --allowed-signers allowed --public-key mini.pub --require 2").code(0);
    }
);
