//! Reports of results in JSON that have no page of their own, and what stands first on a page.

use super::browser::measured;
use crate::case;
use crate::util::Place;

/// Checks that these texts follow one another on a page.
fn in_order(t: &Place, page: &str, texts: &[&str]) {
    let html = String::from_utf8(t.read(page)).unwrap();
    let mut rest = html.split_once("<body>").unwrap().1;
    for text in texts {
        rest = rest.split_once(text).unwrap_or_else(|| panic!("{text} is not behind those before it")).1;
    }
}

case!(any_result_in_json_is_a_part_of_a_page, |t| {
    t.file("bag/a", "abc").run("bag create bag").code(0);
    t.shell("$hashmill bag verify -f json bag > good.json").code(0);
    t.shell("echo x >> bag/data/a; $hashmill bag verify -f json bag > bad.json").code(1);
    t.shell("$hashmill algorithms -f json > all.json").code(0);
    t.shell(
        "$hashmill report /dev/stdin -o piped.html < good.json; cat good.json | $hashmill report /dev/stdin",
    )
    .code(0)
    .prints("Valid.");
    t.run("report all.json good.json bad.json -o page.html").code(0).quiet();
    let parts =
        ["1 of 3 parts passed: 1 failed, 1 without a verdict.", "1. bad.json", "Not valid.", "2. all.json"];
    in_order(t, "page.html", &parts);
    in_order(t, "page.html", &["3. good.json", "Valid.", "Findings: ", "\"data/a\"", "payload octets"]);
    t.file("half.json", "{\"schema\":\"tree-1\",").run("report half.json").code(64).says("no result in JSON");
});

case!(hits_and_the_sets_that_gave_them_stand_first, |t| {
    t.file("t/good", "good").file("t/evil", "evil").file("t/other", "other").fifo("t/pipe");
    t.shell("md5sum t/evil > evil.md5; md5sum t/good > good.md5").code(0);
    t.run("known build -o evil.hmk --bad evil.md5 --set tools").code(0);
    t.run("known build -o good.hmk --good good.md5").code(0);
    let sets = "-k evil.hmk -k good.hmk";
    t.run(&format!("known match {sets} --show all --case 7 -o m.jsonl t"))
        .code(1)
        .says("3 files looked up: 1 bad, 1 good, 1 unknown");
    t.run("report m.jsonl -o page.html").code(0);
    let shown = [
        "1 file is known bad. 3 files hashed, 1 entry was left out.",
        "<b>1</b>",
        "known bad",
        "Problems: 1 record",
        "\"t/evil\"",
        "looked up in",
        "evil.hmk: 1 digest, built 20",
        "good.hmk: 1 digest, built 20",
        "Left out: 1 entry",
        "\"t/pipe\"",
        "\"fifo\"",
    ];
    in_order(t, "page.html", &shown);
    // Only what was asked for.
    let bad = t
        .run("known match -k evil.hmk --show bad t")
        .code(1)
        .prints("t/evil")
        .says("1 entry skipped: 1 x FIFO");
    assert_eq!(bad.stdout().iter().filter(|byte| **byte == b'\n').count(), 1);
    t.run("known match -k evil.hmk --case 7 --manifest m.jsonl").code(64).says("--manifest reads none");
});

/// The number of cells, and the texts of those that are cut or lie beside the screen.
const CUT: &str = "(() => { \
    const cells = [...document.querySelectorAll('.window tr.row td')]; \
    const cut = cells.filter(cell => { const box = cell.getBoundingClientRect(); \
        return cell.scrollWidth > cell.clientWidth + 1 || box.right > innerWidth; }); \
    return [cells.length, ...cut.map(cell => cell.textContent)].join('|'); })()";

case!(
    #[ignore = "campaign: needs chromium"]
    problems_of_a_copy_are_read_whole,
    |t| {
        t.file("a source with a long name/in a folder/file.tiff", "a");
        t.file("a place with a name that is long/source/in a folder/file.tiff", "x");
        t.shell(
            "$hashmill copy -f json 'a source with a long name/' 'a place with a name that is long/source' > c.json",
        )
        .code(1);
        t.run("report c.json -o page.html").code(0);
        assert_eq!(measured(t, "page.html", 1280, "", CUT), "13");
    }
);
