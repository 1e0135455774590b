//! The explanation for people.

use super::place::{ExplainedPath, Layer, Lies, Reading};
use super::rates::Rate;
use super::residency::Sample;
use super::store::Stored;
use super::{Explanation, Hashing};
use crate::settings::ChangedOption;
use crate::words::amount::BinaryBytes;
use crate::words::facts::wrapped;
use crate::words::message::{Shown, count};
use crate::words::status;

pub fn whole(explanation: &Explanation) -> String {
    let places = explanation.paths.iter().map(|place| place_lines(place) + "\n");
    let stores = explanation.locations.iter().map(|stored| store_lines(stored) + "\n");
    places.collect::<String>()
        + &stores.collect::<String>()
        + &hashing_lines(&explanation.hashing)
        + &settings_lines(&explanation.settings)
}

fn place_lines(place: &ExplainedPath) -> String {
    let device = place.device.as_ref().map(device_lines).unwrap_or_default();
    format!("{}\n", Shown(&place.bytes))
        + &device
        + &line("reading", &readers(&place.reading))
        + &line("why", &place.reading.why)
        + &line("page cache", place.reading.page_cache)
        + &line("mapping", place.reading.mapping)
        + &line("in memory", &sample(&place.cached))
}

fn store_lines(stored: &Stored) -> String {
    let lines =
        stored.lines().into_iter().map(|(what, text)| line(what, &Shown(text.as_bytes()).to_string()));
    format!("{}\n", Shown(stored.shown().as_bytes())) + &lines.collect::<String>()
}

/// The columns before the text of a line.
const BEFORE: usize = 14;

/// Formats a line. On a terminal, a text that exceeds the width continues in its column.
fn line(what: &str, text: &str) -> String {
    let room = status::columns().map_or(usize::MAX, |columns| columns.saturating_sub(BEFORE).max(20));
    let below = format!("\n{:BEFORE$}", "");
    format!("  {what:<12}{}\n", wrapped(text, room).join(&below))
}

fn device_lines(device: &Lies) -> String {
    let mut lines = line("file system", &file_system(device));
    lines += &device.blocks.iter().map(|block| line("device", &layer(block))).collect::<String>();
    lines += &line("medium", device.medium);
    if let Some(bytes) = device.read_ahead {
        lines += &line("read-ahead", &format!("{} by the kernel", BinaryBytes(bytes)));
    }
    lines
}

fn file_system(device: &Lies) -> String {
    let name = if device.file_system.is_empty() { "unknown" } else { &device.file_system };
    match (&device.source, &device.mount_point) {
        (Some(source), Some(point)) => {
            format!("{name}, {} on {}", Shown(source.as_bytes()), Shown(point.as_bytes()))
        }
        _ => name.into(),
    }
}

/// Formats `dm-0 (LVM volume vg-root) on sda2 (partition) on sda (disk, ST4000DM004)`; several layers are in brackets.
fn layer(layer: &Layer) -> String {
    let model = layer.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
    let this = format!("{} ({}{model})", layer.name, layer.what);
    let below: Vec<String> = layer.below.iter().map(self::layer).collect();
    match &below[..] {
        [] => this,
        [one] => format!("{this} on {one}"),
        several => format!("{this} on [{}]", several.join("; ")),
    }
}

fn readers(reading: &Reading) -> String {
    let order = if reading.order == "disk" { "as they lie on the disk" } else { "in the order of paths" };
    match (reading.readers_least, reading.readers_most) {
        (_, 0) => "each thread reads what it hashes".into(),
        _ if reading.alone => format!("one reader, one file after another, {order}"),
        (least, most) => format!("{least} readers at first, at most {most} if that is faster, {order}"),
    }
}

fn sample(sample: &Sample) -> String {
    if sample.files == 0 {
        return "no files to look at".into();
    }
    let of = count(sample.files as u64, "file", "files");
    let mut text = format!("{} of {of} looked at", sample.wholly);
    for (number, what) in [(sample.partly, "partly"), (sample.unknown, "not told by the system")] {
        if number > 0 {
            text += &format!(", {number} {what}");
        }
    }
    text
}

fn hashing_lines(hashing: &Hashing) -> String {
    let memory = |bytes: usize| BinaryBytes(bytes as u64);
    let data = format!(
        "{} of file data at most: {} a thread for files side by side, {} chunks of {} for a long file, {} buffers for readers",
        memory(hashing.memory),
        memory(hashing.memory_beside),
        hashing.memory_chunks,
        memory(hashing.memory_chunk),
        hashing.memory_ahead
    );
    let rates = &hashing.rates;
    let expected =
        format!("{} with all threads, if reading keeps up ({})", per_second(rates.expected), rates.basis);
    "hashing\n".to_string()
        + &line("threads", &hashing.threads.to_string())
        + &line("memory", &data)
        + &rates.algorithms.iter().map(|rate| line(rate.name, &algorithm(rate))).collect::<String>()
        + &line("expected", &expected)
}

/// Returns a line for each setting that differs from the default; several commands may be among them.
fn settings_lines(settings: &[ChangedOption]) -> String {
    let mut lines = "\nsettings\n".to_string();
    for ChangedOption { command, option, values, source } in settings {
        lines += &format!("  {command} --{option} {}: {source}\n", Shown(values.join(" ").as_bytes()));
    }
    if settings.is_empty() { lines + "  all as by default\n" } else { lines }
}

fn algorithm(rate: &Rate) -> String {
    let lanes = count(rate.lanes as u64, "lane", "lanes");
    let whole = if rate.splits { ", which threads can share" } else { "" };
    format!(
        "many files: {}, {lanes}, {} a thread; one file: {}, {}{whole}",
        rate.kernel,
        per_second(rate.many_files),
        rate.alone,
        per_second(rate.one_file)
    )
}

fn per_second(rate: f64) -> String {
    if rate < 1e9 { format!("{:.0} MB/s", rate / 1e6) } else { format!("{:.2} GB/s", rate / 1e9) }
}
