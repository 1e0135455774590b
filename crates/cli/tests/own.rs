//! Files that belong to a manifest are no findings, and nothing else passes for one of them.

use crate::case;
use crate::util::Place;

fn signed(t: &Place) -> &Place {
    t.file("d/a.jpg", "abc").file("d/b.jpg", "def");
    t.shell("ssh-keygen -q -t ed25519 -N '' -C me -f key").code(0);
    t.run("hash --sign key --seal -o d/m.manifest d").code(0);
    t.run("sign --key key d/m.manifest.seal").code(0);
    t
}

case!(signatures_and_seals_of_a_manifest_are_no_findings, |t| {
    signed(t);
    assert!(t.has("d/m.manifest.sig") && t.has("d/m.manifest.seal.sig"));
    t.run("audit -k d/m.manifest d").code(0).prints("matched: 2").prints(
        "left out: 4 (the manifest, and what belongs to it: d/m.manifest, d/m.manifest.seal, \
         d/m.manifest.seal.sig, d/m.manifest.sig)",
    );
    let json = t.run("audit -f json -k d/m.manifest d").code(0).json();
    assert_eq!((&json["counts"]["own"], &json["account"]["entries"]["left_out"]), (&4.into(), &4.into()));
    t.run("audit -v -k d/m.manifest d")
        .code(0)
        .says("d/m.manifest.seal.sig: left out: belongs to the manifest");
    t.run("diff d/m.manifest d").code(0).prints("matched: 2").prints("left out: 4");
    // Another run for the same manifest doesn't take them for data.
    t.run("hash --sign key --seal -o d/m.manifest d").code(0);
    let text = String::from_utf8_lossy(&t.read("d/m.manifest")).into_owned();
    assert!(!text.contains("d/m.manifest") && text.contains("d/a.jpg"), "{text}");
    t.run("hash -f bsd -c sha256 -o d/LIST d").code(0);
    assert!(String::from_utf8_lossy(&t.read("d/LIST")).contains("d/m.manifest.sig"));
});

case!(what_an_interrupted_run_left_is_new, |t| {
    t.file("d/a.jpg", "abc").run("hash -f jsonl -o d/m d").code(0);
    // Anybody can write what a run would have.
    let run = "hashmill 0.1.0 -c blake3 -f hashdeep -p 0 --times false --bad-blocks fail\n";
    t.file("d/.m.hashmill-run", run).file("d/.m.hashmill-kept", t.read("d/m")).file("d/.m.hashmill-seen", "");
    t.file("d/.m.hashmill-partial-aaaaaaaaaaaa", t.read("d/m"));
    for run in ["audit -k d/m d", "diff d/m d", "check --new d/m"] {
        let ran = t.run(run).code(1).prints(".m.hashmill-partial-aaaaaaaaaaaa: ");
        ["run", "kept", "seen"].iter().fold(ran, |ran, name| ran.prints(format!(".m.hashmill-{name}: ")));
    }
});

case!(another_name_of_a_file_of_the_audit_is_new, |t| {
    t.file("d/a.jpg", "abc").run("hash -f sums -o d/m d").code(0);
    std::fs::hard_link(t.path("d/m"), t.path("d/b.jpg")).unwrap();
    t.run("audit -k d/m d").code(1).prints("d/b.jpg: new\n").prints("left out: 1");
    t.run("diff d/m d").code(1).prints("b.jpg: new\n").prints("left out: 1");
    t.run("check --new d/m").code(1).prints("d/b.jpg: ");
});

case!(what_only_has_the_name_of_a_file_of_a_run_is_new, |t| {
    t.file("d/a.jpg", "abc").run("hash -f jsonl -o d/m d").code(0);
    let script = "#!/bin/sh\nrm -rf /\n";
    let names = ["run", "partial", "kept", "seen", "begun", "partial-abcdefghijkl"];
    for name in names {
        t.file(format!("d/.m.hashmill-{name}"), script);
    }
    // A file that begins like a manifest, and one with a signature in it.
    t.file("d/.m.hashmill-partial-aaaaaaaaaaaa", [&t.read("d/m")[..], script.as_bytes()].concat());
    t.file("d/m.sig", format!("{script}# application/vnd.dev.sigstore.bundle"));
    t.file("d/m.tsr", "0 is a byte of a time stamp");
    let ran = t.run("audit --ignore-signature -k d/m d").code(1).prints("new: 9").prints("matched: 1");
    names.iter().fold(ran, |ran, name| ran.prints(format!("d/.m.hashmill-{name}: new")));
});

case!(what_only_has_the_name_of_such_a_file_is_new, |t| {
    signed(t);
    for name in ["m.manifest.2.sig", "m.manifest.seal", ".m.manifest.hashmill-other", ".n.hashmill-run"] {
        if t.has(&format!("d/{name}")) {
            t.remove(&format!("d/{name}"));
        }
        t.file(format!("d/{name}"), "#!/bin/sh\n");
    }
    // A broken signature is refused, unless it is asked not to be.
    t.run("audit -k d/m.manifest d").code(64).says("BROKEN");
    let ran = t.run("audit --ignore-signature -k d/m.manifest d").code(1).prints("new: 4");
    ran.prints("d/m.manifest.2.sig: new").prints("d/m.manifest.seal: new").prints("d/.n.hashmill-run: new");
});

case!(a_listed_file_that_became_the_manifest_is_missing, |t| {
    t.file("a.jpg", "abc").file("b.jpg", "def");
    t.run("hash -o m .").code(0);
    t.remove("a.jpg");
    std::fs::hard_link(t.path("m"), t.path("a.jpg")).unwrap();
    t.run("audit -k m .").code(1).prints("a.jpg: missing").prints("matched: 1");
    t.run("diff m .").code(1).prints("a.jpg: missing");
    t.run("check --quiet m").code(1).prints("a.jpg: FAILED");
    // The same with a report that standard output goes to.
    t.remove("a.jpg").file("a.jpg", "abc").file("report", "");
    t.remove("b.jpg");
    std::fs::hard_link(t.path("report"), t.path("b.jpg")).unwrap();
    t.shell("$hashmill audit -k m . > report").code(1);
    assert!(String::from_utf8_lossy(&t.read("report")).contains("b.jpg: missing"));
});

case!(a_manifest_that_lists_itself_says_so, |t| {
    t.file("a.jpg", "abc").file("m", "");
    t.shell("$hashmill hash -f bsd a.jpg m > list && mv list m");
    t.run("audit -k m .")
        .code(0)
        .prints("matched: 1")
        .prints("not compared: 1 (1 that the manifest is made of)");
});
