//! The device under a path, and how the path would be read.

use super::residency::Sample;
use crate::access;
use hashmill_engine::Prefetch;
use hashmill_source::{
    Block, Device, Error, Io, MapFiles, Medium, Policy, Problem, ReadOrder, address_space_is_ample,
};
use hashmill_terminal::{path_b64, path_text};
use serde::Serialize;

/// The options for reading.
pub struct Asked {
    pub prefetch: Prefetch,
    pub io: Io,
}

/// One path.
#[derive(Serialize)]
pub struct ExplainedPath {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    #[serde(skip)]
    pub bytes: Box<[u8]>,
    /// None for standard input, which is read as it comes.
    pub device: Option<Lies>,
    pub cached: Sample,
    pub reading: Reading,
}

/// The device under a path, and the plan for it.
#[derive(Serialize)]
pub struct Lies {
    pub file_system: String,
    pub mount_point: Option<String>,
    pub source: Option<String>,
    pub medium: &'static str,
    /// The bytes that the kernel reads ahead.
    pub read_ahead: Option<u64>,
    pub blocks: Vec<Layer>,
}

/// A block device and what it stacks on.
#[derive(Serialize)]
pub struct Layer {
    pub name: String,
    pub what: String,
    pub model: Option<String>,
    pub rotational: Option<bool>,
    pub medium: &'static str,
    pub below: Vec<Layer>,
}

/// How a path would be read.
#[derive(Serialize)]
pub struct Reading {
    pub readers_least: usize,
    pub readers_most: usize,
    /// `path` or `disk`.
    pub order: &'static str,
    /// Whether files are read one after another.
    pub alone: bool,
    /// The effect on the page cache.
    pub page_cache: &'static str,
    /// The files that are mapped rather than copied.
    pub mapping: &'static str,
    pub why: String,
}

impl ExplainedPath {
    /// Looks at the path and, below it, at a sample of the files; also returns the files that could not be looked at.
    ///
    /// # Errors
    /// If the path itself can't be looked at.
    pub fn look_at(path: &[u8], asked: &Asked) -> Result<(ExplainedPath, Vec<Error>), Error> {
        let (sample, failures) = Sample::below(path);
        let device = match path {
            b"-" => None,
            _ => Some(Device::from_path(path).map_err(|error| Error {
                path: path.into(),
                problem: Problem::Stat(access::stores().hinted(path, error)),
            })?),
        };
        let reading = Reading::new(device.as_ref(), &sample, asked);
        let place = ExplainedPath {
            path: path_text(path),
            path_b64: path_b64(path),
            bytes: path.into(),
            device: device.map(Lies::from_device),
            cached: sample,
            reading,
        };
        Ok((place, failures))
    }
}

impl Reading {
    fn new(device: Option<&Device>, sample: &Sample, asked: &Asked) -> Reading {
        let (policy, why) = match (device, asked.prefetch) {
            (None, _) => (Policy::from_medium(Medium::Memory), "a pipe has one reader: whoever hashes it"),
            (Some(device), Prefetch::Fixed(_)) => (asked.prefetch.policy(device), "--prefetch asks for it"),
            (Some(device), Prefetch::Auto) if comes_from_memory(device, sample, asked.io) => (
                Policy::from_medium(Medium::Memory),
                "all files of the sample are in memory: threads read what they hash",
            ),
            (Some(device), Prefetch::Auto) => (asked.prefetch.policy(device), device.why()),
        };
        let order = match policy.order {
            ReadOrder::Path => "path",
            ReadOrder::Disk => "disk",
        };
        Reading {
            readers_least: policy.least,
            readers_most: policy.most,
            order,
            alone: policy.alone,
            page_cache: page_cache(asked.io),
            mapping: mapping(device, asked.io),
            why: why.into(),
        }
    }
}

/// Returns whether readers would have nothing to do, although the device has a policy for them.
fn comes_from_memory(device: &Device, sample: &Sample, io: Io) -> bool {
    sample.all_cached() && device.medium != Medium::Memory && io != Io::Direct
}

fn page_cache(io: Io) -> &'static str {
    match io {
        Io::Auto => "files are read through it; those larger than half of the memory leave nothing there",
        Io::Buffered => "files are read through it; those of 8 MiB and more leave nothing there",
        Io::Direct => "files are read past it, where the file system can do that",
    }
}

fn mapping(device: Option<&Device>, io: Io) -> &'static str {
    match device {
        _ if MapFiles::default() == MapFiles::Never => "nothing is mapped: HASHMILL_MAP says never",
        _ if io != Io::Auto => "nothing is mapped: --io asks for reads",
        _ if !address_space_is_ample() => {
            "nothing is mapped: the address space of this process is limited (ulimit -v)"
        }
        Some(device) if device.maps_files() && MapFiles::default() == MapFiles::Always => {
            "files of 128 KiB and more that are in memory are mapped: HASHMILL_MAP says always"
        }
        Some(device) if device.maps_files() => {
            "of files of 128 KiB and more that are in memory the first are copied and mapped by turns, the others as was \
             faster; --stats says which"
        }
        _ => {
            "nothing is mapped: files there may vanish while they are read, or are not kept in the page cache"
        }
    }
}

impl Lies {
    fn from_device(device: Device) -> Lies {
        Lies {
            read_ahead: device.read_ahead(),
            mount_point: device.mount_point.map(|point| point.to_string_lossy().into_owned()),
            source: device.source,
            medium: device.medium.name(),
            blocks: device.blocks.into_iter().map(Layer::from_block).collect(),
            file_system: device.file_system,
        }
    }
}

impl Layer {
    fn from_block(block: Block) -> Layer {
        Layer {
            name: block.name,
            what: block.what,
            model: block.model,
            rotational: block.rotational,
            medium: block.medium.name(),
            below: block.below.into_iter().map(Layer::from_block).collect(),
        }
    }
}
