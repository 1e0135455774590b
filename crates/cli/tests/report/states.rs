//! Pages of states.

use super::browser::document;
use crate::case;
use crate::util::Place;

fn state(t: &Place) {
    t.file("tree/a", "abc").file("tree/b", "defg").file("tree/c", "c");
    t.run("scrub tree --state state").code(0);
}

case!(
    #[ignore = "campaign: needs chromium"]
    a_page_tells_what_is_wrong_in_a_state,
    |t| {
        state(t);
        t.run("report state -o page.html").code(0).quiet();
        let page = String::from_utf8(t.read("page.html")).unwrap();
        assert!(page.contains("3 files, all verified within"), "{page}");
        assert!(page.contains("Files by the age of their verification"));
        t.remove("tree/a").file("tree/b", "other").file("tree/<b>\u{202e}", "new");
        t.run("scrub tree --state state").code(1);
        t.remove("tree/<b>\u{202e}");
        t.run("scrub tree --state state").code(1);
        t.run("report state -o page.html").code(0).quiet();
        let page = String::from_utf8(t.read("page.html")).unwrap();
        assert!(
            page.contains("Not as it was: 1 edited, 2 missing")
                || page.contains("Not as it was: 2 missing, 1 edited")
        );
        for wanted in
            ["Problems: 3 files", "tree/\\u003cb>\\\\u{202e}", "Runs: 3", "Devices", "What each run found"]
        {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert!(!page.contains("tree/<b>"));
        // The same state gives the same page.
        t.run("report state -o again.html").code(0).quiet();
        assert_eq!(page.as_bytes(), t.read("again.html"));
        let seen = document(t, "page.html", "");
        assert!(seen.contains("tree/a") && seen.contains("missing"));
    }
);

case!(a_state_and_a_manifest_are_parts_of_one_page, |t| {
    state(t);
    t.run("hash -f jsonl -o m.jsonl tree").code(0);
    t.run("report state m.jsonl -o page.html").code(0).quiet();
    assert!(String::from_utf8(t.read("page.html")).unwrap().contains("2 of 2 parts passed"));
    t.shell("printf x >> state").code(0);
    t.shell("python3 -c \"import sqlite3; d = sqlite3.connect('state'); d.execute('UPDATE file SET last = 5'); d.commit()\"").code(0);
    t.run("report state -o page.html").code(64).says("state: this state was altered");
});
