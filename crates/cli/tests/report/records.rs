//! Reports of manifests, audits and verifications: contents, exit codes, hostile names.

use super::browser::{document, hosts, printed};
use crate::case;
use crate::util::Place;

/// A name that would be a script if anything took it for HTML.
const HOSTILE: &[u8] = b"tree/<script>document.title='stolen'<\n>.txt";

/// Returns the data embedded in a page, as one text.
fn page(t: &Place, name: &str) -> String {
    String::from_utf8(t.read(name)).unwrap()
}

case!(a_manifest_becomes_a_page, |t| {
    t.odd_names().file(HOSTILE, "</script><img src=x onerror=alert(1)>");
    t.run("hash -c sha256,ssdeep --times -f jsonl -o m.jsonl tree --case 7<b> --examiner Ada").code(0);
    t.run("report m.jsonl -o page.html").code(0).quiet();
    let html = page(t, "page.html");
    for wanted in ["nothing went wrong", "7&#60;b&#62;", "examiner", "Ada", "sha256 of the file", "Records"] {
        assert!(html.contains(wanted), "{wanted}");
    }
    assert_eq!(html.matches("<script").count(), 2, "the data and the page's own");
    assert!(!html.contains("<img"));
    // The same page every time.
    t.run("report m.jsonl -o again.html").code(0);
    assert!(html == page(t, "again.html"));
    t.run("report m.jsonl").code(0).is(&html);
});

case!(the_digest_in_the_page_is_that_of_the_file, |t| {
    t.file("tree/a", "abc").run("hash -c sha256 -o m tree").code(0);
    let sum = t.run("hash -c sha256 -f sums m").code(0);
    let digest = String::from_utf8_lossy(&sum.stdout()[..64]).into_owned();
    t.run("report m").code(0).prints(digest);
});

case!(every_format_is_read, |t| {
    t.file("tree/a", "abc").file("tree/b", "");
    for format in ["hashdeep", "sums", "bsd", "jsonl", "csv", "dfxml"] {
        t.run(&format!("hash -c sha256 -f {format} -o m tree")).code(0);
        t.run("report m").code(0).quiet().prints("tree/a").prints("ba7816bf").prints("2 files hashed");
    }
});

case!(what_is_wrong_is_said_and_counts, |t| {
    t.file("tree/a", "abc").run("hash -c sha256 -o m tree").code(0);
    let text = page(t, "m") + "what is this?\n";
    t.file("m", text).run("report m").code(2).says("m: ").prints("1 part of the manifest was not understood");
    t.file("none", "").run("report none").code(64).says("none: is empty");
    t.run("report nosuch").code(64).says("nosuch: cannot open");
    t.run("report m nosuch -o page.html").code(2);
    assert!(t.has("page.html"));
    t.run("report").code(64);
    t.run("report m -o no/such/folder").code(2).says("cannot write");
    t.file("half.json", "{\"entries\":[").run("report half.json").code(64).says("no result of an audit");
});

case!(beyond_the_limit_only_what_is_wrong_is_in_the_page, |t| {
    let fine = (0..50).map(|number| {
        format!("{{\"path\":\"fine{number}\",\"size\":1,\"status\":\"hashed\",\"md5\":\"{number:032x}\"}}\n")
    });
    let bad = "{\"path\":\"broken\",\"size\":1,\"status\":\"unreadable\"}\n";
    t.file("m", fine.chain([bad.to_string()]).collect::<String>());
    let whole = t.run("report m").code(0).prints("\"fine49\"").prints("\"broken\"");
    assert!(!String::from_utf8_lossy(whole.stdout()).contains("more than the"));
    let some =
        t.run("report m --records 20").code(0).prints("Of 51 records, more than the 20").prints("\"broken\"");
    let some = String::from_utf8_lossy(some.stdout()).into_owned();
    assert!(!some.contains("All records") && some.contains("can't say which have the same content"));
});

case!(an_audit_becomes_a_page, |t| {
    t.file("tree/a", "abc").file("tree/b", "b").file(b"tree/\xff", "c");
    t.run("hash -c sha256 -o m tree").code(0);
    t.file("tree/a", "other").rename("tree/b", "tree/moved");
    let result = t.run("audit -k m tree --format json").code(1);
    t.file("audit.json", result.stdout());
    let ran = t.run("report audit.json").code(0).quiet();
    let ran = ran.prints("Audit failed: 1 changed, 1 moved.").prints("tree/\\\\xff");
    ran.prints("tree/moved").prints("Entries by category");
});

