//! Every command with locations of S3.

use super::gateway::{Gateway, SECRET};
use crate::case;

/// Returns the output of the same command for a folder, with paths relative to it.
fn here(t: &crate::util::Place, args: &str) -> Vec<u8> {
    let mut command = t.command(args);
    command.current_dir(t.path("tree"));
    t.ran(command, args).code(0).stdout().to_vec()
}

macro_rules! filled {
    ($t:ident) => {{
        $t.file("tree/a/x", "abc").file("tree/a-b", "hyphen").file("tree/a/\u{e4} +%25&\u{1F600}", "odd");
        $t.file("tree/empty", "").file("tree/large", vec![7_u8; 9 << 20]).file("tree/z/z/z", "deep");
        let Some(gateway) = Gateway::start($t) else { return };
        let Some(()) = gateway.fill("tree", "p/") else { return };
        gateway
    }};
}

case!(
    #[ignore = "campaign: needs versitygw"]
    objects_have_the_records_of_files,
    |t| {
        let gateway = filled!(t);
        let args = "hash -c md5,sha256,blake3 -f jsonl";
        let wanted = here(t, &format!("{args} a a-b empty large z"));
        let ran = gateway.run(&format!("{args} s3://bucket/p/ --stats=json")).code(0);
        let lines = |bytes: &[u8]| {
            let mut lines: Vec<String> =
                String::from_utf8(bytes.to_vec()).unwrap().lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(lines(ran.stdout()), lines(&wanted));
        let stats = ran.stderr();
        let stats: serde_json::Value = serde_json::from_str(stats.lines().last().unwrap()).unwrap();
        assert_eq!(stats["requests"]["list"], 1);
        assert_eq!(stats["requests"]["retries"], 0);
        // The small ones by one request each, the large one by parts.
        assert_eq!(stats["requests"]["get"], 5 + 3, "{stats}");
        let small = gateway.run("hash -c md5 s3://bucket/p/ --exclude large -o small --stats=json").code(0);
        let stats: serde_json::Value = serde_json::from_str(small.stderr().lines().last().unwrap()).unwrap();
        assert_eq!(stats["requests"]["get"], 5, "{stats}");
        // The same for any number of threads and requests, and with little memory.
        let first = gateway.run(&format!("{args} s3://bucket/p/")).code(0).stdout().to_vec();
        for more in ["-j 1", "-j 4 --requests 1", "-m 2M", "--requests 200 -m 1M -j 3"] {
            gateway.run(&format!("{args} s3://bucket/p/ {more}")).code(0).is(&first);
        }
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    one_object_and_a_whole_bucket,
    |t| {
        let gateway = filled!(t);
        gateway
            .run("hash -c md5 -f sums s3://bucket/p/a/x")
            .code(0)
            .is("900150983cd24fb0d6963f7d28e17f72  x\n");
        gateway
            .run("hash -c md5 -f sums s3://bucket --include x")
            .code(0)
            .is("900150983cd24fb0d6963f7d28e17f72  p/a/x\n");
        gateway
            .run("hash -c md5 -f sums s3://bucket/p/a")
            .code(2)
            .says("there is no object of this key; what is below it has s3://bucket/p/a/");
        gateway.run("hash s3://none/").code(2).says("there is no such bucket");
        gateway.run("hash s3://").code(64).says("names no bucket: write s3://BUCKET/KEY");
        gateway.run("hash s3://key:hunter2@b/k").code(64).says("s3://…@b/k").quiet_about("hunter2");
        t.file("local", "abc");
        let both = "900150983cd24fb0d6963f7d28e17f72  local\n900150983cd24fb0d6963f7d28e17f72  x\n";
        gateway.run("hash -c md5 -f sums local s3://bucket/p/a/x").code(0).is(both);
        // In a list, which others may have filled, it is the path of a file.
        t.file("names", "s3://bucket/p/a/x\nlocal\n");
        gateway
            .run("hash -c md5 -f sums --files-from names")
            .code(2)
            .is("900150983cd24fb0d6963f7d28e17f72  local\n")
            .says("./s3://bucket/p/a/x: ");
        gateway.run("hash -c md5 -f sums s3://bucket/p/a/x --files-from names").code(2).prints("  x\n");
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    manifests_are_written_and_read_there,
    |t| {
        let gateway = filled!(t);
        gateway.run("hash -c sha256 s3://bucket/p/ -o s3://bucket/manifest").code(0);
        assert!(t.leftovers().is_empty());
        gateway.run("audit -k s3://bucket/manifest s3://bucket/p/").code(0);
        let local = gateway.run("hash -c sha256 s3://bucket/p/ -o local").code(0);
        drop(local);
        assert_eq!(t.read("store/bucket/manifest"), t.read("local"));
        // Changes are reported.
        t.file("tree/a/x", "abd").file("tree/new", "new");
        gateway.fill("tree", "p/").unwrap();
        gateway
            .run("audit -k local s3://bucket/p/ -f json")
            .code(1)
            .prints("\"changed\",\"path\":\"a/x\"")
            .prints("\"new\",\"path\":\"new\"");
        // An output that can't be written is known before anything is read.
        gateway.run("hash s3://bucket/p/ -o s3://bucket/folder/").code(2).says("names a folder");
        gateway
            .run("hash s3://bucket/p/ -o https://example.org/m")
            .code(2)
            .says("nothing can be written there");
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    other_commands_take_locations,
    |t| {
        let gateway = filled!(t);
        t.file("tree/twin", vec![7_u8; 9 << 20]);
        gateway.fill("tree", "p/").unwrap();
        gateway.run("dupes s3://bucket/p/").code(0).prints("large").prints("twin");
        gateway.run("diff s3://bucket/p/ tree").code(0);
        t.file("tree/a-b", "other");
        gateway.run("diff s3://bucket/p/ tree").code(1).prints("a-b");
        t.file("list", "900150983cd24fb0d6963f7d28e17f72  s3://bucket/p/a/x\n");
        gateway.run("check list").code(1).says("--allow-remote");
        gateway.run("check --allow-remote list").code(0);
        t.file("list", "900150983cd24fb0d6963f7d28e17f72  s3://bucket/p/none\n");
        gateway.run("check --allow-remote list").code(1);
        gateway.run("tree -c git s3://bucket/p/a/").code(0);
        t.file("bad", "900150983cd24fb0d6963f7d28e17f72  x\n");
        gateway.run("known build -o set --bad bad").code(0);
        gateway.run("known match --known-set set s3://bucket/p/a/").code(1).prints("x");
        gateway.run("similar digest -c tlsh s3://bucket/p/").code(0);
        // A file here that has the name of an object there is none of its business.
        t.file("tree/i.E01", "no image").file("i.E01", "another");
        gateway.fill("tree", "p/").unwrap();
        let md5 = hashmill_digest::hash(hashmill_digest::find("md5").unwrap(), b"no image");
        gateway
            .run("hash --images -c md5 -f sums s3://bucket/p/")
            .code(0)
            .prints(format!("{md5}  i.E01\n"))
            .prints("  z/z/z\n");
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    secrets_and_refusals,
    |t| {
        let gateway = filled!(t);
        let wrong = |variable: &str, value: &str| {
            let mut command = gateway.command("hash s3://bucket/p/");
            command.env(variable, value).env_remove("AWS_SESSION_TOKEN");
            let ran = t.ran(command, variable).code(2);
            assert!(!ran.stderr().contains(SECRET) && !ran.stderr().contains("hunter2"), "{}", ran.stderr());
            ran
        };
        wrong("AWS_SECRET_ACCESS_KEY", "hunter2")
            .says("the credentials are not accepted (SignatureDoesNotMatch)");
        wrong("AWS_ACCESS_KEY_ID", "nobody").says("the credentials are not accepted (XAdminUserNotFound)");
        wrong("AWS_ENDPOINT_URL", "http://127.0.0.1:1").says("no connection");
        gateway.run("hash --anonymous s3://bucket/p/").code(2).says("access denied");
        gateway
            .run("hash --endpoint http://u:hunter2@h s3://bucket/p/")
            .code(2)
            .says("a user or a password")
            .quiet_about("hunter2");
    }
);
