//! Reports of several results, and audits with all that they say: the first page, the order, paper, and narrow screens.

use super::browser::{boxes, measured, on_paper, printed};
use crate::case;
use crate::util::Place;
use serde_json::{Value, json};

/// The documents of a case: a manifest, an audit that failed with thousands of entries, a good image and a bad one.
fn case_files(t: &Place) {
    t.file("tree/a", "abc")
        .run("hash -c sha256 -f jsonl -o case.jsonl tree --case 2026-17 --examiner Ada")
        .code(0);
    t.file("audit.json", audit(3000).to_string());
    let image = |path: &str, verdict: &str, outcome: &str| {
        let claim = json!({"algorithm":"md5","digest":"00ff","place":{"section":"hash"}});
        json!({"path":path,"segments":[],"verdict":verdict,"media_size":4096,"read":4096,
            "claims":[{"claim":claim,"outcome":outcome}]})
    };
    t.file("disk.json", image("disk.E01", "verified", "match").to_string());
    t.file("dmg.json", image("old.dmg", "mismatch", "mismatch").to_string());
}

/// Returns an audit of this many entries: two in three are problems.
fn audit(number: usize) -> Value {
    let words = ["matched", "missing", "changed"];
    let entry = |number: usize| {
        let path =
            format!("Evidence 17/Users/ada/AppData/Roaming/A Vendor/A Product/profiles/{number:05}.jpg");
        let expected = json!({"digests": {"sha512": format!("{:0128x}", number + 1)}, "size": 3});
        let mut entry = json!({"category":words[number % 3],"path":path,"known_path":null,"status":null});
        if !number.is_multiple_of(3) {
            entry["expected"] = expected;
        }
        if number % 3 == 2 {
            entry["actual"] = json!({"digests": {"sha512": format!("{:0128x}", 0x00ab_cdef + number)}, "zlast": format!("end{number:05}")});
        }
        entry
    };
    let count = |word: usize| (0..number).filter(|entry| entry % 3 == word).count();
    json!({
        "run": {
            "manifest": {"path":"case.jsonl","sha256":"c0ffee","signers":[{"name":"ada@example.org","key":"SHA256:k"}]},
            "operands": ["/mnt/evidence"], "started": "2026-11-20T10:00:00Z", "ended": "2026-11-20T10:05:00Z",
            "host": "lab-3", "version": "0.1.0", "case": {"case":"2026-17","examiner":"Ada"},
        },
        "entries": (0..number).map(entry).collect::<Vec<_>>(),
        "counts": {"matched":count(0),"missing":count(1),"changed":count(2)},
    })
}

/// Whether the text has all of these, one behind the other.
#[track_caller]
fn in_order(text: &str, wanted: &[&str]) {
    let mut rest = text;
    for word in wanted {
        let place = rest.find(word).unwrap_or_else(|| panic!("{word:?} is not there, or too early:\n{text}"));
        rest = &rest[place + word.len()..];
    }
}

case!(
    #[ignore = "campaign: takes long"]
    the_first_page_has_every_verdict_and_failures_come_first,
    |t| {
        case_files(t);
        t.run("report case.jsonl audit.json disk.json dmg.json -o page.html").code(0).quiet();
        let paper = printed(t, "page.html", "");
        let pages: Vec<&str> = paper.split('\x0c').collect();
        let verdicts = [
            "2 of 4 parts passed: 2 failed.",
            "failed",
            "1. audit.json",
            "Audit failed: 1000 changed, 1000 missing.",
            "failed",
            "2. old.dmg",
            "a stored digest does not match",
            "passed",
            "3. case.jsonl",
            "1 file hashed, nothing went wrong.",
            "passed",
            "4. disk.E01",
            "every stored digest matches",
        ];
        in_order(pages[0], &verdicts);
        in_order(
            pages[0],
            &["case", "2026-17 (parts 1, 3)", "manifest", "case.jsonl (part 1)", "ada@example.org"],
        );
        // The second page begins with failures, the worst ones first.
        in_order(
            pages[1],
            &[
                "1. audit.json",
                "Audit failed",
                "c0ffee",
                "looked at",
                "/mnt/evidence",
                "Problems: 2000 entries",
            ],
        );
        let lines = |word: &str| -> Vec<usize> {
            let all = paper.lines().enumerate();
            let of_word = all.filter(|(_, line)| line.contains(word) && line.contains("Evidence 17"));
            of_word.map(|(number, _)| number).collect()
        };
        let (changed, missing) = (lines("changed"), lines("missing"));
        assert_eq!((changed.len(), missing.len()), (1000, 1000), "every problem is printed");
        assert!(changed.last() < missing.first(), "what differs comes before what is missing");
    }
);

