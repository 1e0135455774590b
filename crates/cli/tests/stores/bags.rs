//! Bags in stores.

use super::gateway::Gateway;
use crate::case;

case!(
    #[ignore = "campaign: needs versitygw"]
    bags_are_verified_where_they_lie,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        t.file("papers/a.txt", "aaa").file("papers/sub/b", "bb").file("papers/gr\u{f6}\u{df}e", "letters");
        t.run("bag create papers").code(0);
        let Some(()) = gateway.fill("papers", "bags/p/") else { return };
        for bag in ["s3://bucket/bags/p/", "s3://bucket/bags/p"] {
            for level in ["", " --complete", " --oxum"] {
                gateway.run(&format!("bag verify{level} {bag}")).code(0);
            }
        }
        let findings = |args: &str| gateway.run(args).json()["findings"].to_string();
        assert_eq!(findings("bag verify -f json s3://bucket/bags/p/"), "[]");
        t.file("papers/data/a.txt", "aab").file("papers/data/extra", "x");
        gateway.fill("papers", "bags/p/").unwrap();
        gateway.run("bag verify s3://bucket/bags/p/").code(1).prints("data/a.txt").prints("data/extra");
        gateway.run("bag verify --oxum s3://bucket/bags/p/").code(1);
        assert_eq!(
            findings("bag verify -f json s3://bucket/bags/p/"),
            t.run("bag verify -f json papers").json()["findings"].to_string()
        );
        gateway.run("bag verify s3://bucket/none/").code(64);
        gateway.run("bag verify s3://bucket/bags/").code(64).says("has no bagit.txt");
        gateway.run("bag verify s3://").code(64).says("names no bucket");
    }
);
