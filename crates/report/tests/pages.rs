//! Pages: text is never markup, nothing refers to anything outside, and pages are reproducible.

use hashmill_report::{
    Axis, Cell, Chapter, Chart, Column, Extent, Figure, Page, PageVerdict, Section, SectionPart, Series,
    Table, Tone,
};

/// Text that would be markup, script, or the end of either.
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
        SectionPart::Text(h()),
        SectionPart::Warning(h()),
        SectionPart::Figures(vec![Figure::new(h(), h())]),
        SectionPart::Facts(vec![(h(), h())]),
        SectionPart::Table(table.clone()),
        SectionPart::Records(table),
        SectionPart::Chart(chart),
    ];
    let sections = vec![Section { title: h(), parts }];
    let chapter = Chapter {
        kind: h(),
        title: h(),
        verdict: PageVerdict::new(Tone::Doubtful, h()),
        sections: vec![Section::new(h())],
    };
    Page {
        title: h(),
        verdict: Some(PageVerdict::new(Tone::Bad, h())),
        about: vec![(h(), h())],
        sections,
        chapters: vec![chapter],
        footer: h(),
    }
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
    let page = Page { title: "plain".into(), ..hostile() };
    let html = page.html();
    for tag in ["<link ", "src=\"", "href=\"", "url(", "@import", "fetch(", "XMLHttpRequest", "import("] {
        let found: Vec<&str> = html.split(tag).skip(1).map(|rest| &rest[..rest.len().min(40)]).collect();
        match tag {
            "<link " => assert!(found.len() == 1 && found[0].starts_with("rel=\"icon\" href=\"data:,\">")),
            "href=\"" => {
                assert!(
                    found.len() == 2 && found[0].starts_with("data:,") && found[1].starts_with("#part-1\"")
                );
            }
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
    let page = Page { sections: vec![Section::new("").with(SectionPart::Table(table))], ..Page::default() };
    assert_eq!(page.html().matches("<td ").count(), 2);
}

#[test]
fn a_page_begins_with_the_verdicts_of_its_chapters_and_links_to_them() {
    let chapter = |title: &str, tone| Chapter {
        kind: "audit".into(),
        title: title.into(),
        verdict: PageVerdict::new(tone, format!("{title} in a sentence")),
        sections: vec![Section::new(format!("{title} in full"))],
    };
    let chapters = vec![chapter("first", Tone::Bad), chapter("second", Tone::Good)];
    let html = Page { chapters, ..Page::new("all") }.html();
    let places = [
        "<b class=\"mark bad\">failed</b>",
        "href=\"#part-1\">1. first<",
        "first in a sentence",
        "<b class=\"mark good\">passed</b>",
        "href=\"#part-2\">2. second<",
        "second in a sentence",
        "<article id=\"part-1\">",
        "<h3>first in full</h3>",
        "<article id=\"part-2\">",
        "<h3>second in full</h3>",
    ];
    let found: Vec<Option<usize>> = places.iter().map(|place| html.find(place)).collect();
    assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{found:?}");
}

#[test]
fn behind_a_long_list_of_chapters_nothing_is_lost() {
    let html = |chapters: usize| {
        let chapter = Chapter {
            kind: String::new(),
            title: "title".into(),
            verdict: PageVerdict::new(Tone::Good, "fine"),
            sections: Vec::new(),
        };
        let about = vec![("case".to_string(), "2026-17".to_string())];
        Page { about, chapters: vec![chapter; chapters], ..Page::default() }.html()
    };
    let place = |html: &str| (html.matches("2026-17").count(), html.find("2026-17"), html.find("<nav"));
    let (few, many) = (html(3), html(13));
    assert!(matches!(place(&few), (1, about, list) if list < about), "{few}");
    assert!(matches!(place(&many), (1, about, list) if about < list), "{many}");
}

#[test]
fn without_a_script_the_rows_that_matter_are_there() {
    let html = |extent, rows: usize| {
        let state = Column::state("category", [("missing", Tone::Bad)]);
        let mut table = Table::new("caption", [Column::code("path"), state]);
        (0..rows).for_each(|row| table.push([format!("row{row:05}").into(), "missing".into()]));
        let section = Section::new("").with(SectionPart::Records(table.extent(extent)));
        Page { sections: vec![section], ..Page::default() }.html()
    };
    let plain = |html: &str| {
        let start = html.find("<noscript>").unwrap();
        html[start..html.find("</noscript>").unwrap()].to_string()
    };
    let every = plain(&html(Extent::Every, 2100));
    assert!(every.contains(">row00000<") && every.contains(">row01999<") && !every.contains(">row02000<"));
    assert!(every.contains("first 2000 of 2100 rows") && every.contains("class=\"state bad\""));
    assert!(!plain(&html(Extent::Every, 3)).contains("first"));
    let folded = plain(&html(Extent::Folded, 3));
    assert!(folded.contains("<details><summary>Show 3 rows</summary>") && folded.contains(">row00002<"));
    assert!(plain(&html(Extent::First, 300)).contains("first 100 of 300 rows"));
}

/// Returns the colours of the style by name, for light or dark pages.
fn colours(style: &str) -> Vec<(&str, [f64; 3])> {
    let pairs = style.split(';').filter_map(|one| one.rsplit(['{', '\n']).next()?.trim().split_once(": #"));
    let part = |hex: &str, at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
    pairs.map(|(name, hex)| (name, [0, 2, 4].map(|at| part(hex, at)))).collect()
}

/// Returns the contrast as defined by the accessibility guidelines (WCAG 2.2).
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let linear = |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
    let light = |[red, green, blue]: [f64; 3]| {
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) + 0.05
    };
    let (one, other) = (light(one), light(other));
    one.max(other) / one.min(other)
}

#[test]
fn text_has_contrast_on_light_and_on_dark_pages() {
    let html = Page::new("").html();
    let style = html.split("<style>").nth(1).unwrap();
    let (light, rest) = style.split_once("@media (prefers-color-scheme: dark)").unwrap();
    let dark = rest.split_once("* {").unwrap().0;
    for theme in [colours(light), colours(dark)] {
        let colour = |wanted: &str| theme.iter().find(|(name, _)| *name == wanted).expect(wanted).1;
        for ground in ["--ground", "--raised"] {
            for text in ["--text", "--faint", "--good", "--doubtful", "--bad", "--accent"] {
                let found = contrast(colour(text), colour(ground));
                assert!(found >= 4.5, "{text} on {ground}: {found}");
            }
        }
    }
}
