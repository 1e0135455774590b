//! A page as HTML, whose texts are escaped by [`Markup`]. A policy with the digests of the page's own style and script makes
//! the browser refuse any other.

use super::data::Data;
use super::model::{Chapter, Figure, Page, PageVerdict, Section, SectionPart};
use super::table::{Cell, Extent, Table};
use crate::markup::{Attribute, Markup};
use crate::{Chart, Theme};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPT: &str = include_str!("../../assets/page.js");

/// With more chapters, their list may fill the first sheet of paper: then it is compact, and comes after the facts.
const FEW_CHAPTERS: usize = 12;

pub(super) fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let mut markup = Markup::new(out);
    markup.raw("<!DOCTYPE html>\n");
    markup.element("html", &[("lang", &"en")], |markup| {
        head(page, markup);
        markup.element("body", &[], |markup| {
            markup.element("header", &[], |markup| header(page, markup));
            markup.element("main", &[], |markup| {
                sections(&page.sections, 2, markup);
                let numbered = page.chapters.iter().enumerate();
                numbered.for_each(|(number, each)| chapter(number + 1, each, markup));
            });
            if !page.footer.is_empty() {
                markup.element("footer", &[], |markup| markup.line("p", &[], &page.footer));
            }
            markup.element("script", &[], |markup| markup.raw(SCRIPT));
        });
    });
    markup.finish()
}

fn head(page: &Page, markup: &mut Markup<'_>) {
    markup.element("head", &[], |markup| {
        markup.open("meta", &[("charset", &"utf-8")]);
        markup.open("meta", &[("http-equiv", &"Content-Security-Policy"), ("content", &policy())]);
        for (name, content) in [
            ("viewport", "width=device-width, initial-scale=1"),
            ("color-scheme", "light dark"),
            ("referrer", "no-referrer"),
        ] {
            markup.open("meta", &[("name", &name), ("content", &content)]);
        }
        markup.raw("<link rel=\"icon\" href=\"data:,\">\n");
        markup.line("title", &[], &page.title);
        markup.element("style", &[], |markup| markup.raw(STYLE));
    });
}

/// Returns the policy: the browser may load nothing, and only run what has these digests.
fn policy() -> String {
    let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

/// Writes the heading, the verdict, the facts about the page, and the list of chapters.
fn header(page: &Page, markup: &mut Markup<'_>) {
    let many = page.chapters.len() > FEW_CHAPTERS;
    markup.line("h1", &[], &page.title);
    page.verdict.iter().for_each(|one| verdict(one, markup));
    if many && !page.about.is_empty() {
        facts(&page.about, markup);
    }
    if !page.chapters.is_empty() {
        let class = if many { "parts many" } else { "parts" };
        markup.element("nav", &[("aria-label", &"parts")], |markup| {
            markup.element("ol", &[("class", &class)], |markup| {
                let numbered = page.chapters.iter().enumerate();
                numbered.for_each(|(number, chapter)| entry(number + 1, chapter, markup));
            });
        });
    }
    if !many && !page.about.is_empty() {
        facts(&page.about, markup);
    }
}

/// Writes the entry of a chapter in the list of chapters.
fn entry(number: usize, chapter: &Chapter, markup: &mut Markup<'_>) {
    let Chapter { kind, title, verdict: PageVerdict { tone, text }, .. } = chapter;
    markup.element("li", &[], |markup| {
        markup.line("b", &[("class", &format_args!("mark {}", tone.word()))], tone.mark());
        markup.element("div", &[], |markup| {
            let link: Attribute<'_> = ("href", &format_args!("#part-{number}"));
            markup.line("a", &[link], format_args!("{number}. {title}"));
            markup.line("span", &[("class", &"kind")], kind);
            markup.raw("<br>");
            markup.text(text);
        });
    });
}

fn chapter(number: usize, chapter: &Chapter, markup: &mut Markup<'_>) {
    markup.element("article", &[("id", &format_args!("part-{number}"))], |markup| {
        markup.element("h2", &[], |markup| {
            markup.line("span", &[], format_args!("{number}. {}", chapter.title));
            markup.line("span", &[("class", &"kind")], &chapter.kind);
        });
        verdict(&chapter.verdict, markup);
        sections(&chapter.sections, 3, markup);
    });
}

/// Writes sections with headings of this level.
fn sections(sections: &[Section], level: usize, markup: &mut Markup<'_>) {
    for section in sections {
        markup.element("section", &[], |markup| {
            heading(&section.title, level, markup);
            for parts in section.parts.chunk_by(|one, next| is_chart(one) && is_chart(next)) {
                group(parts, level + 1, markup);
            }
        });
    }
}

/// Writes a heading, unless it is empty.
fn heading(title: &str, level: usize, markup: &mut Markup<'_>) {
    if !title.is_empty() {
        markup.line(["h1", "h2", "h3", "h4"][level.clamp(1, 4) - 1], &[], title);
    }
}

fn is_chart(part: &SectionPart) -> bool {
    matches!(part, SectionPart::Chart(_))
}

/// Writes parts that follow one another: charts side by side, where there is room.
fn group(parts: &[SectionPart], level: usize, markup: &mut Markup<'_>) {
    let each = |markup: &mut Markup<'_>| parts.iter().for_each(|one| part(one, level, markup));
    if parts.first().is_some_and(is_chart) {
        markup.element("div", &[("class", &"charts")], each);
    } else {
        each(markup);
    }
}

/// Writes a part of a section; `level` is the level of a heading in it.
fn part(part: &SectionPart, level: usize, markup: &mut Markup<'_>) {
    match part {
        SectionPart::Text(text) => markup.line("p", &[], text),
        SectionPart::Warning(text) => markup.line("p", &[("class", &"warning")], text),
        SectionPart::Figures(all) => figures(all, markup),
        SectionPart::Facts(all) => facts(all, markup),
        SectionPart::Chart(chart) => themed(chart, markup),
        SectionPart::Table(table) => {
            let caption = &table.caption;
            markup.element("div", &[("class", &"wide")], |markup| {
                rows(table, caption, &table.rows, "listed stacks", markup);
            });
        }
        SectionPart::Records(table) => {
            markup.element("div", &[("class", &"records")], |markup| records(table, level, markup));
        }
    }
}

fn verdict(verdict: &PageVerdict, markup: &mut Markup<'_>) {
    markup.line("p", &[("class", &format_args!("verdict {}", verdict.tone.word()))], &verdict.text);
}

fn figures(figures: &[Figure], markup: &mut Markup<'_>) {
    markup.element("ul", &[("class", &"figures")], |markup| {
        for figure in figures {
            markup.element("li", &[("class", &figure.tone.word())], |markup| {
                markup.line("b", &[], &figure.value);
                markup.line("span", &[], &figure.label);
            });
        }
    });
}

fn facts(facts: &[(String, String)], markup: &mut Markup<'_>) {
    markup.element("dl", &[], |markup| {
        for (name, value) in facts {
            markup.element("div", &[], |markup| {
                markup.line("dt", &[], name);
                markup.line("dd", &[], value);
            });
        }
    });
}

/// Writes a chart in both themes, of which the style shows one.
fn themed(chart: &Chart, markup: &mut Markup<'_>) {
    markup.element("figure", &[("class", &"chart")], |markup| {
        for (theme, class) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            markup.element("div", &[("class", &class)], |markup| chart.draw(theme, markup));
        }
    });
}

