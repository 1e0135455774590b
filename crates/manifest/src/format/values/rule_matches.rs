//! The rules that match as JSON: an array of objects with `rule`, `namespace`, `tags`, `meta` (an object; a name that
//! comes more than once has an array) and, if they were asked for, `strings` (`name`, `count`, and `places`: pairs of
//! offset and length).

use hashmill_facts::{Meta, MetaValue, Rule, RuleMatch, StringMatches};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Returns the JSON of rules that match.
pub(in crate::format) fn to_json(matches: &[RuleMatch]) -> Value {
    matches.iter().map(of_match).collect()
}

fn of_match(found: &RuleMatch) -> Value {
    let Rule { name, namespace, tags, meta } = &*found.rule;
    let mut object = json!({"rule": name, "namespace": namespace, "tags": tags, "meta": of_meta(meta)});
    if !found.strings.is_empty() {
        object["strings"] = found.strings.iter().map(of_string).collect();
    }
    object
}

fn of_meta(meta: &[Meta]) -> Map<String, Value> {
    let mut object: Map<String, Value> = Map::new();
    for Meta { name, value } in meta {
        let value = of_value(value);
        match object.get_mut(&**name) {
            None => {
                object.insert(name.to_string(), value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = json!([first.take(), value]),
        }
    }
    object
}

fn of_value(value: &MetaValue) -> Value {
    match value {
        MetaValue::Text(text) => (&**text).into(),
        MetaValue::Integer(number) => (*number).into(),
        MetaValue::Truth(is_so) => (*is_so).into(),
    }
}

fn of_string(string: &StringMatches) -> Value {
    json!({"name": string.name, "count": string.count, "places": string.places})
}

/// Returns the rules in a JSON array; `None` if it is none of ours.
pub(in crate::format) fn from_json(array: &Value) -> Option<Box<[RuleMatch]>> {
    array.as_array()?.iter().map(to_match).collect()
}

fn to_match(object: &Value) -> Option<RuleMatch> {
    let text = |name: &str| object.get(name)?.as_str().map(Box::from);
    let tags = object.get("tags")?.as_array()?.iter().map(|tag| tag.as_str().map(Box::from));
    let rule = Rule {
        name: text("rule")?,
        namespace: text("namespace")?,
        tags: tags.collect::<Option<_>>()?,
        meta: to_meta(object.get("meta")?.as_object()?)?,
    };
    let strings =
        object.get("strings").map_or(Some(&[][..]), |strings| strings.as_array().map(Vec::as_slice))?;
    Some(RuleMatch { rule: Arc::new(rule), strings: strings.iter().map(to_string).collect::<Option<_>>()? })
}

fn to_meta(object: &Map<String, Value>) -> Option<Box<[Meta]>> {
    let mut meta = Vec::with_capacity(object.len());
    for (name, value) in object {
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values {
            meta.push(Meta { name: name.as_str().into(), value: to_value(value)? });
        }
    }
    // Whether objects keep the order of their names depends on features of other crates.
    meta.sort_by(|one: &Meta, other| one.name.cmp(&other.name));
    Some(meta.into())
}

fn to_value(value: &Value) -> Option<MetaValue> {
    match value {
        Value::String(text) => Some(MetaValue::Text(text.as_str().into())),
        Value::Bool(is_so) => Some(MetaValue::Truth(*is_so)),
        value => value.as_i64().map(MetaValue::Integer),
    }
}

fn to_string(object: &Value) -> Option<StringMatches> {
    let name = object.get("name")?.as_str()?.into();
    let places = object.get("places")?.as_array()?.iter().map(|pair| match pair.as_array()?.as_slice() {
        [offset, length] => Some((offset.as_u64()?, length.as_u64()?)),
        _ => None,
    });
    Some(StringMatches {
        name,
        places: places.collect::<Option<_>>()?,
        count: object.get("count")?.as_u64()?,
    })
}
