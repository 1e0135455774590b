//! Pages: all text is text, nothing refers to anything outside, the same bytes every time.

use hashloom_report::{Axis, Cell, Chart, Column, Figure, Page, Part, Section, Series, Table, Tone, Verdict};

/// What would be markup, script, or the end of either.
const HOSTILE: &str =
    "</script></style><script>alert(1)</script><img src=http://outside.test/x onerror=a()>\"'&<!--";

fn hostile() -> Page {
    let h = || HOSTILE.to_string();
    let columns = || {
        let state = Column::state(HOSTILE, [(HOSTILE, Tone::Bad)]);
        [Column::words(HOSTILE), Column::code(HOSTILE), Column::number(HOSTILE), state]
    };
    let mut table = Table::new(h(), columns());
    table.push([h().into(), h().into(), Cell::Number(1.5, 1), h().into()]);
    let chart = Chart::bars(h(), Axis::names(h(), [h()]), Axis::linear(h(), h()))
        .with(Series::of_values(h(), [1.0]))
        .with(Series::of_values(h(), [2.0]));
    let parts = vec![
        Part::Text(h()),
        Part::Warning(h()),
        Part::Heading(h()),
        Part::Verdict(Verdict::new(Tone::Good, h())),
        Part::Figures(vec![Figure::new(h(), h())]),
        Part::Facts(vec![(h(), h())]),
        Part::Table(table.clone()),
        Part::Records(table),
        Part::Chart(chart),
    ];
    let sections = vec![Section { title: h(), parts }];
    Page { title: h(), subtitle: h(), verdict: Some(Verdict::new(Tone::Bad, h())), sections, footer: h() }
}

#[test]
fn text_is_never_markup() {
    let html = hostile().html();
    assert!(!html.contains("<img"));
    assert_eq!(html.matches("<script").count(), 2, "the data and the page's own");
    assert_eq!(html.matches("</script").count(), 2);
    assert_eq!(html.matches("</style").count(), 1);
    assert_eq!(html.matches("<!--").count(), 0);
    assert_eq!(html.matches("<svg ").count(), 2);
    assert!(html.matches("alert(1)").count() > 15, "it is there, as text");
}

#[test]
fn nothing_outside_is_referred_to() {
    let page = Page { title: "plain".into(), sections: hostile().sections, ..Page::default() };
    let html = page.html();
    for tag in ["<link ", "src=\"", "href=\"", "url(", "@import", "fetch(", "XMLHttpRequest", "import("] {
        let found: Vec<&str> = html.split(tag).skip(1).map(|rest| &rest[..rest.len().min(40)]).collect();
        match tag {
            "<link " => assert!(found.len() == 1 && found[0].starts_with("rel=\"icon\" href=\"data:,\">")),
            "href=\"" => assert!(found.len() == 1 && found[0].starts_with("data:,")),
            _ => assert!(found.is_empty(), "{tag}: {found:?}"),
        }
    }
}

#[test]
fn the_policy_allows_the_pages_own_script_and_style_alone() {
    let html = hostile().html();
    let policy =
        html.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(!html.contains(" style=\"") && !html.contains(" onclick="), "nothing that the policy forbids");
}

#[test]
fn a_page_is_the_same_every_time() {
    assert_eq!(hostile().html(), hostile().html());
}

#[test]
fn rows_of_a_table_have_a_cell_for_each_column() {
    let mut table = Table::new("", [Column::words("a"), Column::number("b")]);
    table.rows.push(vec!["only one".into()]);
    let page = Page { sections: vec![Section::new("").with(Part::Table(table))], ..Page::default() };
    assert_eq!(page.html().matches("<td ").count(), 2);
}
