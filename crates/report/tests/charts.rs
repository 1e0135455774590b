//! Charts of any data can be drawn, are reproducible, and contain what they must show.

use hashmill_report::{Axis, Chart, Point, Series, Theme};

const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];

/// Numbers that cause trouble in arithmetic, among ordinary ones.
const ODD: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -7.5,
    1e-320,
    1e308,
    -1e308,
    1e15,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MIN_POSITIVE,
    1e-300,
    0.3,
];

/// Returns the values of an attribute in all places.
fn attributes<'a>(svg: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    svg.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn bars() -> Chart {
    let y = Axis::linear("throughput", "MB/s");
    Chart::bars("Throughput", Axis::names("algorithm", ["md5", "sha256"]), y)
        .with(Series::new("ours", [Point::between(0.0, 100.0, 90.0, 110.0), Point::new(1.0, 50.0)]))
        .with(Series::of_values("theirs", [25.0, 75.0]))
}

/// Returns the lengths of bars, without the squares of the legend.
fn lengths(svg: &str) -> Vec<i32> {
    svg.lines()
        .filter(|line| line.starts_with("<rect") && (line.contains("#0072B2") || line.contains("#E69F00")))
        .filter(|line| attributes(line, "height") != ["13"] || attributes(line, "width") != ["13"])
        .map(|line| attributes(line, "width")[0].parse().unwrap())
        .collect()
}

#[test]
fn one_of_thousands_is_seen_and_none_is_not() {
    let axis = Axis::names("", ["equal", "changed", "missing"]);
    let chart = Chart::bars("Files", axis, Axis::linear("files", "count"))
        .with(Series::of_values("files", [4999.0, 1.0, 0.0]));
    let lengths = lengths(&chart.svg(Theme::Light));
    assert!(lengths[0] > 200 && lengths[1] >= 3 && lengths[2] == 0, "{lengths:?}");
}

#[test]
fn by_ratios_marks_stand_for_values_and_lengths_for_nothing() {
    let chart = |y: Axis| {
        let x = Axis::names("", ["a", "b", "c"]);
        Chart::bars("Costs", x, y).with(Series::of_values("cost", [0.1, 3.0, 250.0]))
    };
    let svg = chart(Axis::log("cost", "cycles/B")).svg(Theme::Light);
    assert_eq!((lengths(&svg).len(), svg.matches("<circle").count()), (0, 3), "{svg}");
    for value in ["0.1", "3", "250"] {
        assert!(svg.lines().any(|line| line == value), "{value}\n{svg}");
    }
    assert_eq!(lengths(&chart(Axis::linear("cost", "cycles/B")).svg(Theme::Light)).len(), 3);
}

#[test]
fn an_axis_has_one_unit_which_its_caption_names() {
    let axes = (Axis::log("file size", "B"), Axis::log("run time", "s"));
    let points = [Point::new(1024.0, 0.002), Point::new(1073741824.0, 3.0)];
    let svg = Chart::lines("Time", axes.0, axes.1).with(Series::new("a", points)).svg(Theme::Light);
    for text in ["file size (KiB)", "run time (ms)", "1000", "10", "1"] {
        assert!(svg.lines().any(|line| line == text), "{text}\n{svg}");
    }
    assert!(!svg.lines().any(|line| line.ends_with(" ms") || line.ends_with(" MiB")), "{svg}");
}

#[test]
fn bars_are_as_long_as_their_values_say() {
    let svg = bars().svg(Theme::Light);
    let lengths = lengths(&svg);
    let [a, b, c, d] = lengths[..] else { panic!("{lengths:?}\n{svg}") };
    for (length, value) in [(a, 100.0), (b, 50.0), (c, 25.0), (d, 75.0)] {
        let wanted = f64::from(a) * value / 100.0;
        assert!((f64::from(length) - wanted).abs() <= 2.0, "{lengths:?}");
    }
    // Their values are beside them.
    for value in ["100", "50", "25", "75"] {
        assert!(svg.lines().any(|line| line == value), "{value}\n{svg}");
    }
    // One error bar: three lines in the colour of text.
    assert_eq!(svg.matches("stroke=\"#1B1F24\"").count(), 3, "{svg}");
}

