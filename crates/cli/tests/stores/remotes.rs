//! Services with names: two of S3 in one command, from the user's file and from rclone's.

use super::gateway::{Gateway, KEY, OTHER_KEY, OTHER_SECRET, SECRET};
use crate::case;
use crate::util::{Place, Ran};
use std::os::unix::fs::PermissionsExt;

/// Writes the user's file, which others can't read.
fn user(t: &Place, text: &str) {
    t.file("settings/hashmill/config.toml", text);
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(t.path("settings/hashmill/config.toml"), private).unwrap();
}

/// Runs with nothing of a store in the environment but keys that are good nowhere.
fn run(t: &Place, args: &str) -> Ran {
    let mut command = t.command(args);
    for name in ["AWS_ENDPOINT_URL", "AWS_PROFILE", "AWS_REGION", "RCLONE_CONFIG"] {
        command.env_remove(name);
    }
    command.env("HOME", t.path("home")).env("AWS_EC2_METADATA_DISABLED", "true");
    command.env("AWS_ACCESS_KEY_ID", "nobody").env("AWS_SECRET_ACCESS_KEY", "nothing");
    command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:9");
    let ran = t.ran(command, args);
    for secret in [SECRET, OTHER_SECRET] {
        assert!(!ran.stderr().contains(secret) && !String::from_utf8_lossy(ran.stdout()).contains(secret));
    }
    ran
}

/// Two services with a bucket of the same name: `k` differs, `same` does not.
fn two(t: &Place) -> Option<(Gateway<'_>, Gateway<'_>)> {
    let (one, other) = (Gateway::start(t)?, Gateway::start_other(t)?);
    t.file("store/bucket/p/k", "one").file("other/bucket/p/k", "two");
    t.file("store/bucket/p/same", "same").file("other/bucket/p/same", "same");
    Some((one, other))
}

fn of_rclone(name: &str, endpoint: &str, (key, secret): (&str, &str)) -> String {
    format!(
        "[{name}]\ntype = s3\nprovider = Other\naccess_key_id = {key}\nsecret_access_key = {secret}\nendpoint = {endpoint}\n\n"
    )
}

