//! Formats of PRONOM as JSON: an array of objects with `puid`, `name`, `version`, `mime` and `basis`.

use hashmill_facts::{Basis, PronomFormat};
use serde_json::{Map, Value};

/// The most formats that are read.
const MAX_FORMATS: usize = 4096;

/// Returns formats as JSON. Texts that PRONOM does not have are left out.
pub(in crate::format) fn to_json(formats: &[PronomFormat]) -> String {
    let all = formats.iter().map(|PronomFormat { puid, name, version, mime, basis }| {
        let texts = [
            ("puid", &**puid),
            ("name", name),
            ("version", version),
            ("mime", mime),
            ("basis", basis.word()),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let texts: Vec<String> =
            texts.map(|(key, text)| format!("\"{key}\":{}", Value::from(text))).collect();
        format!("{{{}}}", texts.join(","))
    });
    format!("[{}]", all.collect::<Vec<_>>().join(","))
}

/// Parses formats; `None` if they are not ours.
pub(in crate::format) fn from_json(text: &[u8]) -> Option<Box<[PronomFormat]>> {
    let all: Vec<Map<String, Value>> = serde_json::from_slice(text).ok()?;
    all.iter().take(MAX_FORMATS).map(format).collect()
}

fn format(parts: &Map<String, Value>) -> Option<PronomFormat> {
    let text = |key| parts.get(key).and_then(Value::as_str);
    let some = |key| text(key).unwrap_or_default().into();
    let (puid, basis) = (text("puid")?.into(), Basis::from_word(text("basis")?)?);
    Some(PronomFormat { puid, name: some("name"), version: some("version"), mime: some("mime"), basis })
}
