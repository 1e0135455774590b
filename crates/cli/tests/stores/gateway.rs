//! Servers: started on free ports of loopback, ended when they are dropped.

use crate::util::{Place, Ran};
use hashmill_testing::set_up;
use std::ffi::OsStr;
use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that runs.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns where a server is installed; none, noted, if it is not.
pub fn program(name: &str) -> Option<PathBuf> {
    let place = Path::new("bin").join(name);
    match std::env::var_os("HASHMILL_STORES") {
        Some(folder) => Some(Path::new(&folder).join(place)),
        None => set_up(Path::new("stores").join(place).to_str()?),
    }
}

/// Returns a port without a listener.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Server {
    /// Starts a program that listens on a port, and waits until it does.
    pub fn start(mut command: Command, port: u16, log: &Path) -> Server {
        let log = File::create(log).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let mut server = Server { child: command.spawn().unwrap(), port };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(server.child.try_wait().unwrap().is_none(), "the server ended");
            assert!(start.elapsed() < Duration::from_secs(60), "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }
}

/// A store with the interface of S3, over the folder `store` of a place; buckets are folders there.
pub struct Gateway<'p> {
    place: &'p Place,
    server: Server,
}

pub const KEY: &str = "testkey";
pub const SECRET: &str = "wJalrXUtnFEMIsecret";

/// Keys of [`Gateway::start_other`].
pub const OTHER_KEY: &str = "otherkey";
pub const OTHER_SECRET: &str = "wJalrXUtnFEMIother";

impl<'p> Gateway<'p> {
    /// With an empty bucket `bucket`; none if the program is not installed.
    pub fn start(place: &'p Place) -> Option<Gateway<'p>> {
        Gateway::start_with(place, false)
    }

    /// The same, which may keep versions.
    pub fn start_versioned(place: &'p Place) -> Option<Gateway<'p>> {
        Gateway::start_with(place, true)
    }

    /// Starts another server, over the folder `other`: its bucket has the same name, and its keys are others.
    pub fn start_other(place: &'p Place) -> Option<Gateway<'p>> {
        Gateway::start_at(place, "other", (OTHER_KEY, OTHER_SECRET), &[])
    }

    fn start_with(place: &'p Place, versions: bool) -> Option<Gateway<'p>> {
        let folder = place.path("versions");
        if versions {
            std::fs::create_dir_all(&folder).unwrap();
        }
        let kept = ["--versioning-dir".as_ref(), folder.as_os_str()];
        Gateway::start_at(place, "store", (KEY, SECRET), if versions { &kept } else { &[] })
    }

    fn start_at(
        place: &'p Place,
        folder: &str,
        (key, secret): (&str, &str),
        more: &[&OsStr],
    ) -> Option<Gateway<'p>> {
        let program = program("versitygw")?;
        std::fs::create_dir_all(place.path(folder).join("bucket")).unwrap();
        let port = free_port();
        let mut command = Command::new(program);
        command.args(["--access", key, "--secret", secret, "--quiet", "--port"]);
        command.arg(format!("127.0.0.1:{port}")).arg("posix").args(more).arg(place.path(folder));
        let server = Server::start(command, port, &place.path(format!("{folder}.log")));
        Some(Gateway { place, server })
    }

    pub fn port(&self) -> u16 {
        self.server.port
    }

    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.port)
    }

    /// hashmill with these arguments, and with the way to the store in its environment.
    pub fn command(&self, args: &str) -> Command {
        let mut command = self.place.command(args);
        command.envs(self.environment());
        command
    }

    /// Returns the variables that are the way to the store.
    pub fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ACCESS_KEY_ID", KEY.to_string()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_string()),
            ("AWS_ENDPOINT_URL", self.endpoint()),
            ("AWS_REGION", "us-east-1".to_string()),
        ]
    }

    pub fn run(&self, args: &str) -> Ran {
        self.place.ran(self.command(args), args)
    }

    /// Copies a folder of the place into the bucket, by rclone.
    pub fn fill(&self, folder: &str, prefix: &str) -> Option<()> {
        let program = hashmill_testing::installed("rclone")?;
        let mut command = Command::new(program);
        command.args([
            "copy",
            folder,
            &format!(":s3:bucket/{prefix}"),
            // Two files of one size may have been written at the same tick of the clock.
            "--ignore-times",
            "--s3-provider",
            "Other",
            "--s3-endpoint",
        ]);
        command.arg(self.endpoint()).args(["--s3-access-key-id", KEY, "--s3-secret-access-key", SECRET]);
        command
            .current_dir(self.place.path(""))
            .env("RCLONE_CONFIG", "/dev/null")
            .env_remove("AWS_CA_BUNDLE");
        self.place.ran(command, "rclone copy").code(0);
        Some(())
    }
}
