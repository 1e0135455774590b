//! A bad connection to the store: answers that take long, come slowly, in crumbs, or are cut. The bytes are the same.

use super::gateway::{Gateway, Server, free_port, program};
use crate::case;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

/// The way to a store, through toxiproxy.
struct Way {
    _server: Server,
    control: u16,
    port: u16,
}

impl Way {
    fn start(t: &crate::util::Place, gateway: &Gateway<'_>) -> Option<Way> {
        let program = program("toxiproxy-server")?;
        let (control, port) = (free_port(), free_port());
        let mut command = Command::new(program);
        command.args(["-host", "127.0.0.1", "-port", &control.to_string()]);
        let server = Server::start(command, control, &t.path("toxiproxy.log"));
        let way = Way { _server: server, control, port };
        let upstream = gateway.port();
        way.tell("/proxies", &format!(
            r#"{{"name":"s3","listen":"127.0.0.1:{port}","upstream":"127.0.0.1:{upstream}","enabled":true}}"#
        ));
        Some(way)
    }

    /// Asks the proxy for something.
    fn tell(&self, path: &str, json: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.control)).unwrap();
        let length = json.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nhost: proxy\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n{json}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 20"), "{path} {json}: {answer}");
    }

    /// From now on connections are like this, and in no other way bad.
    fn poison(&self, kind: &str, attributes: &str) {
        // This takes all away.
        self.tell("/reset", "");
        let toxic =
            format!(r#"{{"name":"bad","type":"{kind}","stream":"downstream","attributes":{attributes}}}"#);
        self.tell("/proxies/s3/toxics", &toxic);
    }
}

case!(
    #[ignore = "campaign: takes long"]
    a_bad_way_gives_the_same_records,
    |t| {
        t.file("tree/large", vec![7_u8; 9 << 20]).file("tree/empty", "");
        for number in 0..30 {
            t.file(format!("tree/small/{number:02}"), vec![number; 100 * usize::from(number)]);
        }
        let Some(gateway) = Gateway::start(t) else { return };
        let Some(()) = gateway.fill("tree", "p/") else { return };
        let Some(way) = Way::start(t, &gateway) else { return };
        let args = "hash -c md5,sha256 -f jsonl s3://bucket/p/";
        let wanted = gateway.run(args).code(0).stdout().to_vec();
        let run = |args: &str| {
            let mut command = gateway.command(args);
            command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", way.port));
            t.ran(command, args)
        };
        run(args).code(0).is(&wanted);
        for (kind, attributes) in [
            ("latency", r#"{"latency":60,"jitter":50}"#),
            // Each connection is cut after this many bytes: in the middle of a large object, and between small ones.
            ("limit_data", r#"{"bytes":700000}"#),
            ("limit_data", r#"{"bytes":40000}"#),
            // 8 MB in a second, in crumbs.
            ("bandwidth", r#"{"rate":8000}"#),
            ("slicer", r#"{"average_size":900,"size_variation":800,"delay":10}"#),
            ("slow_close", r#"{"delay":50}"#),
        ] {
            way.poison(kind, attributes);
            run(args).code(0).is(&wanted);
        }
        // Data that never arrives is given up and reported.
        way.poison("reset_peer", r#"{"timeout":0}"#);
        run(args).code(2).says("s3://bucket/p/");
    }
);
