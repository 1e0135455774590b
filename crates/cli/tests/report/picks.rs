//! A click on a chart shows only the rows that its bar stands for, in all tables of the chapter that have the column.

use super::browser::{document, measured};
use crate::case;
use crate::util::Place;

/// Makes a manifest of 300 files: a third is PDF, every tenth matches a rule.
fn manifest(t: &Place, name: &str) {
    let record = |number: u32| {
        let (mime, end) =
            [("application/pdf", "PDF"), ("image/png", "png"), ("text/plain", "txt")][number as usize % 3];
        let rule =
            |name: &str| format!("{{\"rule\":\"{name}\",\"namespace\":\"n\",\"tags\":[],\"meta\":{{}}}}");
        let rules =
            if number.is_multiple_of(10) { [rule("one"), rule("two")].join(",") } else { String::new() };
        format!(
            "{{\"path\":\"tree/{number:03}.{end}\",\"size\":{},\"status\":\"hashed\",\"md5\":\"{:032x}\",\
             \"type\":{{\"mime\":\"{mime}\",\"name\":\"x\",\"extensions\":[]}},\"yara_matches\":[{rules}],\"yara_status\":\"scanned\",\
             \"mtime\":\"20{:02}-05-06T07:08:09.5Z\"}}\n",
            number - number % 2,
            number / 2,
            number % 12,
        )
    };
    t.file(name, (0..300).map(record).collect::<String>());
}

/// Returns what the tables of a page say that they show after clicks on these parts of charts.
fn shown(t: &Place, page: &str, clicks: &[&str]) -> String {
    let clicks: Vec<String> = clicks
        .iter()
        .map(|click| format!("document.querySelector('.light rect.pick[{click}]').dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))"))
        .collect();
    let texts = "[...document.querySelectorAll('.tools output')].map(one => one.textContent).join('|')";
    measured(t, page, 1200, "", &format!("({}, {texts})", clicks.join(", ")))
}

case!(a_click_on_a_chart_chooses_rows, |t| {
    manifest(t, "m.jsonl");
    t.run("report m.jsonl -o page.html").code(0);
    // Tables of rules, of duplicates, of the largest, of the newest, and of all.
    let all = "30 rows|149 rows|100 rows|100 rows|300 rows";
    let pdf = "data-is=\"application/pdf\"";
    for (clicks, wanted) in [
        (vec![pdf], "10 of 30 rows|149 rows|33 of 100 rows|25 of 100 rows|100 of 300 rows"),
        (vec![pdf, pdf], all),
        // Of two bars of one column the last counts; columns restrict one another.
        (
            vec![pdf, "data-is=\"image/png\""],
            "10 of 30 rows|149 rows|33 of 100 rows|25 of 100 rows|100 of 300 rows",
        ),
        (vec![pdf, "data-has=\"two\""], "10 of 30 rows|149 rows|3 of 100 rows|0 of 100 rows|10 of 300 rows"),
        (vec!["data-ends=\".pdf\""], "10 of 30 rows|149 rows|33 of 100 rows|25 of 100 rows|100 of 300 rows"),
        (
            vec!["data-from=\"16\"][data-below=\"32\""],
            "2 of 30 rows|8 of 149 rows|0 of 100 rows|4 of 100 rows|16 of 300 rows",
        ),
    ] {
        assert_eq!(shown(t, "page.html", &clicks).replace('\u{2009}', ""), wanted, "{clicks:?}");
    }
});

case!(a_choice_is_told_undone_and_linked_to, |t| {
    manifest(t, "m.jsonl");
    t.run("report m.jsonl -o page.html").code(0);
    let html = document(t, "page.html", "only=type&is=image/png&filter=001&in=path");
    assert!(html.contains("type: image/png ✕") && html.contains("1 of 300 rows"));
    assert!(html.contains("aria-pressed=\"true\""), "the bar shows that it is chosen");
    let html = document(t, "page.html", "only=last change&from=2003-01-01&below=2004-01-01");
    assert!(html.contains("25 of 300 rows"));
    assert!(document(t, "page.html", "only=no such column&is=x").contains("300 rows"));
    // The chip shows all rows again.
    let expression = "(document.querySelector('.chips button').click(), document.querySelector('.records:last-of-type output').textContent)";
    let undone = measured(t, "page.html", 1200, "only=type&is=image/png", expression);
    assert_eq!(undone, "30 rows");
    // From the keyboard, too.
    let key = "(document.querySelector('.light rect.pick[data-is=\"image/png\"]').dispatchEvent(new KeyboardEvent('keydown', \
               { key: 'Enter', bubbles: true })), document.querySelectorAll('.chips button').length)";
    assert_eq!(measured(t, "page.html", 1200, "", key), "4");
});

case!(each_chapter_has_its_own_choice, |t| {
    manifest(t, "m.jsonl");
    manifest(t, "n.jsonl");
    t.run("report m.jsonl n.jsonl -o page.html").code(0);
    let texts = shown(t, "page.html", &["data-is=\"application/pdf\""]).replace('\u{2009}', "");
    assert_eq!(texts.matches("100 of 300 rows").count(), 1, "{texts}");
    assert!(texts.ends_with("|300 rows"), "{texts}");
});

case!(names_of_groups_are_no_markup_and_no_script, |t| {
    let hostile = "\\u0022></svg><script>document.title='stolen'</script>";
    let record = |number: u32| {
        format!(
            "{{\"path\":\"{number}\",\"size\":1,\"status\":\"hashed\",\"md5\":\"{number:032x}\",\"type\":{{\"mime\":\"{hostile}{}\",\
             \"name\":\"x\",\"extensions\":[]}}}}\n",
            number % 2
        )
    };
    t.file("m.jsonl", (0..120).map(record).collect::<String>());
    t.run("report m.jsonl -o page.html").code(0);
    let html = document(t, "page.html", "");
    assert!(!html.contains("<title>stolen") && html.contains("120 rows"));
    let first = "document.querySelector('.light rect.pick')";
    let texts = "[...document.querySelectorAll('.tools output')].pop().textContent";
    let click = format!("({first}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }})), {texts})");
    assert_eq!(measured(t, "page.html", 1200, "", &click), "60 of 120 rows");
});
