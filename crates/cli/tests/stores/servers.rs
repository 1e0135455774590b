//! Servers as they are: without ranges, without lengths; prefixes that are not there, and several beside each other.

use super::gateway::{Gateway, Server, free_port};
use crate::case;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;

/// Digests of this content as a list has them, with this name.
fn line(content: &[u8], name: &str) -> String {
    format!("{}  {name}\n", hashmill_digest::hash(hashmill_digest::find("sha256").unwrap(), content))
}

case!(a_server_without_ranges_serves_files_of_any_size, |t| {
    let Some(python) = hashmill_testing::installed("python3") else { return };
    let contents = [vec![], vec![1; 1000], vec![2; 300 << 10], vec![3; 9 << 20]];
    let mut list = String::new();
    for (number, content) in contents.iter().enumerate() {
        t.file(format!("www/f{number}"), content);
        list += &line(content, &format!("www/f{number}"));
    }
    let port = free_port();
    let mut command = Command::new(python);
    command.args(["-m", "http.server", "--bind", "127.0.0.1", "--directory"]).arg(t.path("www"));
    command.arg(port.to_string());
    let _server = Server::start(command, port, &t.path("http.log"));
    for (number, content) in contents.iter().enumerate() {
        let url = format!("http://127.0.0.1:{port}/f{number}");
        for options in ["", "-m 16M -j 4", "-m 1G"] {
            t.run(&format!("hash -c sha256 -f sums {options} {url}"))
                .code(0)
                .is(line(content, &format!("f{number}")));
        }
        t.run(&format!("hash -c git-blob,blake3 -p 1M {url}")).code(0);
    }
    t.file("list", list.replace("www/", &format!("http://127.0.0.1:{port}/")));
    t.run("check --allow-remote list").code(0);
    t.file("www/f3", vec![4; 9 << 20]).run("check --allow-remote list").code(1);
});

/// Answers everything with this content, and does not say how long it is: in pieces with lengths of their own, or up to
/// the end of the connection. It ends with the process.
fn serve_without_length(content: Vec<u8>, in_pieces: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let asked: Vec<String> = BufReader::new(&stream)
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            if asked.is_empty() {
                continue;
            }
            let coding = if in_pieces { "transfer-encoding: chunked\r\n" } else { "" };
            // A client that needs no more is no matter.
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n{coding}\r\n");
            for piece in content.chunks(100_000) {
                let _ = match in_pieces {
                    true => write!(stream, "{:x}\r\n", piece.len())
                        .and_then(|()| stream.write_all(piece))
                        .and_then(|()| stream.write_all(b"\r\n")),
                    false => stream.write_all(piece),
                };
            }
            if in_pieces {
                let _ = stream.write_all(b"0\r\n\r\n");
            }
        }
    });
    port
}

case!(what_has_no_length_is_read_to_its_end, |t| {
    for size in [0, 10, 70_000, 3 << 20] {
        let content: Vec<u8> = (0..size).map(|number| (number % 251) as u8).collect();
        for in_pieces in [false, true] {
            let port = serve_without_length(content.clone(), in_pieces);
            let url = format!("http://127.0.0.1:{port}/f");
            for options in ["", "-m 16M -j 4"] {
                t.run(&format!("hash -c sha256 -f sums {options} {url}")).code(0).is(line(&content, "f"));
            }
            t.run(&format!("hash -c git-blob -f jsonl {url}")).code(0).prints(format!("\"size\":{size},"));
            // A comparison by size needs the size.
            t.file("d/f", &content);
            t.run(&format!("audit {url} --against d --min-strength size"))
                .code(2)
                .says("does not say how large");
        }
    }
});

case!(
    #[ignore = "campaign: needs versitygw"]
    a_prefix_that_is_not_there_is_told,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        t.file("tree/a", "abc");
        let Some(()) = gateway.fill("tree", "p/") else { return };
        gateway
            .run("hash s3://bucket/q/")
            .code(2)
            .says("s3://bucket/q/: ")
            .says("no object whose key begins so");
        gateway.run("hash s3://bucket/q/ s3://bucket/p/").code(2).prints("s3://bucket/p/a");
        // One line says it, whatever files there should be.
        let only = "hashmill: s3://bucket/q/: cannot look it up: there is no object whose key begins so\n";
        gateway.run("audit s3://bucket/q/ --against tree").code(2).is("").says(only);
        gateway.run("diff tree s3://bucket/q/").code(2).is("").says(only);
        t.run("hash -c md5 -f sums tree -o sums").code(0);
        gateway
            .run("check --base s3://bucket/q/ sums")
            .code(2)
            .says("no object whose key begins so (--base)");
        gateway.run("check --base s3://none/ sums").code(2).says("there is no such bucket");
        for side in ["s3://none/", "s3://none/p/"] {
            for command in ["hash", "dupes", "audit --against tree", "diff tree"] {
                gateway.run(&format!("{command} {side}")).code(2).says("there is no such bucket");
            }
        }
        gateway.run("diff tree s3://bucket/p").code(2).says("what is below it has s3://bucket/p/");
        // Objects that filters leave out exist, so the prefix does, too.
        gateway.run("hash --exclude a s3://bucket/p/").code(0);
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    what_would_help_is_said_once,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        for name in ["a", "b", "c"] {
            t.file(format!("tree/{name}"), name);
        }
        let Some(()) = gateway.fill("tree", "p/") else { return };
        t.run("hash -c sha256 tree -o m").code(0);
        let ran =
            gateway.run("audit -k m --min-strength content s3://bucket/p/").code(2).prints("unproven: 3");
        let said = ran.says("--download reads these objects").stderr();
        assert_eq!(said.lines().count(), 2, "{said}");
        gateway
            .run("audit -k m --min-strength content s3://bucket/p/ --download")
            .code(0)
            .prints("matched: 3");
        gateway.run("diff -v m s3://bucket/p/").code(2).says("a: ").says("b: ").says("c: ");
    }
);