case!(
    #[ignore = "campaign: needs versitygw"]
    two_services_of_s3_are_read_in_one_command,
    |t| {
        let Some((one, other)) = two(t) else { return };
        user(
            t,
            &format!(
                "[remotes.a]\ntype = 's3'\nendpoint = '{}'\naccess-key-id = '{KEY}'\nsecret-access-key = '{SECRET}'\nregion = 'us-east-1'\n",
                one.endpoint()
            ),
        );
        t.file("settings/rclone/rclone.conf", of_rclone("b", &other.endpoint(), (OTHER_KEY, OTHER_SECRET)));
        let ran = run(t, "hash -c md5 -f sums a:bucket/p/ b:bucket/p/").code(0);
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        let paths: Vec<&str> = text.lines().map(|line| &line[34..]).collect();
        assert_eq!(paths, ["a:bucket/p/k", "a:bucket/p/same", "b:bucket/p/k", "b:bucket/p/same"]);
        assert_ne!(text.lines().next().unwrap()[..32], text.lines().nth(2).unwrap()[..32]);
        let lone = run(t, "hash -c md5 -f sums b:bucket/p/k").code(0);
        assert_eq!(lone.stdout(), format!("{}  k\n", &text.lines().nth(2).unwrap()[..32]).as_bytes());
        let diff = run(t, "diff a:bucket/p/ b:bucket/p/ --download -f json").code(1).json();
        assert_eq!(
            (&diff["counts"]["matched"], &diff["counts"]["changed"]),
            (&1.into(), &1.into()),
            "{diff}"
        );
        run(t, "diff a:bucket/p/ a:bucket/p/ --download").code(0);
        // A manifest, copied from one of them, against the other; and written there.
        run(t, "hash -c sha256 a:bucket/p/ -o b:bucket/list").code(0);
        assert!(t.has("other/bucket/list") && !t.has("store/bucket/list"));
        run(t, "audit -k b:bucket/list a:bucket/p/").code(0).prints("matched: 2");
        run(t, "audit -k b:bucket/list b:bucket/p/").code(1).prints("matched: 1");
        run(t, "audit b:bucket/p/ --against a:bucket/p/ --download -f json").code(1);
        t.file("tree/k", "two").file("tree/same", "same");
        run(t, "audit b:bucket/p/ --against tree --download").code(0);
        let both = run(t, "hash -c md5 -f jsonl tree/k a:bucket/p/k").code(0);
        assert_eq!(both.stdout().iter().filter(|byte| **byte == b'\n').count(), 2);
        // rclone reads the same file.
        if let Some(program) = hashmill_testing::installed("rclone") {
            let mut command = std::process::Command::new(program);
            command.args(["md5sum", "--download", "b:bucket/p", "--config"]);
            command
                .arg(t.path("settings/rclone/rclone.conf"))
                .current_dir(t.path(""))
                .env_remove("AWS_CA_BUNDLE");
            let theirs = t.ran(command, "rclone md5sum").code(0);
            let lines = |bytes: &[u8]| {
                let mut lines: Vec<String> =
                    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            let ours = run(t, "hash -c md5 -f sums b:bucket/p/").code(0);
            assert_eq!(lines(ours.stdout()), lines(theirs.stdout()));
        }
        // --endpoint is for other locations.
        run(t, "hash -c md5 a:bucket/p/k --endpoint http://127.0.0.1:9 --region x").code(0);
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    a_path_with_a_colon_stays_a_path_where_there_is_one,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        t.file("store/bucket/k", "object");
        t.file("settings/rclone/rclone.conf", of_rclone("a", &gateway.endpoint(), (KEY, SECRET)));
        run(t, "hash -c md5 -f sums a:bucket/k").code(0).is("a8cfde6331bd59eb2ac96f8911c4b666  k\n");
        t.file("a:bucket/k", "abc");
        run(t, "hash -c md5 -f sums a:bucket/k").code(0).is("900150983cd24fb0d6963f7d28e17f72  a:bucket/k\n");
        run(t, "hash a:bucket/none").code(2).says("No such file");
        t.file("d:x", "abc");
        run(t, "hash -c md5 -f sums d:x").code(0).is("900150983cd24fb0d6963f7d28e17f72  d:x\n");
        run(t, "hash nosuch:bucket/k").code(2).says("nosuch:bucket/k: ").says("No such file");
        run(t, "hash ./a:other/k").code(2).says("No such file");
        // In a list it is a path, regardless of its author.
        t.file("names", "a:other/k\n");
        run(t, "hash --files-from names").code(2).says("./a:other/k: ");
        t.file("SUMS", "a8cfde6331bd59eb2ac96f8911c4b666  a:other/k\n");
        run(t, "check SUMS").code(1).says("a:other/k");
    }
);

case!(remotes_that_cannot_be_used_are_named, |t| {
    let conf = "[secret]\ntype = crypt\nremote = a:b\npassword = wJalrXUtnFEMIsecret\n[half]\ntype = s3\naccess_key_id = A\n";
    t.file("settings/rclone/rclone.conf", conf);
    run(t, "hash secret:bucket/k").code(64).says("the remote secret can't be used: its type is crypt");
    run(t, "hash half:bucket/k").code(64).says("it has an id or a secret of keys, but not both");
    t.file(
        "settings/rclone/rclone.conf",
        "# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nAAAA\n",
    );
    run(t, "hash secret:bucket/k").code(2).says("rclone.conf: it is encrypted").says("No such file");
    for (text, says) in [
        ("remotes = 1", "remotes is no table"),
        ("[remotes.a]\n", "remotes.a: type is none of s3, gs, az"),
        ("[remotes.a]\ntype = 's3'\nkey = 'x'\n", "remotes.a: there is no setting key of this type"),
        ("[remotes.'a/b']\ntype = 's3'\n", "is no name of a remote"),
    ] {
        user(t, text);
        run(t, "hash x").code(64).says(says);
    }
    user(t, "[remotes.a]\ntype = 's3'\naccess-key-id = 'A'\nsecret-access-key = 'S'\n");
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(t.path("settings/hashmill/config.toml"), open).unwrap();
    run(t, "hash x").code(64).says("remotes.a has a secret, and others can read the file (chmod 600 helps)");
    user(t, "[remotes.a]\ntype = 's3'\nanonymous = true\n");
    run(t, "hash a:").code(64).says("names no bucket: write a:BUCKET/KEY");
    let told = run(t, "hash a:/etc/passwd").code(64);
    told.says("names no bucket: write a:BUCKET/KEY");
});

case!(a_mistyped_remote_is_told_with_those_that_there_are, |t| {
    user(t, "[remotes.lab]\ntype = 's3'\nanonymous = true\n");
    t.file("settings/rclone/rclone.conf", of_rclone("r2", "http://127.0.0.1:9", (KEY, SECRET)));
    t.file("tree/file", "abc").file("m", "").run("hash -o m tree --force").code(0);
    let hint = "; no remote is named lub (there is lab, r2): define [remotes.lub] in config.toml, or lub in rclone's file";
    for line in ["hash lub:bucket/k", "hash tree lub:bucket/", "hash lub:bucket", "explain lub:bucket/k"] {
        run(t, line).code(2).says("lub:bucket").says("No such file").says(hint);
    }
    for line in [
        "diff tree lub:bucket/",
        "audit -k lub:bucket/m tree",
        "convert lub:bucket/m - -f csv",
        "check lub:bucket/SUMS",
    ] {
        run(t, line).says("lub:bucket/").says("No such file").says(hint);
    }
    run(t, "audit -k m lub:bucket/").code(2).says("lub:bucket/: is not there").says(hint);
    run(t, "hash tree -o lub:bucket/m").code(2).says("lub:bucket/m").says(hint);
    // Other words with colons are paths.
    for line in ["hash ./lub:bucket/k", "hash 10:30/log", "hash a/b:c", "hash C:\\file"] {
        let ran = run(t, line).code(2).says("No such file");
        assert!(!ran.stderr().contains("remote"), "{line}: {}", ran.stderr());
    }
    std::fs::remove_dir_all(t.path("settings")).unwrap();
    run(t, "hash lub:bucket/k").code(2).says("(there is none)");
});

case!(
    #[ignore = "campaign: needs versitygw"]
    a_project_can_not_send_anybody_to_its_services,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        t.file("store/bucket/k", "object");
        let evil = format!("[remotes.a]\ntype = 's3'\nendpoint = '{}'\n", gateway.endpoint());
        t.file(".hashmill.toml", &evil)
            .file("rclone.conf", of_rclone("a", &gateway.endpoint(), (KEY, SECRET)));
        let ran = run(t, "hash a:bucket/k").code(2);
        ran.says("remotes is left out: the file of a project has no say in that").says("No such file");
        // Nor a file that everybody can write to.
        t.file("settings/rclone/rclone.conf", of_rclone("a", &gateway.endpoint(), (KEY, SECRET)));
        let world = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(t.path("settings/rclone/rclone.conf"), world).unwrap();
        run(t, "hash a:bucket/k").code(2).says("is left out: everybody can write to it").says("No such file");
    }
);