case!(
    #[ignore = "campaign: takes long"]
    a_printed_report_has_every_problem_and_counts_the_rest,
    |t| {
        let entry = |category: &str, number: u64| {
            format!(
                "{{\"category\":\"{category}\",\"path\":\"{category}{number:05}\",\"known_path\":null,\"status\":null}}"
            )
        };
        // Missing files come last, behind thousands that match.
        let all = (0..2500)
            .map(|number| entry("matched", number))
            .chain((0..2100).map(|number| entry("missing", number)));
        let entries: Vec<String> = all.collect();
        let text = format!(
            "{{\"entries\":[{}],\"counts\":{{\"matched\":2500,\"missing\":2100}}}}",
            entries.join(",")
        );
        t.file("audit.json", text).run("report audit.json -o page.html").code(0).quiet();
        let paper = printed(t, "page.html", "");
        assert!(paper.contains("missing00000") && paper.contains("missing02099"), "every problem");
        assert!(
            !paper.contains("matched00000") && paper.contains("Not printed: 2500 rows"),
            "the rest is counted"
        );
        assert!(
            !paper.contains("known path") && !paper.contains("status"),
            "columns without anything are not there"
        );
        assert!(paper.find("missing00000") < paper.find("Entries by category"), "problems come first");
        // On demand it is there.
        let opened = printed(t, "page.html", "table=2");
        assert!(opened.contains("matched00000") && opened.contains("Printed: first 2000 of 2500 rows"));
    }
);

case!(
    #[ignore = "campaign: needs chromium"]
    a_time_takes_one_line,
    |t| {
        t.file("tree/a", "abc").run("hash -c sha256 --times -f jsonl -o m.jsonl tree").code(0);
        t.run("report m.jsonl -o page.html").code(0);
        let paper = printed(t, "page.html", "");
        let is_time = |word: &str| word.len() == 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
        assert!(paper.split_whitespace().any(is_time), "{paper}");
    }
);

case!(a_verification_becomes_a_page, |t| {
    let good = r#"{"path":"a.E01","format":"ewf1","segments":[{"path":"a.E01","number":1,"size":9}],"acquisition_errors":[{"first":3,"count":2}],"verdict":"verified","media_size":4096,"read":4096,"digests":[{"algorithm":"md5","digest":"00ff"}],"claims":[{"claim":{"algorithm":"md5","digest":"00ff","place":{"section":{"name":"hash","offset":7}},"intact":true},"outcome":"match"}],"entries":[],"findings":[],"omitted_findings":0}"#;
    let bad = r#"{"path":"<b>.E01","verdict":"not-an-image","error":"no signature"}"#;
    t.file("one.jsonl", good)
        .run("report one.jsonl")
        .code(0)
        .prints("every stored digest matches")
        .prints("00ff");
    let both = t.file("two.jsonl", format!("{good}\n{bad}\n")).run("report two.jsonl").code(0);
    both.prints("1 of 2 parts passed: 1 failed.")
        .prints("no signature")
        .prints("section (name hash, offset 7)");
    t.file("tree/raw", "abc").run("image verify -c md5 -f json tree/raw -o v.jsonl");
    t.run("report v.jsonl").code(0).prints("raw");
});

case!(several_files_make_one_page, |t| {
    t.file("tree/a", "abc").run("hash -c sha256 -o m tree").code(0);
    let result = t.run("audit -k m tree --format json").code(0);
    t.file("audit.json", result.stdout());
    t.run("report m audit.json").code(0).prints("2 of 2 parts passed.").prints("Audit passed");
});

/// A manifest of 100,000 files.
fn many(t: &Place) {
    let line = |number: u64| {
        let digest = u128::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_0C92_1234_5679);
        let start = format!("{{\"path\":\"p/{number:06}\",\"size\":{}", number * 7919 % 100_003);
        match number {
            77_777 => start + ",\"status\":\"unreadable\"}\n",
            _ => format!("{start},\"status\":\"hashed\",\"md5\":\"{digest:032x}\"}}\n"),
        }
    };
    t.file("many.jsonl", (0..100_000).map(line).collect::<String>());
    t.run("report many.jsonl -o page.html").code(0).quiet();
}

