//! Files of web servers, by a list of addresses.

use crate::case;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

/// Serves `abc` as /f with ranges, as /repr, /digest and /md5 with digests in headers, as /changing with another ETag each time, and its list as /SUMS; ends with the process.
fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let target =
                lines.next().and_then(|line| line.split(' ').nth(1).map(str::to_owned)).unwrap_or_default();
            let headers: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let one = headers.iter().any(|line| line.eq_ignore_ascii_case("range: bytes=0-0"));
            let list = "900150983cd24fb0d6963f7d28e17f72  f\n";
            let (status, body) = match target.split('?').next().unwrap_or_default() {
                "/f" | "/changing" | "/repr" | "/digest" | "/md5" => (200, "abc"),
                "/SUMS" => (200, list),
                _ => (404, ""),
            };
            let (status, part, range) = match (one, status) {
                (true, 200) => (206, &body[..1], format!("content-range: bytes 0-0/{}\r\n", body.len())),
                _ => (status, body, String::new()),
            };
            let digest = match target.as_str() {
                "/repr" => "repr-digest: sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:\r\n",
                "/digest" => "digest: SHA-256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=,unixsum=0\r\n",
                "/md5" => "content-md5: kAFQmDzST7DWlj99KOF/cg==\r\n",
                _ => "",
            };
            let version = if target == "/changing" { number } else { 0 };
            let _ = write!(
                &stream,
                "HTTP/1.1 {status} x\r\nconnection: close\r\netag: \"{version}\"\r\n{range}{digest}content-length: {}\r\n\r\n{part}",
                part.len()
            );
        }
    });
    port
}

case!(lists_of_addresses_are_checked, |t| {
    let port = serve();
    t.file("good", format!("900150983cd24fb0d6963f7d28e17f72  http://127.0.0.1:{port}/f\n"));
    t.run("check good").code(1);
    t.run("check --allow-remote good").code(0);
    t.file("bad", format!("00000000000000000000000000000000  http://127.0.0.1:{port}/f\n"));
    t.run("check --allow-remote bad").code(1);
    t.file("gone", format!("900150983cd24fb0d6963f7d28e17f72  http://127.0.0.1:{port}/gone\n"));
    t.run("check --allow-remote gone").code(1);
    // The list beside a download, and the download here.
    t.file("f", "abc").run(&format!("check http://127.0.0.1:{port}/SUMS")).code(0);
    t.file("f", "abd").run(&format!("check http://127.0.0.1:{port}/SUMS")).code(1);
    t.run(&format!("hash -c md5 -f sums http://127.0.0.1:{port}/f?token=hunter2"))
        .code(0)
        .is("900150983cd24fb0d6963f7d28e17f72  f\n");
    t.run(&format!("hash http://127.0.0.1:{port}/gone?token=hunter2")).code(2).quiet_about("hunter2");
});

/// All that takes a place, with `URL` for it.
const COMMANDS: [&str; 48] = [
    "hash URL --case 1 --evidence URL -o h.hashdeep --force",
    "hash URL --case 1 -f jsonl -o h.jsonl --stats --progress always -v --force",
    "hash URL --case 1 -f dfxml -o h.xml --force",
    "hash URL --case 1 -f csv --resume -o h.csv --force",
    "hash URL -c md5,ssdeep -f sums",
    "hash f -o URL",
    "hash f --case URL -f jsonl",
    "hash --bogus URL",
    "hash --threads URL f",
    "hash --files-from URL",
    "audit -k URL f",
    "audit -k URL",
    "audit -k m URL -f json -v",
    "audit -k m f --update URL",
    "audit f --against URL --min-strength declared -f json -v",
    "audit URL --against f --min-strength size -v --stats",
    "check URL",
    "check URL -f json -v",
    "diff URL f -f json",
    "diff m URL",
    "dupes URL f -f json",
    "similar digest -c ssdeep URL -f jsonl",
    "similar compare -c ssdeep URL f -f json",
    "similar pairs -c ssdeep URL f",
    "similar search -c ssdeep --against URL f",
    "known build -o set --good URL",
    "known build -o URL --good m",
    "known match --known-set set URL",
    "known query --known-set URL 900150983cd24fb0d6963f7d28e17f72",
    "known info URL -f json",
    "image info URL",
    "image info URL --raw -f json",
    "image verify URL -f json -o v.json",
    "image hash URL",
    "image list URL",
    "image export URL -o exported",
    "convert URL -o c.jsonl",
    "merge URL m -o merged.jsonl",
    "explain URL",
    "tree -c git URL",
    "bag verify URL",
    "sign URL --key k -f json",
    "sign m --key k --timestamp URL",
    "verify URL --public-key k -f json",
    "seal create URL -f json",
    "seal verify URL -f json",
    "proof create URL f",
    "report URL m -o page.html",
];

