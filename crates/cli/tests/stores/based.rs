//! Lists of objects in a store: `check --base`.

use super::gateway::{Gateway, Server, free_port};
use crate::case;
use std::process::Command;

macro_rules! filled {
    ($t:ident) => {{
        $t.file("tree/a", "abc")
            .file("tree/d/e f", "deep")
            .file("tree/k?versionId=1", "odd")
            .file("tree/large", vec![7; 5 << 20]);
        $t.run("hash -c sha256 -f sums tree -o SUMS").code(0);
        let sums = String::from_utf8($t.read("SUMS")).unwrap().replace("  tree/", "  ");
        $t.file("SHA256SUMS", &sums);
        let Some(gateway) = Gateway::start($t) else { return };
        let Some(()) = gateway.fill("tree", "p/") else { return };
        (gateway, sums)
    }};
}

case!(
    #[ignore = "campaign: takes long"]
    a_list_of_objects_is_checked_from_their_prefix_down,
    |t| {
        let (gateway, sums) = filled!(t);
        for base in ["s3://bucket/p/", "s3://bucket/p"] {
            gateway
                .run(&format!("check --base {base} SHA256SUMS --stats"))
                .code(0)
                .prints("s3://bucket/p/a: OK\n")
                .prints("s3://bucket/p/k?versionId=1: OK\n")
                .says("head 5, get 5;");
        }
        gateway.run("hash -c sha256 s3://bucket/p/ -f sums -o s3://bucket/q/SHA256SUMS").code(0);
        gateway.run("check --base s3://bucket/p/ s3://bucket/q/SHA256SUMS").code(0).prints("large: OK\n");
        // From the bucket down.
        t.file("whole", sums.replace("  ", "  p/"));
        gateway.run("check --base s3://bucket whole").code(0);
        // Each of these is reported like that of a file.
        t.file("tree/a", "abd");
        gateway.fill("tree", "p/").unwrap();
        std::fs::remove_file(t.path("store/bucket/p/d/e f")).unwrap();
        gateway
            .run("check --base s3://bucket/p/ SHA256SUMS")
            .code(1)
            .prints("s3://bucket/p/a: FAILED\n")
            .prints("s3://bucket/p/d/e f: FAILED open or read\n")
            .prints("s3://bucket/p/large: OK\n")
            .quiet_about("--allow-remote");
        gateway.run("check --base s3://bucket/p/ SHA256SUMS -f json").code(1).prints("\"missing\":1");
        gateway.run("check --base s3://bucket/p/ --anonymous SHA256SUMS").code(2).says("access denied");
        // Digests without the name of their algorithm.
        t.file("list", sums.lines().last().unwrap().to_owned() + "\n");
        gateway.run("check --base s3://bucket/p/ list").code(0);
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    a_list_leads_nowhere_but_below_its_base,
    |t| {
        let (gateway, sums) = filled!(t);
        let digest = &sums[..64];
        t.file("store/bucket/b", "abc").file("abs", "abc");
        for (path, location) in [
            ("../b", "s3://bucket/p/../b"),
            ("s3://bucket/b", "s3://bucket/p/s3://bucket/b"),
            ("./a", "s3://bucket/p/./a"),
        ] {
            t.file("list", format!("{digest}  {path}\n"));
            let ran = gateway.run("check --base s3://bucket/p/ list");
            assert_ne!(ran.exit(), Some(0), "{path}");
            ran.prints(format!("{location}: FAILED open or read\n"));
        }
        t.file("list", format!("{digest}  {}\n", t.path("abs").display()));
        gateway.run("check --base s3://bucket/p/ list").code(1);
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    what_a_list_of_a_prefix_lacks_is_new,
    |t| {
        let (gateway, _) = filled!(t);
        gateway.run("check --new --base s3://bucket/p/ SHA256SUMS").code(0);
        t.file("more/x", "x").file("more/d/y", "y").file("more/SHA256SUMS", t.read("SHA256SUMS"));
        gateway.fill("more", "p/").unwrap();
        let ran = gateway.run("check --new --base s3://bucket/p/ s3://bucket/p/SHA256SUMS").code(1);
        let ran = ran.prints("s3://bucket/p/d/y: NEW\n").prints("s3://bucket/p/x: NEW\n");
        // The list itself is not.
        assert_eq!(String::from_utf8_lossy(ran.stdout()).matches(": NEW").count(), 2);
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    a_list_that_says_where_its_paths_start_is_checked_where_it_lies,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        t.file("tree/a", "abc").file("tree/d/b", "def");
        t.run("hash -c md5 -f mhl tree -o tree/list.mhl").code(0);
        let list = String::from_utf8(t.read("tree/list.mhl")).unwrap().replace("tree/", "");
        t.file("tree/list.mhl", list);
        let Some(()) = gateway.fill("tree", "p/") else { return };
        gateway.run("check s3://bucket/p/list.mhl").code(0).prints("s3://bucket/p/d/b: OK");
        t.file("tree/a", "abd");
        gateway.fill("tree", "p/").unwrap();
        gateway.run("check s3://bucket/p/list.mhl").code(1).prints("s3://bucket/p/a: FAILED");
    }
);

case!(a_list_of_files_of_a_web_server_is_checked, |t| {
    let Some(python) = hashmill_testing::installed("python3") else { return };
    t.file("www/p/a b#?%41", "abc").file("www/p/d/large", vec![3; 3 << 20]).file("www/secret", "abc");
    t.run("hash -c sha256 -f sums www/p -o SUMS").code(0);
    let sums = String::from_utf8(t.read("SUMS")).unwrap().replace("www/p/", "");
    t.file("SUMS", &sums);
    let port = free_port();
    let mut command = Command::new(python);
    command.args(["-m", "http.server", "--bind", "127.0.0.1", "--directory"]).arg(t.path("www"));
    command.arg(port.to_string());
    let _server = Server::start(command, port, &t.path("http.log"));
    let base = format!("http://127.0.0.1:{port}/p");
    t.run(&format!("check --base {base} SUMS")).code(0).prints(format!("{base}/d/large: OK\n"));
    t.file("list", format!("{}  ../secret\n", &sums[..64]));
    t.run(&format!("check --base {base} list")).code(2).says("are resolved on the way");
    t.file("list", format!("{}  none\n", &sums[..64]));
    t.run(&format!("check --base {base}/ list")).code(1);
    t.run(&format!("check --new --base {base}/ SUMS")).code(64).says("can't be listed");
    t.run(&format!("check --base {base}?sig=hunter2 SUMS")).code(64).quiet_about("hunter2");
    t.run("check --base s3:///p SUMS").code(64).says("names no bucket");
    t.run(&format!("check --base file://{} SUMS", t.path("www/p").display())).code(0);
});