#[test]
fn axes_have_labels_units_and_a_legend() {
    let svg = bars().svg(Theme::Dark);
    for text in ["Throughput", "throughput (MB/s)", "algorithm", "md5", "sha256", "ours", "theirs", "150"] {
        assert!(svg.lines().any(|line| line == text), "{text}\n{svg}");
    }
    assert!(svg.starts_with("<svg role=\"img\" aria-label=\"Throughput\""));
}

#[test]
fn long_names_lay_bars_on_their_side_and_nothing_is_outside() {
    let names = (0..30).map(|number| format!("an implementation with a long name, number {number}"));
    let chart = Chart::bars("Lying", Axis::names("which", names), Axis::log("time", "s"))
        .with(Series::of_values("time", (0..30).map(|number| 1e-6 * f64::from(number + 1))));
    let svg = chart.svg(Theme::Light);
    let height: f64 = attributes(&svg, "height")[0].parse().unwrap();
    assert!(height > 700.0, "{height}");
    for (name, most) in
        [("x", 640.0), ("x1", 640.0), ("x2", 640.0), ("y", height), ("y1", height), ("y2", height)]
    {
        for value in attributes(&svg, name) {
            let value: f64 = value.parse().unwrap();
            assert!((0.0..=most).contains(&value), "{name}={value}");
        }
    }
}

#[test]
fn the_caption_beside_few_bars_fits() {
    let height = |caption: &str| -> u32 {
        let chart = Chart::bars("Lying", Axis::names(caption, ["a"]), Axis::linear("size", "B"));
        let svg = chart.with(Series::of_values("size", [1.0])).svg(Theme::Light);
        attributes(&svg, "height")[0].parse().unwrap()
    };
    assert!(height("name ends in this or that") >= height("x") + 60);
}

#[test]
fn any_numbers_are_drawn_or_left_out() {
    let axes = |unit: &str| [Axis::linear("a", unit), Axis::log("a", unit)];
    for (x, y) in axes("B").into_iter().zip(axes("s")).chain(axes("").into_iter().zip(axes("B"))) {
        for first in ODD {
            for second in ODD {
                let points = [
                    Point::between(first, second, -first, second),
                    Point::between(second, first, first, second),
                ];
                let lines = Chart::lines("Odd", x.clone(), y.clone()).with(Series::new("odd", points));
                let bars = Chart::bars("Odd", Axis::bins("b", "", ["1", "2"]), y.clone())
                    .with(Series::of_values("odd", [first, second]));
                for svg in [lines.svg(Theme::Light), bars.svg(Theme::Dark)] {
                    assert!(svg.len() < 60_000, "{first} {second}: {} bytes", svg.len());
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{first} {second}");
                }
            }
        }
    }
}

#[test]
fn any_text_is_drawn_and_none_is_markup() {
    for text in
        ["<script>&\"'</text>", "a\0b\u{1b}[31m\u{fffe}", "größe \u{202e}txt", "", "\n", &"long ".repeat(500)]
    {
        let chart = Chart::bars(text, Axis::names(text, [text]), Axis::linear(text, text))
            .with(Series::of_values(text, [1.0]))
            .with(Series::of_values(text, [2.0]));
        for theme in THEMES {
            assert!(!chart.svg(theme).contains("<script"));
        }
    }
}

#[test]
fn a_picture_is_the_same_every_time() {
    for theme in THEMES {
        assert_eq!(bars().svg(theme), bars().svg(theme));
    }
    assert_ne!(bars().svg(Theme::Light), bars().svg(Theme::Dark));
}

#[test]
fn nothing_to_show_is_said() {
    let chart = Chart::lines("Nothing", Axis::log("a", "B"), Axis::log("b", "s"));
    let zero = chart.clone().with(Series::new("zero", [Point::new(0.0, 0.0)]));
    for chart in [chart, zero] {
        assert!(chart.svg(Theme::Light).contains("nothing to show"));
    }
}
