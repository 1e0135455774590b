//! `hashloom bag create`.

use super::copy::Copy;
use super::in_place::{self, InPlace, Start};
use super::options::Create;
use super::payload::Payload;
use super::tags::{Tags, info, tags};
use crate::exit::Exit;
use crate::message::{self, count};
use crate::output;
use crate::signal;
use anyhow::ensure;
use hashloom_bag::Info;
use hashloom_digest::Class;
use hashloom_engine::Plan;
use std::path::Path;

/// A bag to be made.
struct Job<'a> {
    options: &'a Create,
    plan: Plan,
    info: Info,
}

/// The command, from options to exit code.
///
/// # Errors
/// If the options or the folder are not usable, or something cannot be written.
pub fn run(options: &Create) -> anyhow::Result<Exit> {
    let algorithms = &options.algorithms;
    ensure!(algorithms.likeness.is_empty(), "-c: manifests of bags have no place for likeness digests");
    for algorithm in &algorithms.digests {
        let proof = algorithm.class != Class::Checksum;
        ensure!(proof, "-c {}: a checksum is no proof; choose a digest", algorithm.name);
    }
    let plan = options.resources.plan(algorithms.digests.clone())?;
    let info = info(&options.info)?;
    options.resources.give_way()?;
    signal::watch(plan.cancel.clone(), output::stdout()?)?;
    let job = Job { options, plan, info };
    match &options.output {
        None => job.in_place(),
        Some(to) => job.copy(to),
    }
}

impl Job<'_> {
    fn in_place(self) -> anyhow::Result<Exit> {
        let folder = &self.options.folder;
        let Start::Fresh(place) = InPlace::begin(folder)? else { return Ok(in_place::finished(folder)) };
        let payload = self.read(folder);
        if let Some(exit) = self.stopped(&payload) {
            return Ok(exit);
        }
        let tags = self.tags(&payload)?;
        place.commit(&tags)?;
        tell(folder, &payload);
        Ok(Exit::Fine)
    }

    fn copy(self, to: &Path) -> anyhow::Result<Exit> {
        let folder = &self.options.folder;
        let copy = Copy::begin(folder, to)?;
        let payload = self.read(folder);
        if let Some(exit) = self.stopped(&payload) {
            return Ok(exit);
        }
        copy.fill(folder, &payload.files, || self.plan.cancel.is_set())?;
        // Once more, from what was written: a copy is only as good as what can be read of it.
        let copied = self.read(&copy.data());
        if self.plan.cancel.is_set() {
            return Ok(interrupted());
        }
        let tags = self.tags(&payload)?;
        copy.finish(&copied, &payload, &tags)?;
        tell(to, &payload);
        Ok(Exit::Fine)
    }

    fn read(&self, folder: &Path) -> Payload {
        Payload::read(folder, &self.plan, self.options.resources.progress)
    }

    fn tags(&self, payload: &Payload) -> anyhow::Result<Tags> {
        tags(payload, &self.plan.algorithms, self.info.clone())
    }

    /// Why no bag is made of this.
    fn stopped(&self, payload: &Payload) -> Option<Exit> {
        if self.plan.cancel.is_set() {
            return Some(interrupted());
        }
        if payload.refused == 0 {
            return None;
        }
        let things = count(payload.refused, "entry", "entries");
        message::say(format_args!("no bag was made because of {things}; nothing was changed"));
        Some(Exit::Failed)
    }
}

fn interrupted() -> Exit {
    message::say("interrupted; nothing was changed");
    Exit::Interrupted
}

fn tell(bag: &Path, payload: &Payload) {
    let files = count(payload.oxum.streams, "file", "files");
    message::say(format_args!("{}: a bag of {files}, {} bytes", bag.display(), payload.oxum.octets));
}
