//! The messages of the parser of JSON, in the words of people who know what JSON is and not how it is parsed.

/// Returns what is wrong with a text of JSON, without the place.
///
/// ```
/// let wrong = serde_json::from_str::<Vec<String>>("[5]").unwrap_err();
/// assert_eq!(hashmill_manifest::json_fault(&wrong), "integer `5` in the place of a string");
/// ```
pub fn json_fault(source: &serde_json::Error) -> String {
    let text = source.to_string();
    let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
    let in_place = |rest: &str| {
        let (found, wanted) = rest.split_once(", expected ")?;
        Some(format!("{found} in the place of {wanted}"))
    };
    let of_names = |rest: &str| {
        let (name, known) = rest.split_once(", expected ").unwrap_or((rest, "none"));
        format!("{name} is not known there, but {}", known.trim_start_matches("one of "))
    };
    let (begin, rest) = what.split_once(": ").unwrap_or((what, ""));
    let plain = match begin {
        "invalid type" | "invalid value" => in_place(rest),
        "invalid length" => in_place(rest).map(|rest| format!("a length of {rest}")),
        _ if source.is_eof() => Some("it ends too early".into()),
        "expected value" => Some("not JSON".into()),
        "trailing characters" => Some("something follows its end".into()),
        "recursion limit exceeded" => Some("nested too deep".into()),
        _ if begin.contains("untagged enum") => Some("none of the forms that are known".into()),
        _ if source.is_syntax() => Some(format!("not JSON: {what}")),
        _ => None,
    };
    let named = |begin: &str| what.strip_prefix(begin);
    plain
        .or_else(|| Some(format!("has no {}", named("missing field ")?)))
        .or_else(|| Some(format!("has {} twice", named("duplicate field ")?)))
        .or_else(|| Some(of_names(named("unknown field ")?)))
        .or_else(|| Some(of_names(named("unknown variant ")?)))
        .unwrap_or_else(|| what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Example {
        #[serde(rename = "kind")]
        _kind: Kind,
        #[serde(rename = "size", default)]
        _size: u8,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        One,
        Other,
    }

    #[test]
    fn faults_are_told_in_plain_words() {
        for (text, said) in [
            ("{", "it ends too early"),
            ("", "it ends too early"),
            ("[x]", "not JSON"),
            ("{kind}", "not JSON: key must be a string"),
            ("{\"kind\":\"one\"} x", "something follows its end"),
            ("5", "integer `5` in the place of struct Example"),
            ("{}", "has no `kind`"),
            ("{\"kind\":\"one\",\"size\":-1}", "integer `-1` in the place of u8"),
            ("{\"kind\":\"one\",\"kind\":\"other\"}", "has `kind` twice"),
            ("{\"kin\":\"one\"}", "`kin` is not known there, but `kind` or `size`"),
            ("{\"kind\":\"two\"}", "`two` is not known there, but `one` or `other`"),
        ] {
            let wrong = serde_json::from_str::<Example>(text).unwrap_err();
            assert_eq!(json_fault(&wrong), said, "{text}");
        }
    }
}
