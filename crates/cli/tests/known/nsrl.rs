//! The NSRL's sets in all their forms, through the command.

use crate::case;
use crate::util::{Place, installed};
use hashmill_testing::samples::rds::{self, Schema};

const ROWS: u64 = 1200;

/// Returns a file of some package, by the type of its application; and one of none of that type.
fn of_type(kind: &str, inside: bool) -> u64 {
    let mut types = std::collections::BTreeMap::<u64, Vec<&str>>::new();
    rds::rows(ROWS)
        .for_each(|(file, package)| types.entry(file).or_default().push(rds::application_type(package)));
    types.into_iter().find(|(_, types)| types.contains(&kind) == inside).unwrap().0
}

fn known(t: &Place, inputs: &str) {
    let options: String = inputs.split(' ').map(|input| format!(" --as known {input}")).collect();
    t.run(&format!("known build -o s.hmk{options}")).code(0);
    let (tool, other) = (rds::file(of_type("Hacker Tool", true)), rds::file(of_type("Hacker Tool", false)));
    let ran = t
        .run(&format!("known query --known-set s.hmk {} {} {}", tool.md5, other.sha1, "0".repeat(32)))
        .code(0)
        .quiet();
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!([lines[0][1], lines[1][1], lines[2][1]], ["known", "known", "unknown"], "{inputs}");
    let detail: serde_json::Value = serde_json::from_str(lines[0][3]).unwrap();
    assert!(detail["types"].as_array().unwrap().iter().any(|kind| kind == "Hacker Tool"), "{detail}");
    assert_eq!((&detail["size"], &detail["manufacturer"]), (&tool.size.into(), &"Maker".into()));
}

case!(databases_minimal_and_full_of_all_releases, |t| {
    for schema in [Schema::Minimal, Schema::Older, Schema::Full] {
        let name = format!("{schema:?}.db");
        rds::sqlite(&t.path(&name), ROWS, schema);
        known(t, &name);
        let info = t.run("known info --format json s.hmk").json();
        assert_eq!(info["sources"][0]["set"], "NSRL RDS 2026.03.1 modern_minimal");
        assert_eq!(info["sources"][0]["format"], "nsrl-3");
    }
});

case!(archives_and_text, |t| {
    rds::sqlite(&t.path("rds.db"), ROWS, Schema::Minimal);
    rds::text(&t.path(""), ROWS);
    known(t, "NSRLFile.txt");
    if installed("zip").is_none() {
        return;
    }
    t.shell("zip -q -0 stored.zip rds.db; zip -q deflated.zip rds.db; zip -q text.zip NSRL*.txt").code(0);
    known(t, "stored.zip");
    known(t, "deflated.zip");
    known(t, "text.zip");
    t.run("known build -o s.hmk --good deflated.zip").code(0).says("unpacking ");
});

case!(deltas_change_the_database_before_them, |t| {
    rds::sqlite(&t.path("rds.db"), ROWS, Schema::Minimal);
    let gone = rds::file(0);
    let fresh = "B".repeat(64);
    t.file(
        "delta.sql",
        format!(
            "BEGIN;\nDELETE FROM FILE WHERE sha256 = '{}';\n\
         INSERT INTO FILE VALUES ('{fresh}', '{}', '{}', '00000000', 'new', 5, 1);\nCOMMIT;\n",
            gone.sha256.to_string().to_uppercase(),
            "C".repeat(40),
            "D".repeat(32)
        ),
    );
    t.run("known build -o s.hmk --good rds.db delta.sql").code(0);
    t.run(&format!("known query --known-set s.hmk {} {fresh}", gone.sha256))
        .prints(format!("{}\tunknown\t", gone.sha256))
        .prints(format!("{fresh}\tgood\t"));
    t.run("known build -o s.hmk --good delta.sql rds.db")
        .code(64)
        .says("delta.sql: is a delta: name its database before it");
});

case!(types_of_applications_are_left_out_of_what_is_known, |t| {
    rds::sqlite(&t.path("rds.db"), ROWS, Schema::Minimal);
    t.run("known build -o s.hmk --good rds.db").code(0);
    let (tool, other) =
        (rds::file(of_type("Hacker Tool", true)).md5, rds::file(of_type("Hacker Tool", false)).md5);
    let ask = |options: &str| {
        t.shell(&format!(
            "$hashmill known query --known-set s.hmk {options} {tool} {other} | cut -f 2 | tr '\\n' ' '"
        ))
    };
    ask("").is("good good ");
    ask("--exclude-type 'hacker tool'").is("unknown good ");
    ask("--only-type 'Hacker Tool'").is("good unknown ");
    // Bad files are bad regardless of their application.
    t.file("bad.md5", format!("{tool}  x\n")).run("known build -o b.hmk --bad bad.md5").code(0);
    ask("-k b.hmk --exclude-type 'Hacker Tool'").is("bad good ");
});

case!(published_checksums_and_other_databases, |t| {
    rds::sqlite(&t.path("rds.db"), 100, Schema::Minimal);
    t.run("hash -c sha1 -f sums -o rds.db.sha rds.db").code(0);
    t.run("known build -o s.hmk --good rds.db").code(0).says("has the sha1 that");
    t.file("rds.db.sha", format!("{}  rds.db\n", "0".repeat(40)));
    t.run("known build -o s.hmk --good rds.db").code(64).says("does not have the sha1");
    for (name, sql, lacks) in [
        ("photos.db", "CREATE TABLE photos (id)", "is not an RDS: it has no table FILE"),
        ("bare.db", "CREATE TABLE FILE (name, size)", "FILE has no column sha256"),
    ] {
        rusqlite::Connection::open(t.path(name)).unwrap().execute_batch(sql).unwrap();
        t.run(&format!("known build -o t.hmk --good {name}")).code(64).says(&format!("{name}: {lacks}"));
    }
    assert!(!t.has("t.hmk"));
});