/// Writes a table of records: its data for the script, and the first rows for a browser without scripts.
fn records(table: &Table, level: usize, markup: &mut Markup<'_>) {
    heading(&table.caption, level, markup);
    markup.element("script", &[("type", &"application/json")], |markup| markup.json(Data(table)));
    let (most, count) = (table.extent.plain_rows(), table.rows.len());
    // Without a script, the available room can't be measured.
    let first = &table.rows[..count.min(most)];
    markup.element("noscript", &[], |markup| {
        if count > most {
            let warning = format_args!(
                "These are the first {most} of {count} rows. All of them are in this file as JSON; the browser has to run the \
                 script of this page to show, sort and filter them."
            );
            markup.line("p", &[("class", &"warning")], warning);
        }
        if table.extent == Extent::Folded {
            markup.element("details", &[], |markup| {
                markup.line("summary", &[], format_args!("Show {count} rows"));
                rows(table, "", first, "listed entries", markup);
            });
        } else {
            markup.element("div", &[("class", &"wide")], |markup| {
                rows(table, "", first, "listed entries", markup);
            });
        }
    });
}

/// Writes rows of a table below a caption, with the class `form` if they may stack.
fn rows(table: &Table, caption: &str, rows: &[Vec<Cell>], form: &str, markup: &mut Markup<'_>) {
    let class = if table.stacks() { form } else { "listed" };
    markup.element("table", &[("class", &class)], |markup| {
        if !caption.is_empty() {
            markup.line("caption", &[], caption);
        }
        markup.element("thead", &[], |markup| {
            markup.element("tr", &[], |markup| {
                for column in &table.columns {
                    let class = column.show.word();
                    markup.line("th", &[("scope", &"col"), ("class", &class)], &column.title);
                }
            });
        });
        markup.element("tbody", &[], |markup| {
            rows.iter().for_each(|cells| markup.element("tr", &[], |markup| row(table, cells, markup)));
        });
    });
}

fn row(table: &Table, cells: &[Cell], markup: &mut Markup<'_>) {
    for (number, column) in table.columns.iter().enumerate() {
        let text = cells.get(number).map(Cell::to_string).unwrap_or_default();
        let class = format_args!("{} {}", column.show.word(), column.show.tone(&text).word()).to_string();
        let attributes: [Attribute<'_>; 2] = [("class", &class), ("data-label", &column.title)];
        markup.line("td", &attributes[..if table.stacks() { 2 } else { 1 }], text);
    }
}
