//! The same against a store of another maker, filled by AWS's own library: versitygw and boto3.

use crate::util::{Place, Ran, installed};
use serde_json::Value;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A gateway that ends with the case.
struct Gateway {
    child: Child,
    address: String,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Gateway {
    /// Starts one; none if it is not installed.
    fn start(place: &Place) -> Option<Gateway> {
        let program = installed("versitygw")?;
        std::fs::create_dir_all(place.path("store")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let host = format!("127.0.0.1:{port}");
        let mut command = Command::new(program);
        command.args(["--port", &host, "--access", "key", "--secret", "secret", "posix"]).arg(place.path("store"));
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let gateway = Gateway { child, address: format!("http://{host}") };
        // It opens its port when it is ready.
        for _ in 0..600 {
            if TcpStream::connect(&host).is_ok() {
                return Some(gateway);
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("versitygw does not start");
    }

    fn run(&self, place: &Place, args: &str) -> Ran {
        let mut command = place.command(args);
        command.args(["--endpoint", &self.address, "--region", "us-east-1"]);
        place.ran(environment(command), args)
    }
}

fn environment(mut command: Command) -> Command {
    command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
    command
}

/// A Python with boto3; none if there is none. `HASHLOOM_PYTHON` names another than the first in the path.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("HASHLOOM_PYTHON").map(PathBuf::from);
    let python = named.or_else(|| installed("python3"))?;
    let has = Command::new(&python).args(["-c", "import boto3"]).stderr(Stdio::null()).status();
    if has.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    eprintln!("note: boto3 is not installed; not compared");
    None
}

/// A gateway with a bucket that boto3 filled, and what it says of the objects.
fn filled(place: &Place) -> Option<(Gateway, Value)> {
    let (python, gateway) = (python()?, Gateway::start(place)?);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/uploads.py");
    let mut command = Command::new(python);
    command.arg(script).arg(&gateway.address).current_dir(place.path(""));
    let ran = place.ran(environment(command), "uploads.py").code(0);
    Some((gateway, ran.json()))
}

#[test]
fn all_that_boto3_uploads_is_proved() {
    let place = Place::new();
    let Some((gateway, said)) = filled(&place) else { return };
    let json = gateway.run(&place, "audit s3://b/ --against d -f json").json();
    let all = said.as_object().unwrap();
    // What was uploaded in parts of different lengths has no digest here that could be compared, unless there is one of the
    // whole object.
    let told = |key: &str| json["entries"].as_array().unwrap().iter().find(|entry| entry["path"] == key).cloned();
    for (key, sums) in all {
        let whole = sums["ChecksumType"] == "FULL_OBJECT";
        match told(key) {
            Some(entry) => assert_eq!(entry["category"], "matched", "{key}: {sums}"),
            None => assert!(key.contains("uneven") && !whole, "{key}: {sums}"),
        }
    }
    assert!(json["counts"]["changed"] == 0 && json["counts"]["new"] == 0 && json["counts"]["missing"] == 0);
    // One byte of each is another: nothing may pass.
    for key in all.keys().filter(|key| *key != "empty") {
        let name = format!("d/{key}");
        let mut bytes = place.read(&name);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        place.file(&name, bytes);
    }
    let json = gateway.run(&place, "audit s3://b/ --against d -f json").json();
    assert_eq!(json["counts"]["matched"], 1, "{json}");
    gateway.run(&place, "audit s3://b/ --against d --download").code(1).prints("matched: 1\n");
}

#[test]
fn a_bucket_that_is_whole_is_proved_by_its_listing() {
    let place = Place::new();
    let Some((gateway, _)) = filled(&place) else { return };
    let ran = gateway.run(&place, "audit s3://b/whole/ --against d/whole --stats=json").code(0);
    ran.prints("matched by content: 5").says("\"list\":1").says("\"head\":0");
}