case!(
    #[ignore = "campaign: takes long"]
    a_browser_shows_sorts_and_filters_many_records,
    |t| {
        many(t);
        let shown = document(t, "page.html", "");
        assert!(shown.contains("100\u{2009}000 rows"), "the count");
        assert!(shown.contains(">p/000000<") && shown.contains(">p/000020<"), "the first rows");
        let rows = shown.matches("<tr class=\"row\"").count();
        assert!((20..200).contains(&rows), "{rows} rows are drawn: only those that can be seen");
        let filtered = document(t, "page.html", "filter=p/0777%20unread");
        assert!(filtered.contains("1 of 100\u{2009}000 rows") && filtered.contains(">p/077777<"));
        let sorted = document(t, "page.html", "sort=size%20(bytes)&order=down");
        let largest = (0..100_000u64).max_by_key(|number| number * 7919 % 100_003).unwrap();
        let records = sorted.rfind("class=\"records\"").unwrap();
        let first = records + sorted[records..].find("<tr class=\"row\"").unwrap();
        assert!(
            sorted[first..first + 200].contains(&format!(">p/{largest:06}<")),
            "{}",
            &sorted[first..first + 200]
        );
        assert!(sorted.contains("aria-sort=\"descending\""));
        let state = document(t, "page.html", "state=unreadable");
        assert!(state.contains("1 of 100\u{2009}000 rows"));
        let far = document(t, "page.html", "row=90000");
        assert!(far.contains(">p/089999<") && !far.contains(">p/000000<"), "scrolls to any row");
    }
);

case!(
    #[ignore = "campaign: takes long"]
    a_browser_draws_every_chart_and_runs_no_foreign_script,
    |t| {
        t.odd_names().file(HOSTILE, "x");
        t.run("hash -c sha256 --times -f jsonl -o m.jsonl tree").code(0);
        t.run("report m.jsonl -o page.html").code(0);
        let shown = document(t, "page.html", "");
        assert!(shown.contains("<title>m.jsonl</title>"), "a name did not become a script");
        let charts: Vec<&str> =
            shown.split("<svg ").skip(1).map(|rest| &rest[..rest.find("</svg>").unwrap()]).collect();
        assert_eq!(charts.len(), 2 * 3, "sizes, kinds and times, light and dark");
        for chart in charts {
            assert!(chart.matches("<rect").count() >= 2 && chart.matches("<text").count() >= 4, "{chart}");
        }
        assert!(shown.contains("\\n&gt;.txt"), "the hostile name as text");
    }
);

case!(
    #[ignore = "campaign: needs chromium"]
    no_request_leaves_the_page,
    |t| {
        t.file("tree/a", "abc").file("tree/http:/outside.test/b", "x");
        t.run("hash -c sha256 --times -f jsonl -o m.jsonl tree").code(0);
        t.run("report m.jsonl -o page.html").code(0);
        let asked: Vec<String> = hosts(t, "page.html").into_iter().collect();
        assert_eq!(asked, ["page.test"]);
        // The check itself would notice: without the policy a picture from elsewhere is asked for.
        let html = page(t, "page.html");
        let picture = "<img src=\"http://outside.test/x.png\"></body>";
        t.file("policy.html", html.replace("</body>", picture));
        assert_eq!(hosts(t, "policy.html").len(), 1, "the policy forbids it");
        let open = html.replace("Content-Security-Policy", "X-Nothing").replace("</body>", picture);
        assert!(hosts(t, "open.html".file(t, open)).contains("outside.test"));
    }
);

/// Writes a file and gives its name.
trait Written {
    fn file(self, t: &Place, content: String) -> Self;
}

impl Written for &str {
    fn file(self, t: &Place, content: String) -> Self {
        t.file(self, content);
        self
    }
}

case!(
    #[ignore = "campaign: takes long"]
    a_page_prints,
    |t| {
        many(t);
        let text = printed(t, "page.html", "filter=p/0777");
        assert!(text.contains("many.jsonl") && text.contains("p/077777"), "{text}");
        assert!(text.contains("Printed: 100 rows, filtered from 100"), "{text}");
        assert!(!text.contains("filter: words"), "tools are not for paper");
        let all = printed(t, "page.html", "");
        assert!(
            all.contains("p/000000") && all.contains("p/001999") && !all.contains("p/002000"),
            "the first 2,000"
        );
    }
);
