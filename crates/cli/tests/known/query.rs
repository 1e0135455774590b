//! Digests in, lines out.

use super::{EMPTY, MD5, SHA1, SHA256};
use crate::case;
use crate::util::Place;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

fn sets(t: &Place) {
    t.file("good.md5", format!("{EMPTY}  e\n")).file("bad.txt", format!("{SHA256}\n{MD5}\n"));
    t.run("known build -o good.hmk --good good.md5").code(0);
    t.run("known build -o bad.hmk --bad bad.txt").code(0);
}

// One has a length that no set has any of: it is unknown whatever it is of.
case!(digests_come_from_operands_files_and_standard_input, |t| {
    sets(t);
    let wanted = format!(
        "{EMPTY}\tgood\tgood\t{{\"claims\":[{{\"category\":\"good\",\"set\":\"good\"}}]}}\n\
         {SHA1}\tunknown\t\t{{}}\n"
    );
    t.run(&format!("known query --known-set good.hmk {EMPTY} {SHA1}")).code(2).is(&wanted);
    t.file("list", format!("{EMPTY}  a name\r\n{SHA1}"));
    t.run("known query --known-set good.hmk --from list").code(2).is(&wanted);
    t.feed("known query --known-set good.hmk", format!("{EMPTY}\n{SHA1}\n")).code(2).is(&wanted);
    t.feed("known query --known-set good.hmk --from -", format!("{EMPTY}\n{SHA1}\n")).code(2).is(&wanted);
    t.run("known query --known-set good.hmk --from nosuch").code(64).says("nosuch: cannot open");
});

case!(what_is_no_digest_keeps_its_line, |t| {
    sets(t);
    t.feed("known query --known-set bad.hmk", format!("{MD5}\nx\ty\n\n{EMPTY}\nabc\n"))
        .code(2)
        .says("standard input: line 2: 'x'")
        .says("standard input: line 3: ''")
        .says("standard input: line 5: 'abc'")
        .prints(format!("\"bad\"}}]}}\nx\tmalformed\t\t{{}}\n\tmalformed\t\t{{}}\n{EMPTY}\tunknown\t\t{{}}\nabc\tmalformed"));
});

case!(answers_are_json_for_programs, |t| {
    sets(t);
    let failed = "\"account\":{\"records\":{\"failed\":1}}";
    let [known, unknown] = [
        format!(
            "{{\"digest\":\"{EMPTY}\",\"category\":\"good\",\"set\":\"good\",\"detail\":{{\"claims\":[{{\"category\":\"good\",\"set\":\"good\"}}]}},\"account\":{{\"records\":{{\"done\":1}}}}}}"
        ),
        format!("{{\"digest\":\"{SHA1}\",\"category\":\"unknown\",\"set\":null,\"detail\":{{}},{failed}}}"),
    ];
    let query = format!("known query --known-set good.hmk {EMPTY} {SHA1}");
    t.run(&format!("{query} -f jsonl")).code(2).is(format!("{known}\n{unknown}\n"));
    t.run(&format!("{query} -f json")).code(2).is(format!("[\n{known},\n{unknown}\n]\n"));
    t.feed("known query --known-set good.hmk -f json", "").code(0).is("[]\n");
    t.feed("known query --known-set good.hmk -f jsonl", "a \"b\"\n\"\n").code(2).is(["a", "\\\""]
        .map(|word| {
            format!(
                "{{\"digest\":\"{word}\",\"category\":\"malformed\",\"set\":null,\"detail\":{{}},{failed}}}\n"
            )
        })
        .concat());
});

case!(several_sets_answer_together, |t| {
    sets(t);
    t.file("e.txt", format!("{EMPTY}\n")).run("known build -o e.hmk --bad e.txt").code(0);
    t.run(&format!("known query --known-set good.hmk -k bad.hmk -k e.hmk {EMPTY} {}", MD5.to_uppercase()))
        .code(1)
        .prints(format!("{EMPTY}\tbad\te\t"))
        .prints("\"set\":\"good\"")
        .prints(format!("{}\tbad\tbad\t", MD5.to_uppercase()));
});

case!(many_lines_keep_their_order, |t| {
    sets(t);
    let lines: Vec<String> =
        (0..20_000).map(|n| if n % 7 == 0 { MD5.into() } else { format!("{n:032x}") }).collect();
    let ran = t.feed("known query --known-set bad.hmk", lines.join("\n")).code(1);
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    assert_eq!(text.lines().count(), lines.len());
    for (line, asked) in text.lines().zip(&lines) {
        let category = if asked == MD5 { "bad" } else { "unknown" };
        assert!(line.starts_with(&format!("{asked}\t{category}\t")), "{line}");
    }
});

case!(who_waits_for_an_answer_gets_it, |t| {
    sets(t);
    let mut command = t.command("known query --known-set bad.hmk");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut asking, mut answers) =
        (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for digest in [MD5, SHA256, EMPTY] {
        writeln!(asking, "{digest}").unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        assert!(line.starts_with(digest), "{line}");
    }
    drop(asking);
    assert_eq!(child.wait().unwrap().code(), Some(1));
});

case!(long_lists_are_answered_line_by_line, |t| {
    // More than is read at once, with sizes, malformed lines and every kind of blank between.
    let mut random = hashmill_testing::Random(3);
    let all: Vec<String> = (0..5000).map(|_| random.digest(16).to_string()).collect();
    let known: String = all.iter().step_by(2).enumerate().map(|(n, d)| format!("{n},{d},/f{n}\n")).collect();
    t.file("list.hashdeep", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n{known}"));
    t.run("known build -o s.hmk --good list.hashdeep").code(0);
    let line = |n: usize, digest: &String| match n % 7 {
        0 => format!(" \t{digest}\u{c}x"),
        1 => format!("{digest}\tname"),
        2 => format!("{digest}\r"),
        3 if n % 100 == 3 => format!("{digest}0"),
        _ => digest.clone(),
    };
    let asked: Vec<String> = all.iter().enumerate().map(|(n, digest)| line(n, digest)).collect();
    let wanted: String = all
        .iter()
        .enumerate()
        .map(|(n, digest)| match n {
            _ if n % 7 == 3 && n % 100 == 3 => format!("{digest}0\tmalformed\t\t{{}}\n"),
            _ if n % 2 == 0 => format!(
                "{digest}\tgood\tlist\t{{\"size\":{},\"claims\":[{{\"category\":\"good\",\"set\":\"list\"}}]}}\n",
                n / 2
            ),
            _ => format!("{digest}\tunknown\t\t{{}}\n"),
        })
        .collect();
    t.feed("known query --known-set s.hmk", asked.join("\n")).code(2).is(&wanted);
    t.file("asked", asked.join("\n") + "\n");
    t.run("known query --known-set s.hmk --from asked").code(2).is(&wanted);
});
