//! Time stamps, with a real authority: `openssl ts`, behind a small HTTP server.

use crate::case;
use crate::util::Place;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

const CONFIG: &str = "\
[req]
distinguished_name = dn
prompt = no
[dn]
CN = unused
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[stamper]
basicConstraints = CA:FALSE
extendedKeyUsage = critical, timeStamping
[lax]
basicConstraints = CA:FALSE
extendedKeyUsage = timeStamping
[tsa]
default_tsa = here
[here]
serial = serial
signer_cert = tsa.pem
certs = mid.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
[ca]
default_ca = old
[old]
database = index
new_certs_dir = .
serial = serial
default_md = sha256
policy = any
x509_extensions = stamper
[any]
commonName = supplied
";

const EC: &str = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";

/// Makes an authority: a root, an intermediate, and a certificate for time stamps with these extensions.
fn authority(t: &Place, extensions: &str) {
    t.file("ca.cnf", CONFIG).file("serial", "01\n").file("index", "").file("known", "a manifest\n");
    let sign = |name: &str, by: &str, extensions: &str| {
        format!(
            "openssl req -new -config ca.cnf {EC} -keyout {name}.key -subj /CN={name} -out {name}.csr && \
             openssl x509 -req -in {name}.csr -CA {by}.pem -CAkey {by}.key -CAcreateserial -extfile ca.cnf \
             -extensions {extensions} -days 30 -out {name}.pem && "
        )
    };
    let root = |name: &str| {
        format!(
            "openssl req -x509 -config ca.cnf -extensions root {EC} -keyout {name}.key -out {name}.pem -subj /CN={name} -days 30 && "
        )
    };
    let line =
        root("root") + &root("foreign") + &sign("mid", "root", "root") + &sign("tsa", "mid", extensions);
    t.shell(&format!("{line} true")).code(0);
}

/// Answers a request by `openssl ts`.
fn answer(dir: &Path, request: &[u8]) -> Vec<u8> {
    fs::write(dir.join("asked.tsq"), request).unwrap();
    let done = Command::new("openssl")
        .args("ts -reply -config ca.cnf -queryfile asked.tsq -out answer.tsr".split(' '))
        .current_dir(dir)
        .stderr(Stdio::null())
        .status();
    assert!(done.unwrap().success());
    fs::read(dir.join("answer.tsr")).unwrap()
}

/// Serves one request over HTTP; returns the address.
fn serve(dir: PathBuf, answer: impl Fn(&Path, &[u8]) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/tsa", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = body(&mut stream);
        let reply = answer(&dir, &request);
        let kind = "application/timestamp-reply";
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", reply.len());
        stream.write_all(&[head.as_bytes(), &reply].concat()).unwrap();
    });
    url
}

fn body(stream: &mut TcpStream) -> Vec<u8> {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
    }
    let head = String::from_utf8(seen).unwrap().to_ascii_lowercase();
    assert!(
        head.starts_with("post /tsa ") && head.contains("content-type: application/timestamp-query"),
        "{head}"
    );
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.trim().parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    body
}

case!(an_authority_stamps_and_openssl_agrees, |t| {
    authority(t, "stamper");
    let url = serve(t.path(""), answer);
    t.run(&format!("sign known --timestamp {url} --timestamp-request known.tsq --timestamp-roots root.pem"))
        .code(0)
        .says("known.tsr: time stamp of 20")
        .says("by 'CN=tsa'");
    t.shell("openssl ts -verify -in known.tsr -data known -CAfile root.pem").code(0);
    t.shell("openssl ts -verify -in known.tsr -queryfile known.tsq -CAfile root.pem").code(0);
    let verify = "verify known --timestamp-roots root.pem";
    t.run(verify)
        .code(0)
        .quiet()
        .prints("known.tsr: good time stamp: these bytes existed at 20")
        .prints("says 'CN=tsa'");
    t.run(&format!("{verify} --timestamp-request known.tsq")).code(0);
    t.run("verify known --timestamp-roots foreign.pem")
        .code(1)
        .prints("BROKEN time stamp: a foreign certificate: 'CN=tsa', issued by 'CN=mid'");
    t.run("verify known --timestamp-roots ca.cnf").code(64).says("no certificate in the file");
    // The request of another time stamp, and the time stamp of another file.
    t.run("sign known --timestamp-request other.tsq").code(0);
    t.run(&format!("{verify} --timestamp-request other.tsq")).code(1).prints("the nonce differs");
    // A time stamp by another policy than the one that was asked for.
    t.shell("openssl ts -query -data known -sha256 -no_nonce -cert -out any.tsq").code(0);
    t.shell("openssl ts -query -data known -sha256 -no_nonce -cert -tspolicy 1.2.3.4.9 -out strict.tsq")
        .code(0);
    t.file("known.tsr", answer(&t.path(""), &t.read("any.tsq")));
    t.run(&format!("{verify} --timestamp-request any.tsq")).code(0);
    t.shell("openssl ts -verify -in known.tsr -queryfile strict.tsq -CAfile root.pem 2>&1").code(1);
    t.run(&format!("{verify} --timestamp-request strict.tsq"))
        .code(1)
        .prints("another policy than its request");
    t.file("known", "another\n").run(verify).code(1).prints("it is for other bytes");
    t.remove("known.tsr").run(verify).code(1).prints("there is no time stamp");
});

