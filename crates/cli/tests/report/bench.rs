//! `hashmill bench report`: results of a folder as one page.

use super::browser::{document, hosts};
use crate::case;
use crate::util::Place;

/// Two results that a real run wrote.
fn results(t: &Place) {
    std::fs::create_dir(t.path("results")).unwrap();
    t.run("bench throughput --duration 0.05 --threads 1 --export-json results/throughput.json").code(0);
    t.run("bench cycles --iterations 20 --block 4096 --export-json results/cycles.json").code(0);
}

case!(
    #[ignore = "campaign: takes long"]
    results_of_a_folder_become_a_page_with_all_their_charts,
    |t| {
        results(t);
        t.run("bench report results -o page.html").code(0).quiet();
        let html = String::from_utf8(t.read("page.html")).unwrap();
        for wanted in ["Summary", "Machine", "throughput.json", "cycles.json", "<table", "blake3"] {
            assert!(html.contains(wanted), "{wanted}");
        }
        let written = html.matches("<figure class=\"chart\">").count();
        assert!(written >= 2, "{written} charts");
        let shown = document(t, "page.html", "");
        let charts: Vec<&str> =
            shown.split("<svg ").skip(1).map(|rest| &rest[..rest.find("</svg>").unwrap()]).collect();
        assert_eq!(charts.len(), 2 * written, "light and dark");
        for chart in charts {
            assert!(chart.matches("<text").count() >= 4, "{chart}");
            let drawn: usize =
                ["<rect", "<polyline", "<circle"].iter().map(|shape| chart.matches(shape).count()).sum();
            assert!(drawn > 2 && !chart.contains("nothing to show"), "{chart}");
        }
        assert_eq!(hosts(t, "page.html").into_iter().collect::<Vec<_>>(), ["page.test"]);
    }
);

case!(what_is_no_result_is_named_and_left_out, |t| {
    results(t);
    t.file("results/odd.json", "{\"comparison\":\"nosuch\"}")
        .file("results/notes.txt", "no JSON, not looked at");
    t.run("bench report results").code(2).says("results/odd.json").says("nosuch").prints("throughput.json");
    t.file("empty/odd.json", "[]")
        .run("bench report empty")
        .code(64)
        .says("empty/odd.json")
        .says("no result");
    t.run("bench report nosuch").code(64).says("nosuch: cannot list");
    t.run("bench report results -o no/such/page.html").code(2).says("cannot write");
});