case!(
    #[ignore = "campaign: needs chromium"]
    links_lead_to_the_parts_and_leave_the_tables_as_they_are,
    |t| {
        case_files(t);
        t.run("report case.jsonl audit.json -o page.html").code(0);
        let html = String::from_utf8(t.read("page.html")).unwrap();
        in_order(
            &html,
            &["href=\"#part-1\"", "href=\"#part-2\"", "<article id=\"part-1\">", "<article id=\"part-2\">"],
        );
        let at_link = measured(
            t,
            "page.html",
            1280,
            "part-2",
            "document.querySelectorAll('.tools output')[0].textContent",
        );
        assert_eq!(at_link, "2000 rows");
    }
);

case!(what_cannot_be_used_is_a_part_that_failed, |t| {
    t.file("tree/a", "abc").run("hash -c sha256 -o m tree").code(0);
    t.file("half.json", "{\"entries\":[").file("<b>.txt", "what is this?");
    let ran = t.run("report m half.json <b>.txt -o page.html").code(2).says("half.json: ").says("<b>.txt: ");
    assert!(ran.stdout().is_empty());
    let html = String::from_utf8(t.read("page.html")).unwrap();
    in_order(
        &html,
        &[
            "1 of 3 parts passed: 2 failed.",
            ">1. half.json<",
            "could not be used: ",
            ">2. &#60;b&#62;.txt<",
            ">3. m<",
        ],
    );
});

case!(images_of_one_document_are_parts, |t| {
    case_files(t);
    let both = format!(
        "[{},{}]",
        String::from_utf8_lossy(&t.read("disk.json")),
        String::from_utf8_lossy(&t.read("dmg.json"))
    );
    let ran = t.file("both.json", both).run("report both.json").code(0);
    let html = String::from_utf8_lossy(ran.stdout()).into_owned();
    in_order(
        &html,
        &["1 of 2 parts passed: 1 failed.", ">1. old.dmg<", ">2. disk.E01<", "<dd>both.json</dd>"],
    );
});

case!(an_audit_passes_as_its_exit_code_says, |t| {
    let verdict = |counts: Value, wanted: &str| {
        let entries = json!([{"category":"matched","path":"a","known_path":"a","status":"hashed"}]);
        t.file("audit.json", json!({"entries": entries, "counts": counts}).to_string());
        t.run("report audit.json").code(0).prints(wanted);
    };
    verdict(json!({"matched":3,"own":2}), "verdict good\">Audit passed: 3 entries matched.<");
    verdict(json!({"matched":3,"ignored":2}), "verdict good\">Audit passed: 3 entries matched.<");
    let unread =
        "Audit passed: 3 entries matched. 2 files were not read: the digests are of an earlier run.<";
    verdict(json!({"matched":3,"reused":2}), &format!("verdict good\">{unread}"));
    verdict(
        json!({"matched":3,"not_compared":1}),
        "good\">Audit passed: 3 entries matched. 1 entry was not compared.<",
    );
    verdict(json!({"matched":3,"unproven":2}), "doubtful\">Audit undecided: 2 unproven.<");
    verdict(json!({"matched":3,"unproven":2,"new":1}), "bad\">Audit failed: 1 new, 2 unproven.<");
    verdict(
        json!({"matched":0,"not_compared":4}),
        "bad\">Audit failed: nothing was compared. 4 entries were not compared.<",
    );
    verdict(json!({"ok":1,"failed":0,"missing":0}), "good\">Check passed: 1 entry matched.<");
    verdict(json!({"ok":1,"failed":2,"unnamed":0}), "bad\">Check failed: 2 failed.<");
    let diff = json!({"schema":"diff-1","run":{},"counts":{"matched":2},"entries":[]});
    t.file("diff.json", diff.to_string())
        .run("report diff.json")
        .code(0)
        .prints("No difference: 2 entries matched.");
    // The real thing: files that belong to the manifest are left out, which is no difference.
    t.file("tree/a", "abc").run("hash -c sha256 -o tree/m tree").code(0);
    let result = t.run("audit -k tree/m tree -f json").code(0);
    t.file("audit.json", result.stdout()).run("report audit.json").prints("Audit passed: 1 entry matched.");
    t.file("tree/a", "other").run("hash -c sha256 -f sums -o sums tree/a").code(0);
    t.file("tree/a", "again");
    let result = t.run("check sums -f json").code(1);
    t.file("check.json", result.stdout()).run("report check.json").prints("Check failed: 1 ");
});

case!(lines_of_an_audit_are_read_and_their_end_must_be_there, |t| {
    t.file("tree/a", "abc").file("tree/b", "b").run("hash -c sha256 -o m tree").code(0);
    t.file("tree/a", "other");
    let lines = t.run("audit -k m tree -f jsonl").code(1);
    let text = String::from_utf8_lossy(lines.stdout()).into_owned();
    t.file("audit.jsonl", &text).run("report audit.jsonl").code(0).prints("Audit failed: 1 changed.").quiet();
    let cut = text.trim_end().rfind('\n').unwrap();
    t.file("cut.jsonl", &text[..cut])
        .run("report cut.jsonl")
        .code(64)
        .says("the counts at its end are missing");
    t.run("audit -k m tree/b -f jsonl").code(0);
});

