//! `-f`: the form of the result, or the format of an exported manifest.

use crate::options::format::{Written, named};
use crate::results::report::ListReport;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hashmill_manifest::format::FORMATS;

/// A value of `-f`; some names are of both kinds.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The form of the result of a run.
    pub report: Option<ListReport>,
    /// The format of a manifest.
    pub manifest: Option<Written>,
}

/// Parses a value of `-f`.
pub fn form() -> impl TypedValueParser<Value = Form> {
    let reports = ListReport::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let written = FORMATS.iter().filter(|format| format.writer.is_some() && of_report(format.name).is_none());
    let manifests = written.map(|format| PossibleValue::new(format.name).aliases(format.aliases));
    PossibleValuesParser::new(reports.chain(manifests).collect::<Vec<_>>())
        .map(|name| Form { report: of_report(&name), manifest: named(&name) })
}

fn of_report(name: &str) -> Option<ListReport> {
    ListReport::from_str(name, false).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    #[test]
    fn names_are_of_results_of_manifests_or_of_both() {
        for (name, is_report, format) in [
            ("text", true, None),
            ("json", true, Some("jsonl")),
            ("ndjson", true, Some("jsonl")),
            ("sums", false, Some("sums")),
            ("coreutils", false, Some("sums")),
        ] {
            let command = Command::new("x").arg(Arg::new("f").value_parser(form()));
            let matches = command.try_get_matches_from(["x", name]).unwrap();
            let form: &Form = matches.get_one("f").unwrap();
            let found = form.manifest.map(|Written(format)| format.name);
            assert_eq!((form.report.is_some(), found), (is_report, format), "{name}");
        }
    }
}