case!(a_stamp_that_nobody_verified_is_1, |t| {
    authority(t, "stamper");
    t.shell("ssh-keygen -q -t ed25519 -N '' -f alice").code(0);
    t.run("sign known --key alice").code(0);
    let verify = "verify known --public-key alice.pub";
    t.run(verify).code(0);
    // Anybody can be an authority: this one claims 1999, with a certificate that it made itself.
    t.shell("openssl ts -query -data known -sha256 -cert -out q.tsq").code(0);
    t.shell(&format!(
        "openssl req -x509 -config ca.cnf -extensions stamper {EC} -keyout tsa.key -out tsa.pem -subj /CN=forger -days 30"
    ))
    .code(0);
    t.file("known.tsr", answer(&t.path(""), &t.read("q.tsq")));
    t.run(verify)
        .code(1)
        .prints("known.sig: good signature")
        .prints("known.tsr: time stamp NOT VERIFIED: it says 20")
        .prints("--timestamp-roots");
    t.run(&format!("{verify} --timestamp-roots root.pem"))
        .code(1)
        .prints("BROKEN time stamp: a foreign certificate");
    t.run(&format!("{verify} --ignore-timestamp")).code(0).quiet();
    t.run(&format!("{verify} --ignore-timestamp --timestamp-roots root.pem")).code(64);
    t.file("known.tsr", "nonsense").run(verify).code(1).prints("known.tsr: BROKEN time stamp: malformed");
    t.run(&format!("{verify} --ignore-timestamp")).code(0).quiet();
    t.remove("known.tsr").run(verify).code(0);
});

case!(requests_and_answers_can_be_carried, |t| {
    authority(t, "stamper");
    t.run("sign known --timestamp-request known.tsq").code(0).quiet();
    t.shell("openssl ts -query -in known.tsq -text").code(0).prints("Certificate required: yes");
    t.file("known.answer", answer(&t.path(""), &t.read("known.tsq")));
    let take = "sign known --timestamp-request known.tsq --timestamp-response known.answer";
    t.run(take).code(0).says("known.tsr: time stamp").says("not verified: no --timestamp-roots");
    // An older time stamp is worth more.
    t.run(take).code(64).says("a time stamp of these bytes is there already");
    t.run("verify known --timestamp-roots root.pem").code(0);
    // The bare token, which some tools store.
    t.shell("openssl ts -reply -in known.tsr -token_out -out token").code(0);
    t.run("verify known --timestamp-roots root.pem --timestamp-response token").code(0);
    // A request by openssl itself, with another hash.
    t.shell("openssl ts -query -data known -sha256 -cert -out theirs.tsq").code(0);
    t.file("theirs.tsr", answer(&t.path(""), &t.read("theirs.tsq")));
    t.run("verify known --timestamp-roots root.pem --timestamp-response theirs.tsr --timestamp-request theirs.tsq")
        .code(0);
});

case!(an_authority_that_answers_wrongly_is_refused, |t| {
    authority(t, "stamper");
    let other = serve(t.path(""), |dir, _| {
        let other = Command::new("sh")
            .args(["-c", "echo other > other && openssl ts -query -data other -sha256 -cert 2>/dev/null"])
            .current_dir(dir)
            .output();
        answer(dir, &other.unwrap().stdout)
    });
    t.run(&format!("sign known --timestamp {other}"))
        .code(2)
        .says("no time stamp: the time stamp is refused: it is for other bytes");
    let refusal = serve(t.path(""), |dir, _| answer(dir, b"nonsense"));
    t.run(&format!("sign known --timestamp {refusal}")).code(2).says("the authority refused it: Rejection");
    let nonsense = serve(t.path(""), |_, _| b"<html>".to_vec());
    t.run(&format!("sign known --timestamp {nonsense}")).code(2).says("malformed");
    // A port that was closed again could by now belong to another test.
    t.run("sign known --timestamp http://127.0.0.1:1/")
        .code(2)
        .says("no time stamp: time stamp authority: http://");
    let endless = serve(t.path(""), |_, _| vec![0; 2 << 20]);
    t.run(&format!("sign known --timestamp {endless}")).code(2).says("too long for a time stamp");
    for address in ["tsa.example.org", "ftp://tsa.example.org", "s3://bucket/key"] {
        t.run(&format!("sign known --timestamp {address}")).code(64).says("not an address: http://");
    }
    let secret = t.run("sign known --timestamp http://me:hidden@tsa.example.org/").code(2).stderr();
    assert!(!secret.contains("hidden"), "{secret}");
    assert!(!t.has("known.tsr"));
});

case!(certificates_that_are_not_for_stamps_or_expired_are_named, |t| {
    authority(t, "lax");
    t.shell("openssl ts -query -data known -sha256 -cert -out q.tsq").code(0);
    // openssl does not sign with a certificate for another purpose, but it does with one that has expired.
    t.shell(
        "openssl ca -batch -config ca.cnf -cert mid.pem -keyfile mid.key -in tsa.csr -out tsa.pem -notext \
         -startdate 20200101000000Z -enddate 20200201000000Z",
    )
    .code(0);
    t.file("known.tsr", answer(&t.path(""), &t.read("q.tsq")));
    t.run("verify known --timestamp-roots root.pem").code(1).prints(
        "its certificate was not valid: the certificate of 'CN=tsa' was valid from 2020-01-01T00:00:00Z",
    );
});
