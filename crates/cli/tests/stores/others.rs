//! Google and Azure, by their emulators.

use super::gateway::{Server, free_port, program};
use crate::case;
use crate::util::Place;
use std::process::Command;

case!(
    #[ignore = "campaign: needs fake-gcs-server"]
    google_cloud_storage,
    |t| {
        let Some(program) = program("fake-gcs-server") else { return };
        t.file("data/b/p/a", "abc")
            .file("data/b/p/d/e f", "deep")
            .file("data/b/p/large", vec![7_u8; 9 << 20]);
        let port = free_port();
        let mut command = Command::new(program);
        command.args([
            "-scheme",
            "http",
            "-host",
            "127.0.0.1",
            "-port",
            &port.to_string(),
            "-backend",
            "memory",
            "-data",
        ]);
        command.arg(t.path("data"));
        let _server = Server::start(command, port, &t.path("gcs.log"));
        let run = |args: &str| {
            let mut command = t.command(args);
            command.env("STORAGE_EMULATOR_HOST", format!("http://127.0.0.1:{port}"));
            t.ran(command, args)
        };
        let sums = "900150983cd24fb0d6963f7d28e17f72  a\n";
        run("hash -c md5 -f sums gs://b/p/ --include a").code(0).is(sums);
        let large = t.run("hash -c blake3 -f jsonl data/b/p/large").code(0).json()["blake3"].clone();
        assert_eq!(run("hash -c blake3 -f jsonl gs://b/p/large").code(0).json()["blake3"], large);
        run("hash -c md5 gs://b/p/ -o m").code(0);
        run("audit -k m gs://b/p/").code(0);
        run("hash -c md5 gs://b/p/ -o gs://b/m").code(0);
        run("audit -k gs://b/m gs://b/p/").code(0);
        // A checksum that the store computed itself is a proof.
        let audit = "audit gs://b/p/ --against data/b/p";
        run(audit).code(0).prints("matched by content: 3").quiet();
        run(&format!("{audit} --min-strength content --stats")).code(0).says("list 1;");
        run("hash -c crc32c -f jsonl data/b/p -o crc.jsonl").code(0);
        run("audit gs://b/p/ --against crc.jsonl").code(0).prints("matched by crc: 3");
        run("audit gs://b/p/ --against crc.jsonl --min-strength content").code(2).prints("unproven: 3");
        t.file("data/b/p/a", "abd");
        run(audit).code(1).prints("a: changed").prints("matched: 2");
        t.file("data/b/p/a", "abc");
        let versions = run("hash -c md5 -f jsonl gs://b/p/a").code(0).json();
        assert!(versions["version"].as_str().is_some_and(|version| !version.is_empty()), "{versions}");
        run("hash gs://b/p/a?generation=1").code(2).says("no such version");
        run("hash gs://none/").code(2).says("there is no such bucket");
    }
);

/// The key of the account that every emulator has.
const AZURITE_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Starts the emulator of Azure; none if it is not installed. Returns its port, too.
pub fn azurite(t: &Place) -> Option<(Server, u16)> {
    let program = program("azurite-blob")?;
    let port = free_port();
    let mut command = Command::new(program);
    command.args(["--blobPort", &port.to_string(), "--silent", "--skipApiVersionCheck"]);
    command.args(["--disableTelemetry", "--location"]).arg(t.path("azurite"));
    Some((Server::start(command, port, &t.path("azurite.log")), port))
}

/// Returns the way to the emulator, as its variable has it.
pub fn connection(port: u16) -> String {
    format!(
        "AccountName=devstoreaccount1;AccountKey={AZURITE_KEY};BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1;"
    )
}

/// Makes the container `things` there; none if there is no Python.
pub fn make_container(t: &Place, port: u16) -> Option<()> {
    t.file("container.py", include_str!("container.py"));
    let mut python = Command::new(hashmill_testing::installed("python3")?);
    python.arg(t.path("container.py")).arg(port.to_string()).arg(AZURITE_KEY);
    t.ran(python, "container.py").code(0);
    Some(())
}

case!(
    #[ignore = "campaign: needs azurite-blob"]
    azure_blob_storage,
    |t| {
        let Some((_server, port)) = azurite(t) else { return };
        let (key, text) = (AZURITE_KEY, connection(port));
        let run = |args: &str| {
            let mut command = t.command(args);
            command.env("AZURE_STORAGE_CONNECTION_STRING", &text);
            t.ran(command, args)
        };
        t.file("tree/a", "abc");
        run("hash -c md5 tree -o az://things/m").code(2).says("no such bucket or container").quiet_about(key);
        let Some(()) = make_container(t, port) else { return };
        run("hash -c md5 tree -o az://things/p/m").code(0);
        run("hash -c md5 tree -o az://things/p/d/n").code(0);
        // The client declares the MD5; so it is no proof unless that is requested.
        std::fs::create_dir_all(t.path("ev")).unwrap();
        for to in ["az://things/ev/m", "ev/m"] {
            run(&format!("hash -c md5 -f jsonl tree -o {to}")).code(0);
        }
        run("audit az://things/ev/ --against ev").code(2).prints("unproven: 1").says("m: not told: whoever");
        run("audit az://things/ev/ --against ev --min-strength declared")
            .code(0)
            .prints("matched by declared: 1");
        run("audit az://things/ev/ --against ev --download").code(0).prints("matched: 1");
        run("hash -c md5 -f sums az://things/p/").code(0).prints("  d/n\n").prints("  m\n");
        run("audit -k az://things/p/m tree").code(0);
        // A key that clients resolve is read unchanged, from its listing and by its name.
        let dotted = "900150983cd24fb0d6963f7d28e17f72";
        run("hash -c md5 -f sums az://things/dots/").code(0).is(format!("{dotted}  ../m\n"));
        run("hash -c md5 -f sums az://things/dots/../m").code(0).is(format!("{dotted}  m\n"));
        run("hash az://things/p/../p/m").code(2).says("there is no object of this key");
        run("hash az://things/none").code(2).says("there is no object of this key");
    }
);