case!(
    #[ignore = "campaign: takes long"]
    no_command_shows_or_keeps_what_is_secret_in_an_address,
    |t| {
        let port = serve();
        t.file("f", "abc").file("m", "900150983cd24fb0d6963f7d28e17f72  f\n");
        t.run("hash f --case URL -o case.jsonl -f jsonl").code(0);
        for address in [
            format!("http://127.0.0.1:{port}/f?X-Amz-Credential=hunter2&X-Amz-Signature=hunter2#hunter2"),
            format!("http://127.0.0.1:{port}/SUMS?sig=hunter2"),
            format!("http://127.0.0.1:{port}/gone?hunter2"),
            format!("http://me:hunter2@127.0.0.1:{port}/f"),
            "s3://me:hunter2@bucket/key".to_owned(),
            "https://127.0.0.1:1/f?token=hunter2".to_owned(),
        ] {
            for command in COMMANDS {
                let ran = t.run(&command.replace("URL", &address));
                let ran = ran.quiet_about("hunter2");
                let out = String::from_utf8_lossy(ran.stdout()).into_owned();
                assert!(!out.contains("hunter2"), "{command}: {out}");
            }
            let kept = t.shell("grep -rl hunter2 . || true").code(0);
            assert!(kept.stdout().is_empty(), "{address}: {}", String::from_utf8_lossy(kept.stdout()));
        }
        // A part that is no secret still tells which one it is.
        t.run(&format!("hash http://127.0.0.1:{port}/gone?versionId=7&sig=hunter2"))
            .code(2)
            .says("/gone?versionId=7&…: ");
    }
);

case!(a_base_that_is_not_reached_is_told_once, |t| {
    let lines: String =
        (0..50).map(|number| format!("900150983cd24fb0d6963f7d28e17f72  {number}\n")).collect();
    let check = "check --base http://127.0.0.1:1/d/ list.md5";
    let ran = t.file("list.md5", lines).run(check).code(2).is("").says("no connection: Connection refused");
    assert_eq!(ran.stderr().lines().count(), 1, "{}", ran.stderr());
    let ran = t.run(&format!("{check} -f json")).code(2);
    ran.prints("no connection").prints("\"operands\":{\"failed\":1}");
});

case!(what_changes_while_it_is_read_has_no_digest, |t| {
    let port = serve();
    t.run(&format!("hash -c md5 -f jsonl http://127.0.0.1:{port}/changing"))
        .code(2)
        .prints("\"status\":\"changed-while-reading\"")
        .says("changing: changed while it was read");
});

case!(what_a_web_server_declares_is_compared, |t| {
    let port = serve();
    t.file("f", "abc").file("g", "abd");
    let audit = |file: &str, path: &str, more: &str| {
        t.run(&format!("audit {file} --against http://127.0.0.1:{port}/{path}{more}"))
    };
    let declared = " --min-strength declared";
    for path in ["repr", "digest", "md5"] {
        audit("f", path, declared).code(0).prints("matched by declared: 1");
        audit("f", path, "").code(2).says("whoever uploaded it declared its digest");
        // The declaration may be the one that is wrong; bytes are not.
        audit("g", path, declared).code(2).prints("unproven: 1");
    }
    audit("f", "f", declared).code(2).says("not told: the store has nothing but its size");
    audit("f", "f", " --min-strength size").code(0).prints("matched by size: 1");
});
