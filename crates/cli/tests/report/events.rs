//! Events of PREMIS of the results of checks.

use crate::case;

/// Counts the events with this outcome for the object of this path.
fn events(text: &str, path: &str, outcome: &str) -> usize {
    let of_path = format!("<linkingObjectIdentifierValue>{path}</linkingObjectIdentifierValue>");
    let of_outcome = format!("\">{outcome}</eventOutcome>");
    text.split("<event>").filter(|event| event.contains(&of_path) && event.contains(&of_outcome)).count()
}

case!(checks_of_every_command_are_events, |t| {
    t.file("tree/a&b", "same");
    t.file("tree/b", "before");
    t.file("tree/gone", "gone");
    t.run("hash -c sha256 -f hashdeep -o m tree").code(0);
    t.run("scrub tree --state state").code(0);
    t.file("tree/b", "after");
    t.file("tree/new", "new");
    t.shell("rm tree/gone").code(0);
    t.shell("$hashmill audit -k m tree -f json > audit.json").code(1);
    t.shell("$hashmill audit -k m tree -f jsonl > audit.jsonl").code(1);
    t.shell("$hashmill check m -f json > check.json").code(1);
    t.shell("$hashmill scrub tree --state state -f json > scrub.json").code(1);
    for result in ["audit.json", "audit.jsonl", "check.json"] {
        t.run(&format!("report -f premis {result} -o events.xml --force")).code(0).quiet();
        let text = String::from_utf8(t.read("events.xml")).unwrap();
        assert_eq!(events(&text, "tree/a&amp;b", "success"), 1, "{result}");
        assert_eq!(events(&text, "tree/b", "failure"), 1, "{result}");
        assert_eq!(events(&text, "tree/gone", "failure"), 1, "{result}");
        assert_eq!(
            text.matches("<event>").count(),
            3,
            "{result}: nothing was there to compare the new file with"
        );
    }
    let text = String::from_utf8(t.read("events.xml")).unwrap();
    assert!(text.contains("<eventDetail>check of a list</eventDetail>"), "{text}");
    let ran = t.run("report -f premis audit.json").code(0);
    let ran = ran.prints("<eventDetail>audit against a manifest: m</eventDetail>");
    ran.prints("<objectIdentifierValue>tree</objectIdentifierValue>").prints("; expected sha256 ");
    let scrubbed = t.run("report -f premis scrub.json").code(0);
    let text = String::from_utf8(scrubbed.stdout().to_vec()).unwrap();
    assert_eq!(events(&text, "tree/gone", "failure"), 1, "{text}");
    assert_eq!(
        text,
        String::from_utf8(t.run("report -f premis scrub.json").code(0).stdout().to_vec()).unwrap()
    );
});

case!(a_bag_and_its_bad_files_are_events, |t| {
    t.file("in/a", "a");
    t.run("bag create in -o bag").code(0);
    t.shell("$hashmill bag verify bag -f json > good.json").code(0);
    t.file("bag/data/a", "b");
    t.shell("$hashmill bag verify bag -f json > bad.json").code(1);
    let text = |file: &str| {
        String::from_utf8(t.run(&format!("report -f premis {file}")).code(0).stdout().to_vec()).unwrap()
    };
    let (good, bad) = (text("good.json"), text("bad.json"));
    assert_eq!((events(&good, "bag", "success"), good.matches("<event>").count()), (1, 1));
    assert_eq!(events(&bad, "bag", "failure"), 1);
    assert!(events(&bad, "bag/data/a", "failure") >= 1, "{bad}");
});

case!(only_results_of_checks_are_events, |t| {
    t.file("tree/a", "a");
    t.run("hash -f jsonl -o m.jsonl tree").code(0);
    t.shell("$hashmill dupes -f json tree > dupes.json").code(0);
    t.shell("$hashmill audit -k m.jsonl tree -f json > audit.json").code(0);
    t.shell("$hashmill audit -k nosuch tree -f json > error.json").code(64);
    for other in ["m.jsonl", "dupes.json"] {
        t.run(&format!("report -f premis {other}")).code(64).says("holds no checks");
    }
    t.run("report -f premis error.json").code(64).says("error.json: the check ended with an error: nosuch: ");
    t.run("report -f premis audit.json dupes.json")
        .code(2)
        .prints("</premis>\n")
        .says("dupes.json: holds no checks");
    t.run("report -f premis --records 3 audit.json")
        .code(64)
        .says("--records: has no effect here: it needs a page");
    t.file("other.xml", "<a/>");
    t.run("report -f premis audit.json -o other.xml").code(64).says("other.xml");
});