case!(equal_files_are_a_part_without_a_verdict, |t| {
    t.file("tree/a", "abc")
        .file("tree/b", "abc")
        .file("tree/c", "other")
        .run("hash -c sha256 -o m tree")
        .code(0);
    let dupes = t.run("dupes -f json tree").code(0);
    t.file("dupes.json", dupes.stdout()).run("report m dupes.json -o page.html").code(0).quiet();
    let html = String::from_utf8(t.read("page.html")).unwrap();
    let wanted = [
        "1 of 2 parts passed: 1 without a verdict.",
        "1 group of equal files: 1 file could be spared",
        "tree/b",
    ];
    in_order(&html, &wanted);
});

case!(an_audit_says_what_it_did_not_look_for, |t| {
    t.file("tree/a", "abc").run("hash -c sha256 -o m tree").code(0);
    let result = t.run("audit -k m -f json").code(0);
    t.file("audit.json", result.stdout()).run("report audit.json").prints("new (not looked for)");
});

case!(
    #[ignore = "campaign: needs chromium"]
    on_paper_nothing_is_cut_off,
    |t| {
        t.file("audit.json", audit(9).to_string());
        let sha512: Vec<String> = (0..6).map(|_| "c".repeat(128)).collect();
        let record = format!(
            "{{\"path\":\"{}\",\"size\":12345678901,\"status\":\"hashed\",\"sha512\":\"{1}\",\"sha3-512\":\"{1}\",\
         \"whirlpool\":\"{1}\",\"mtime\":\"2026-11-20T10:00:00Z\"}}\n",
            "long-name-without-spaces/".repeat(20),
            sha512[0]
        );
        t.file("m.jsonl", record).run("report m.jsonl audit.json -o page.html").code(0).quiet();
        for size in ["A4", "Letter"] {
            let html = String::from_utf8(t.read("page.html"))
                .unwrap()
                .replace("Content-Security-Policy", "X-Nothing");
            let html = html.replace("@page { margin", &format!("@page {{ size: {size}; margin"));
            t.file("sized.html", html);
            let text: String = on_paper(t, "sized.html").split_whitespace().collect();
            assert_eq!(text.matches(&sha512[0]).count(), 3, "all digests of the record");
            assert!(
                text.contains(&format!("{:0128x}", 0x00ab_cdef + 8)) && text.contains("end00008"),
                "{size}: {text}"
            );
            let (width, words) = boxes(t);
            let wanted = if size == "A4" { 594.0 } else { 611.0 };
            assert!(width > wanted && width < wanted + 3.0, "{size}: {width}");
            let beyond: Vec<_> =
                words.iter().filter(|(left, right, _)| *left < 30.0 || *right > width - 30.0).collect();
            assert!(words.len() > 100 && beyond.is_empty(), "{size}: {beyond:?}");
        }
    }
);

/// Counts problem rows, and those whose category and path can be seen without scrolling sideways: both whole, but for
/// paths in the columns of a long table.
const SEEN: &str = "(() => { \
    const sees = cell => { const box = cell.getBoundingClientRect(); \
        const is_cut = cell.scrollWidth > cell.clientWidth + 1 && (cell.closest('.entries') || cell.matches('.state')); \
        return box.width > 20 && box.left >= 0 && box.right <= innerWidth && !is_cut; }; \
    const rows = [...document.querySelector('.window').querySelectorAll('tr.row')]; \
    const seen = rows.filter(row => sees(row.querySelector('.state')) && sees(row.cells[0])); \
    const page = document.documentElement.scrollWidth <= innerWidth; \
    return [innerWidth, rows.length, seen.length, page].join(' '); })()";

case!(
    #[ignore = "campaign: takes long"]
    a_narrow_screen_shows_category_and_path_of_each_problem,
    |t| {
        for (entries, rows) in [(9, 6), (3000, 0)] {
            t.file("audit.json", audit(entries).to_string())
                .run("report audit.json -o page.html --force")
                .code(0);
            for width in [400, 1280] {
                let seen = measured(t, "page.html", width, "", SEEN);
                let numbers: Vec<&str> = seen.split(' ').collect();
                assert_eq!(numbers[0], width.to_string());
                assert!(numbers[1] == numbers[2] && numbers[1] != "0", "{entries} at {width}: {seen}");
                assert!(rows == 0 || numbers[1] == rows.to_string(), "{seen}");
                assert_eq!(numbers[3], "true", "the page itself is not wider: {seen}");
            }
        }
    }
);
