//! Signatures from the elements of a file.

use super::element::Element;
use super::error::SignatureError;
use super::matcher::{Anchor, Sequence};
use super::pattern::{Item, parse};
use std::collections::BTreeMap;

/// The most items of the sequences of one signature.
const MAX_ITEMS: usize = 64 << 10;

/// Returns the byte sequences of a signature, each of which must match.
pub(super) fn sequences(signature: &Element) -> Result<Vec<Sequence>, SignatureError> {
    let all = signature.all("ByteSequence").map(sequence).collect::<Result<Vec<_>, _>>()?;
    if all.is_empty() {
        return Err(signature.error("the signature has no ByteSequence".into()));
    }
    if all.iter().map(|sequence| count(&sequence.items)).sum::<usize>() > MAX_ITEMS {
        return Err(signature.error(format!("the signature has more than {MAX_ITEMS} parts")));
    }
    Ok(all)
}

/// Returns the number of items, with those of alternatives.
fn count(items: &[Item]) -> usize {
    let inside = |item: &Item| match item {
        Item::Choice(all) => 1 + all.iter().map(|one| count(one)).sum::<usize>(),
        _ => 1,
    };
    items.iter().map(inside).sum()
}

fn sequence(element: &Element) -> Result<Sequence, SignatureError> {
    let anchor = match element.attribute("Reference") {
        Some("BOFoffset") => Anchor::Start,
        Some("EOFoffset") => Anchor::End,
        None | Some("Variable" | "NOFoffset") => Anchor::Anywhere,
        Some(other) => {
            return Err(element.error(format!("no Reference is named '{}'", other.escape_debug())));
        }
    };
    let mut parts = BTreeMap::new();
    for part in element.all("SubSequence") {
        let position = part.number("Position")?.unwrap_or(1);
        if parts.insert(position, part).is_some() {
            return Err(part.error(format!("two SubSequences have the position {position}")));
        }
    }
    let mut items = Vec::new();
    for (order, part) in parts.into_values().enumerate() {
        let gap = offset(part, order > 0 || anchor == Anchor::Anywhere)?;
        let inside = subsequence(part)?;
        // The first is the one that is the nearest to the end.
        match anchor {
            Anchor::End => {
                let after = std::mem::replace(&mut items, inside);
                items.push(gap);
                items.extend(after);
            }
            _ => {
                items.push(gap);
                items.extend(inside);
            }
        }
    }
    if items.is_empty() {
        return Err(element.error("the ByteSequence has no SubSequence".into()));
    }
    Ok(Sequence { anchor, items })
}

/// Returns the gap before a subsequence; after it, if it is counted from the end.
fn offset(part: &Element, is_open: bool) -> Result<Item, SignatureError> {
    let min = part.number("SubSeqMinOffset")?.unwrap_or(0);
    let max = match part.number("SubSeqMaxOffset")? {
        // Some signatures have a least offset alone, and 0 as the other one.
        Some(max) => Some(max.max(min)),
        None if is_open => None,
        None => Some(min),
    };
    Ok(Item::Gap { min, max })
}

fn subsequence(part: &Element) -> Result<Vec<Item>, SignatureError> {
    let main =
        part.all("Sequence").next().ok_or_else(|| part.error("the SubSequence has no Sequence".into()))?;
    let mut items = Vec::new();
    for (_, all) in fragments(part, "LeftFragment", |inside, gap| {
        inside.push(gap);
    })?
    .into_iter()
    .rev()
    {
        items.push(Item::Choice(all));
    }
    items.extend(parse_at(main)?);
    for (_, all) in fragments(part, "RightFragment", |inside, gap| inside.insert(0, gap))? {
        items.push(Item::Choice(all));
    }
    Ok(items.into_iter().flat_map(without_choice).collect())
}

/// Returns the items of a group of one alternative consists of.
fn without_choice(item: Item) -> Vec<Item> {
    match item {
        Item::Choice(mut all) if all.len() == 1 => all.pop().unwrap_or_default(),
        other => vec![other],
    }
}

/// Returns the fragments of one side with their gaps, by their position; those of one position are alternatives.
fn fragments(
    part: &Element,
    name: &str,
    join: impl Fn(&mut Vec<Item>, Item),
) -> Result<BTreeMap<u32, Vec<Vec<Item>>>, SignatureError> {
    let mut all: BTreeMap<u32, Vec<Vec<Item>>> = BTreeMap::new();
    for fragment in part.all(name) {
        let position = fragment.number("Position")?.unwrap_or(1);
        let min = fragment.number("MinOffset")?.unwrap_or(0);
        let max = fragment.number("MaxOffset")?.map(|max| max.max(min));
        let mut inside = parse_at(fragment)?;
        join(&mut inside, Item::Gap { min, max });
        all.entry(position).or_default().push(inside);
    }
    Ok(all)
}

fn parse_at(element: &Element) -> Result<Vec<Item>, SignatureError> {
    parse(element.text.trim()).map_err(|what| element.error(what))
}
