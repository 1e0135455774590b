//! The reader of bundles.

use super::join;
use crate::format::json::objects::{ObjectRecords, Objects, map, text};
use crate::format::malformed::{Bad, Why};
use crate::format::values::naming::Naming;
use crate::format::{Hint, Reader};
use crate::{Record, Time};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::io::Read;

/// The most folders that are remembered, and their longest identifier and path in bytes.
pub(super) const FOLDERS: usize = 8192;
const ID: usize = 128;
const PATH: usize = 4096;

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let mut folders = Folders::default();
    Objects::remembering(b"objects", Box::new(move |object, naming| folders.read(object, naming)), input)
}

/// The folders of the bundle that came last, by their identifiers.
#[derive(Default)]
struct Folders {
    paths: HashMap<String, String>,
    order: VecDeque<String>,
}

impl Folders {
    /// Returns the record of an object that is a file. Other objects are not files.
    fn read(&mut self, object: &Value, naming: &mut Naming) -> ObjectRecords {
        match object.get("type").and_then(Value::as_str) {
            Some("file") => vec![self.file(object, naming)],
            Some("directory") => self.add(object).err().map(Err).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn add(&mut self, object: &Value) -> Result<(), Bad> {
        let (id, path) = (text(object, "id")?, text(object, "path")?);
        for (part, text, most) in [("id", id, ID), ("path", path, PATH)] {
            if text.len() > most {
                return Err(Bad::new(part, Why::TooLong(most)));
            }
        }
        match self.paths.get(id) {
            // Other programs may take the first.
            Some(known) if known != path => return Err(Bad::new("path", Why::Twice)),
            Some(_) => {}
            None => {
                self.paths.insert(id.to_owned(), path.to_owned());
                self.order.push_back(id.to_owned());
            }
        }
        if self.order.len() > FOLDERS
            && let Some(oldest) = self.order.pop_front()
        {
            self.paths.remove(&oldest);
        }
        Ok(())
    }

    fn file(&self, object: &Value, naming: &mut Naming) -> Result<Record, Bad> {
        let name = text(object, "name")?;
        let path = match object.get("parent_directory_ref") {
            None => name.to_owned(),
            Some(_) => {
                let id = text(object, "parent_directory_ref")?;
                let folder = self.paths.get(id).ok_or(Bad::new("parent_directory_ref", Why::Missing))?;
                join(folder, name)
            }
        };
        let number = |size: &Value| size.as_u64().ok_or(Bad::new("size", Why::Number));
        let time =
            |time: &Value| time.as_str().and_then(Time::from_rfc3339).ok_or(Bad::new("mtime", Why::Time));
        let size = object.get("size").map(number).transpose()?;
        let mtime = object.get("mtime").map(time).transpose()?;
        let hashes = object.get("hashes").map(|hashes| map(hashes, naming)).transpose()?;
        let record = hashes.unwrap_or_default().record_or_bare(path.as_bytes(), size)?;
        Ok(Record { mtime, ..record })
    }
}