case!(a_store_that_is_not_reached_has_one_code, |t| {
    t.file("tree/a", "abc").run("hash -c md5 -f sums tree -o sums").code(0);
    t.run("hash -c md5 tree -o m").code(0);
    let way = format!("--endpoint http://127.0.0.1:{} --anonymous", free_port());
    for command in ["hash", "dupes", "audit -k m", "audit --against tree", "diff tree", "diff m"] {
        t.run(&format!("{command} s3://bucket/p/ {way}")).code(2).says("no connection");
    }
    t.run(&format!("check --base s3://bucket/p/ sums {way}")).code(2).says("no connection");
    // A list that everything depends on is another thing.
    t.run(&format!("check s3://bucket/sums {way}")).code(64).says("no connection");
    let document = t.run(&format!("diff tree s3://bucket/p/ -f json {way}")).code(2).json();
    assert_eq!(document["verdict"], "undecided");
    assert!(document["error"].as_str().unwrap().contains("no connection"), "{document}");
    for (address, said) in [
        ("s3a://bucket/p/", "write s3://BUCKET/KEY"),
        ("S3://bucket/p/", "write s3://BUCKET/KEY"),
        ("abfss://c@a.dfs.core.windows.net/p", "write az://CONTAINER/KEY"),
        ("ftp://host/p", "begins with ftp://, which hashmill can't read"),
    ] {
        for command in
            ["hash", "dupes", "audit -k m", "audit --against tree", "diff tree", "check", "check --base"]
        {
            let list = if command == "check --base" { " sums" } else { "" };
            t.run(&format!("{command} {address}{list}")).code(64).says(said);
        }
    }
});

case!(
    #[ignore = "campaign: needs versitygw"]
    a_key_with_dots_is_no_other_key,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        t.file("tree/a", "abc");
        let Some(()) = gateway.fill("tree", "p/") else { return };
        // This server resolves the path, so it would send p/a.
        for key in ["p/x/../a", "p/./a", "../bucket/p/a"] {
            gateway.run(&format!("hash s3://bucket/{key}")).code(2).says("there is no object of this key");
        }
        gateway.run("hash s3://bucket/p/x/../a?versionId=null").code(2).says("are resolved on the way");
        gateway.run("hash s3://bucket/..").code(2);
        gateway.run("hash tree -o s3://bucket/x/../p/a").code(2);
        assert_eq!(t.read("store/bucket/p/a"), b"abc");
    }
);

case!(
    #[ignore = "campaign: needs versitygw"]
    objects_of_several_locations_keep_apart,
    |t| {
        let Some(gateway) = Gateway::start(t) else { return };
        for (folder, content) in [("a", "one"), ("b", "two")] {
            for number in 0..3 {
                t.file(format!("{folder}/k{number}"), format!("{content} {number}"));
            }
            let Some(()) = gateway.fill(folder, &format!("{folder}/")) else { return };
        }
        let both = "s3://bucket/a/ s3://bucket/b/";
        let list: String = ["a", "b"]
            .iter()
            .flat_map(|folder| (0..3).map(move |number| (*folder, number)))
            .map(|(folder, number)| {
                let content = if folder == "a" { "one" } else { "two" };
                line(format!("{content} {number}").as_bytes(), &format!("s3://bucket/{folder}/k{number}"))
            })
            .collect();
        gateway.run(&format!("hash -c sha256 -f sums {both}")).code(0).is(list.clone());
        gateway
            .run("hash -c sha256 -f sums s3://bucket/a/k0 s3://bucket/b/k0")
            .code(0)
            .prints("  s3://bucket/b/k0\n");
        gateway.run(&format!("hash -c sha256 {both} -o m")).code(0);
        gateway.run(&format!("audit -k m {both}")).code(0).prints("matched: 6");
        gateway.run("audit -k m s3://bucket/b/ s3://bucket/a/").code(0).prints("matched: 6");
        // Objects that were exchanged between the prefixes are found.
        t.file("b/k1", "one 1");
        gateway.fill("b", "b/").unwrap();
        gateway
            .run(&format!("audit -k m {both} -f json"))
            .code(1)
            .prints("\"changed\",\"path\":\"s3://bucket/b/k1\"");
        // Patterns are about names below the location.
        gateway
            .run(&format!("hash -c sha256 -f sums --include k0 {both}"))
            .code(0)
            .prints("s3://bucket/a/k0");
        // One location alone is the top, as a manifest of one folder is.
        gateway.run("hash -c sha256 -f sums s3://bucket/a/").code(0).prints("  k0\n");
    }
);
