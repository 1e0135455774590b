//! A page of one part or of several: their order, the overall verdict, and the facts of the case.

use super::told::{Facts, ReportedResult};
use crate::output::Output;
use hashmill_report::{Chapter, Page, PageVerdict, Tone};
use std::cmp::Reverse;

/// The most values of a fact that the first page lists.
const VALUES: usize = 6;

/// Writes a page and gives it its name.
///
/// # Errors
/// If it cannot be written.
pub fn write(page: &Page, mut output: Output) -> anyhow::Result<()> {
    page.write(&mut output).map_err(|error| output.error(error))?;
    Ok(output.finish()?)
}

/// Returns the page of these parts. Of several, those that failed come first.
pub fn page(mut told: Vec<ReportedResult>) -> Page {
    let footer = format!("Made by hashmill {}.", env!("CARGO_PKG_VERSION"));
    if told.len() == 1 {
        let ReportedResult { title, verdict, sections, .. } = told.remove(0);
        return Page { title, verdict: Some(verdict), sections, footer, ..Page::default() };
    }
    told.sort_by_key(|one| Reverse(weight(one.verdict.tone)));
    let verdict = Some(overall(&told));
    let about = about(&told);
    let chapters = told.into_iter().map(chapter).collect();
    Page { title: "Report".into(), verdict, about, chapters, footer, ..Page::default() }
}

fn chapter(told: ReportedResult) -> Chapter {
    let ReportedResult { kind, title, verdict, sections, .. } = told;
    Chapter { kind: kind.into(), title, verdict, sections }
}

/// Returns the overall verdict: how many parts passed, and the kinds of the others.
fn overall(told: &[ReportedResult]) -> PageVerdict {
    let number = |tone: Tone| told.iter().filter(|one| one.verdict.tone == tone).count();
    let (failed, review) = (number(Tone::Bad), number(Tone::Doubtful));
    let others = [
        (failed, format!("{failed} failed")),
        (review, format!("{review} to be reviewed")),
        (number(Tone::Plain), format!("{} without a verdict", number(Tone::Plain))),
    ];
    let others: Vec<String> =
        others.into_iter().filter(|(number, _)| *number > 0).map(|(_, text)| text).collect();
    let passed = format!("{} of {} parts passed", number(Tone::Good), told.len());
    let text = if others.is_empty() { passed } else { format!("{passed}: {}", others.join(", ")) };
    let worst = told.iter().map(|one| one.verdict.tone).max_by_key(|tone| weight(*tone));
    PageVerdict::new(worst.unwrap_or_default(), format!("{text}."))
}

fn weight(tone: Tone) -> u8 {
    match tone {
        Tone::Good => 0,
        Tone::Plain => 1,
        Tone::Doubtful => 2,
        Tone::Bad => 3,
    }
}

/// A fact that parts state, and its values.
struct Fact {
    name: String,
    /// Each value, and the numbers of the parts that have it.
    values: Vec<(String, Vec<usize>)>,
}

/// Returns the facts of the case and of the runs, each once. Values that not all parts share name their parts.
fn about(told: &[ReportedResult]) -> Facts {
    let mut facts: Vec<Fact> = Vec::new();
    for (part, one) in told.iter().enumerate() {
        one.about.iter().for_each(|(name, value)| note(&mut facts, name, value, part + 1));
    }
    facts.into_iter().map(|fact| (fact.name, listed(fact.values))).collect()
}

fn note(facts: &mut Vec<Fact>, name: &str, value: &str, part: usize) {
    let place = facts.iter().position(|fact| fact.name == name).unwrap_or_else(|| {
        facts.push(Fact { name: name.into(), values: Vec::new() });
        facts.len() - 1
    });
    let values = &mut facts[place].values;
    match values.iter_mut().find(|(known, _)| known == value) {
        Some((_, parts)) => parts.push(part),
        None => values.push((value.into(), vec![part])),
    }
}

fn listed(values: Vec<(String, Vec<usize>)>) -> String {
    let more = values.len().saturating_sub(VALUES);
    let line = |(value, mut parts): (String, Vec<usize>)| {
        parts.dedup();
        let word = if parts.len() == 1 { "part" } else { "parts" };
        let parts: Vec<String> = parts.iter().map(usize::to_string).collect();
        format!("{value} ({word} {})", parts.join(", "))
    };
    let mut lines: Vec<String> = values.into_iter().take(VALUES).map(line).collect();
    if more > 0 {
        lines.push(format!("and {more} more, which the parts have"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(title: &str, tone: Tone, about: &[(&str, &str)]) -> ReportedResult {
        let about = about.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let verdict = PageVerdict::new(tone, title);
        ReportedResult {
            kind: "audit",
            title: title.into(),
            verdict,
            about,
            sections: Vec::new(),
            malformed: 0,
        }
    }

    #[test]
    fn parts_that_failed_come_first_and_are_counted() {
        let tones = [Tone::Good, Tone::Bad, Tone::Doubtful, Tone::Good, Tone::Bad, Tone::Plain];
        let names = ["a", "b", "c", "d", "e", "f"];
        let parts = names.iter().zip(tones).map(|(name, tone)| told(name, tone, &[])).collect();
        let page = page(parts);
        let order: Vec<&str> = page.chapters.iter().map(|chapter| &*chapter.title).collect();
        assert_eq!(order, ["b", "e", "c", "f", "a", "d"]);
        let text = "2 of 6 parts passed: 2 failed, 1 to be reviewed, 1 without a verdict.";
        assert_eq!(page.verdict, Some(PageVerdict::new(Tone::Bad, text)));
        let good = super::page(vec![told("a", Tone::Good, &[]), told("b", Tone::Good, &[])]);
        assert_eq!(good.verdict, Some(PageVerdict::new(Tone::Good, "2 of 2 parts passed.")));
    }

    #[test]
    fn facts_that_parts_share_are_told_once() {
        let parts = [
            told("a", Tone::Good, &[("case", "7"), ("host", "one")]),
            told("b", Tone::Good, &[("host", "two"), ("case", "7")]),
            told("c", Tone::Good, &[]),
        ];
        let pairs = [("case", "7 (parts 1, 2)"), ("host", "one (part 1)\ntwo (part 2)")];
        assert_eq!(about(&parts), pairs.map(|(name, value)| (name.to_string(), value.to_string())));
        let many: Vec<ReportedResult> =
            (0..9).map(|number| told("x", Tone::Good, &[("case", &number.to_string())])).collect();
        assert!(about(&many)[0].1.ends_with("and 3 more, which the parts have"), "{:?}", about(&many));
    }
}
