//! Draws one chart of each kind into a folder, and a page with one part of each, to be looked at:
//! `cargo run --example gallery DIR`.

use hashloom_report::{
    Axis, Cell, Chart, Column, Figure, Page, Part, Point, Section, Series, Table, Theme, Tone, Verdict,
};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("which folder?")?);
    for (name, chart) in charts() {
        for (kind, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
            std::fs::write(folder.join(format!("{name}-{kind}.svg")), chart.svg(theme))?;
            std::fs::write(folder.join(format!("{name}-{kind}.png")), chart.png(theme)?)?;
        }
    }
    std::fs::write(folder.join("page.html"), page().html())?;
    Ok(())
}

fn page() -> Page {
    let summary = Section::new("Summary")
        .with(Part::Figures(vec![
            Figure::new("files", "100\u{2009}000"),
            Figure::new("matched", "99\u{2009}000").tone(Tone::Good),
            Figure::new("unreadable", "990").tone(Tone::Doubtful),
            Figure::new("changed", "10").tone(Tone::Bad),
        ]))
        .with(Part::Facts(vec![
            ("evidence".into(), "laptop, black, <serial 42>".into()),
            ("host".into(), "bench".into()),
        ]))
        .with(Part::Text("What was found, in a sentence or two.".into()))
        .with(Part::Warning("The machine was busy.".into()));
    let columns = [Column::words("tool"), Column::number("throughput (MB/s)"), Column::code("command")];
    let mut table = Table::new("A table as it is", columns);
    table.push(["hashloom".into(), Cell::Number(12345.678, 1), "hashloom hash -c sha256 DIR".into()]);
    table.push(["sha256sum".into(), Cell::Number(456.7, 1), "sha256sum FILE".into()]);
    let state = Column::state("category", [("matched", Tone::Good), ("changed", Tone::Bad)]);
    let columns = [Column::code("path"), Column::number("size (bytes)"), state, Column::code("sha256")];
    let mut records = Table::new("Records", columns);
    for number in 0..100_000u64 {
        let category = if number % 10_000 == 77 { "changed" } else { "matched" };
        let digest =
            format!("{:064x}", u128::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_0C92_1234_5679));
        let path = format!("photos/2019/IMG_{number:06} <b>.jpg");
        records.push([path.into(), Cell::from(number * 7919 % 100_003), category.into(), digest.into()]);
    }
    let pictures =
        Section { title: "Charts".into(), parts: charts().map(|(_, chart)| Part::Chart(chart)).into() };
    Page {
        title: "Gallery".into(),
        subtitle: "every part of a page once".into(),
        verdict: Some(Verdict { tone: Tone::Bad, text: "Failed: 10 files changed.".into() }),
        sections: vec![
            summary,
            Section::new("Tables").with(Part::Table(table)).with(Part::Records(records)),
            pictures,
        ],
        footer: "made by the gallery".into(),
    }
}

fn charts() -> [(&'static str, Chart); 5] {
    let value = |x: f64, y: f64| Point::between(x, y, y * 0.93, y * 1.08);
    let tools = ["hashloom", "b3sum", "sha256sum", "openssl dgst", "hashdeep", "rhash", "xxhsum", "cksum"];
    let names = ["sha256", "blake3", "xxh3-128"];
    let grouped = (0..3).fold(
        Chart::bars(
            "Throughput of one file of 1 GiB",
            Axis::names("algorithm", names),
            Axis::linear("throughput", "MB/s"),
        ),
        |chart, tool| {
            chart.with(Series::new(
                tools[tool],
                (0..3).map(|x| value(x as f64, 400.0 + 700.0 * x as f64 + 90.0 * tool as f64)),
            ))
        },
    );
    let lying = Chart::bars(
        "Time of a file of 2 KiB",
        Axis::names("tool", tools.map(|tool| format!("{tool}, as Debian has it, 4 threads"))),
        Axis::log("time a file", "s"),
    )
    .with(Series::new("time", (0..8).map(|x| value(x as f64, 1e-6 * 3f64.powi(x)))));
    let lines = (0..8).fold(
        Chart::lines("Run time against size", Axis::log("file size", "B"), Axis::log("run time", "s")),
        |chart, tool| {
            let points = (0..6).map(|step| {
                value(
                    1024.0 * 16f64.powi(step),
                    0.002 + 1e-9 * 1024.0 * 16f64.powi(step) * (tool as f64 + 1.0),
                )
            });
            chart.with(Series::new(tools[tool], points))
        },
    );
    let lines = lines.with(
        Series::new("extrapolated", [value(2f64.powi(30), 8.0), value(2f64.powi(40), 8000.0)]).dashed(),
    );
    let bins = Chart::bars(
        "Files by size",
        Axis::bins("size", "up to", (0..41).map(|power| format!("{} B", 1u64 << power))),
        Axis::linear("files", "count"),
    )
    .with(Series::of_values(
        "files",
        (0..41).map(|x| 4000.0 * (-((f64::from(x) - 14.0) / 6.0).powi(2)).exp()),
    ));
    let empty = Chart::lines("Nothing", Axis::linear("time", "s"), Axis::linear("size", "B"));
    [("grouped", grouped), ("lying", lying), ("lines", lines), ("bins", bins), ("empty", empty)]
}
