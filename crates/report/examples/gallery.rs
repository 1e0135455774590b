//! Draws one chart of each kind into a folder, to be looked at: `cargo run --example gallery DIR`.

use hashloom_report::{Axis, Chart, Point, Series, Theme};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("which folder?")?);
    for (name, chart) in charts() {
        for (kind, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
            std::fs::write(folder.join(format!("{name}-{kind}.svg")), chart.svg(theme))?;
            std::fs::write(folder.join(format!("{name}-{kind}.png")), chart.png(theme)?)?;
        }
    }
    Ok(())
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
