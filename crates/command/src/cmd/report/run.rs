//! Facts on the run that wrote a result. Unknown keys are shown too.

use super::case::quoted;
use super::json::{exact, plain, rest, shown, text, words};
use super::told::Facts;
use serde_json::{Map, Value};
use std::mem::take;

/// Parts of case data, in the order of a reader's questions.
const CASE: [&str; 3] = ["case", "examiner", "evidence"];
/// The facts of each run, in this order, with their labels.
const RUN: [(&str, &str); 4] =
    [("operands", "looked at"), ("started", "started"), ("ended", "ended"), ("host", "host")];

/// Returns the facts of a run.
pub fn facts(mut run: Map<String, Value>) -> Facts {
    let mut facts = Facts::new();
    match run.remove("case") {
        Some(Value::Object(mut case)) => {
            CASE.iter().for_each(|key| push(&mut facts, key, case.remove(*key)));
            others(&mut facts, case);
        }
        case => push(&mut facts, "case", case),
    }
    CASE[1..].iter().for_each(|key| push(&mut facts, key, run.remove(*key)));
    list(run.remove("manifest")).into_iter().for_each(|manifest| manifest_facts(&mut facts, manifest));
    RUN.iter().for_each(|(key, name)| push(&mut facts, name, run.remove(*key)));
    program(&mut facts, &mut run);
    others(&mut facts, run);
    facts
}

/// Adds the facts of a manifest: its path, its digest, and the signers that were verified.
fn manifest_facts(facts: &mut Facts, manifest: Value) {
    let Value::Object(mut manifest) = manifest else { return push(facts, "manifest", Some(manifest)) };
    let signers = manifest.remove("signers");
    let b64 = manifest.remove("path_b64");
    if let Some(Value::String(path)) = manifest.remove("path") {
        facts.push(("manifest".into(), shown(&path, b64.as_ref().and_then(Value::as_str))));
    }
    for (key, value) in manifest {
        push(facts, &format!("manifest's {}", words(&key)), Some(value));
    }
    if signers == Some(Value::Array(Vec::new())) {
        facts.push(("signed by".into(), "nobody: no signature was verified".into()));
    }
    let signers: Vec<String> = list(signers).into_iter().map(signer).collect();
    if !signers.is_empty() {
        facts.push(("signed by".into(), signers.join("\n")));
    }
}

/// Formats a signer on one line: name, key, namespace, time, then all other keys.
fn signer(signer: Value) -> String {
    let Value::Object(mut signer) = signer else { return text(&signer) };
    let mut part = |key: &str| signer.remove(key).filter(|value| !value.is_null()).map(|value| text(&value));
    let (name, key) = (part("name"), part("key"));
    let namespace = part("namespace").map(|namespace| format!("namespace {namespace}"));
    let time = part("time").map(|time| format!("at {time}"));
    let trusted = part("trusted").filter(|word| word == "false");
    let trusted = trusted.map(|_| "nobody vouches for this key".to_string());
    signer.retain(|_, value| !value.is_null());
    let more = Some(rest(&signer)).filter(|more| !more.is_empty());
    [name, key, namespace, time, trusted, more].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Adds the program, its command line, and the implementations that computed the digests.
fn program(facts: &mut Facts, run: &mut Map<String, Value>) {
    let program: Vec<String> =
        ["tool", "version"].iter().flat_map(|key| list(run.remove(*key))).map(|value| text(&value)).collect();
    push(facts, "program", Some(Value::from(program.join(" "))));
    let command: Vec<String> = list(run.remove("command")).iter().map(word).collect();
    push(facts, "command", Some(Value::from(command.join(" "))));
    for mut used in list(run.remove("algorithms")) {
        let kernels = list(used.get_mut("kernels").map(take)).iter().map(text).collect::<Vec<_>>();
        match used.get("algorithm").and_then(Value::as_str) {
            Some(algorithm) => {
                facts.push(("computed by".into(), format!("{}: {}", plain(algorithm), kernels.join(", "))));
            }
            None => push(facts, "computed by", Some(used)),
        }
    }
}

/// Returns a word of a command line.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| line(value), |word| quoted(word.as_bytes()))
}

/// Adds a fact, unless it is unknown; each value of a list has a line of its own.
fn push(facts: &mut Facts, name: &str, value: Option<Value>) {
    let lines: Vec<String> = list(value).iter().map(line).filter(|line| !line.is_empty()).collect();
    if !lines.is_empty() {
        facts.push((plain(name), lines.join("\n")));
    }
}

/// Formats a value on one line.
fn line(value: &Value) -> String {
    match value {
        Value::Object(object) => exact(object).unwrap_or_else(|| rest(object)),
        _ => text(value),
    }
}

fn others(facts: &mut Facts, object: Map<String, Value>) {
    object.into_iter().for_each(|(key, value)| push(facts, &words(&key), Some(value)));
}

/// Returns the values of a list, or a single value as a list.
fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(values)) => values,
        Some(value) => vec![value],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(json: &str) -> Vec<String> {
        let facts = facts(serde_json::from_str(json).unwrap());
        facts.iter().map(|(name, value)| format!("{name}: {value}")).collect()
    }

    #[test]
    fn a_run_names_its_case_its_manifest_and_its_signers() {
        let run = r#"{"manifest":{"path":"m.jsonl","sha256":"00ff","signers":[{"name":"ada","key":"SHA256:x",
            "namespace":"file","time":"2026-01-02T03:04:05Z","trusted":true},{"name":null,"key":"RW","trusted":false}]},
            "operands":["a",{"text":"?","b64":"/w=="}],"started":"s","ended":"e","host":"h","tool":"hashmill",
            "version":"1","command":["hashmill","audit","--examiner","A. Doe"],"algorithms":[{"algorithm":"md5","kernels":["x","y"]}],
            "case":"7","evidence":"disk","examiner":null,"resumed_by":["x","y"]}"#;
        let wanted = [
            "case: 7",
            "evidence: disk",
            "manifest: m.jsonl",
            "manifest's sha256: 00ff",
            "signed by: ada, SHA256:x, namespace file, at 2026-01-02T03:04:05Z\nRW, nobody vouches for this key",
            "looked at: a\n\\xff",
            "started: s",
            "ended: e",
            "host: h",
            "program: hashmill 1",
            "command: hashmill audit --examiner 'A. Doe'",
            "computed by: md5: x, y",
            "resumed by: x\ny",
        ];
        assert_eq!(told(run), wanted);
    }

    #[test]
    fn other_forms_are_shown_and_nothing_fails() {
        assert_eq!(told("{}"), [] as [&str; 0]);
        let several = r#"{"case":{"case":"7","x":1},"examiner":"Ada","manifest":[{"path":"a","path_b64":"/w==",
            "sha256":null,"signers":[]},"b"]}"#;
        let wanted = [
            "case: 7",
            "x: 1",
            "examiner: Ada",
            "manifest: \\xff",
            "signed by: nobody: no signature was verified",
            "manifest: b",
        ];
        assert_eq!(told(several), wanted);
        let odd =
            r#"{"operands":[{"a":1}],"host":{"name":"\u202e"},"manifest":7,"algorithms":["x"],"tool":[]}"#;
        let wanted = ["manifest: 7", "looked at: a 1", "host: name \\u{202e}", "computed by: x"];
        assert_eq!(told(odd), wanted);
    }
}
