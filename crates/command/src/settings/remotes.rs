//! Named services: `[remotes.NAME]` of the user's file, and those of rclone's own file. A project's file can't have
//! any, as it could send the user's credentials anywhere.

use super::file::{File, text, typed};
use super::user;
use crate::words::message::{Shown, say};
use hashmill_content::stores::remotes::RemoteTable;
use hashmill_os::{self as os, Links, open_now, others_may};
use hashmill_store::{BadRemote, Remote, rclone};
use std::env;
use std::path::{Path, PathBuf};
use toml::Value;

/// The variable that names rclone's file; if it is empty, there is none.
const VARIABLE: &str = "RCLONE_CONFIG";

/// Reads all services. Those of the user's file count before those of rclone's. What is wrong with a file is told, and none of its
/// services is used; the command does not come so far.
pub fn read() -> RemoteTable {
    let mut all = of_rclone();
    let wrong = match user() {
        Ok(None) => None,
        Ok(Some(user)) => problem(user).or_else(|| {
            all.extend(of_user(user));
            None
        }),
        Err(problem) => Some(problem.clone()),
    };
    wrong.iter().for_each(|problem| say(format_args!("{problem} (its remotes are left out)")));
    all
}

/// Returns the problem with the services of the user's file.
pub fn problem(user: &File) -> Option<String> {
    let (table, path) = user.remotes()?;
    let shown = Shown::path(path);
    let Some(table) = table.as_table() else {
        return Some(format!("{shown}: remotes is no table: write [remotes.NAME]"));
    };
    if let Some(name) = table.keys().find(|name| !rclone::is_name(name)) {
        return Some(format!("{shown}: remotes.{}: is no name of a remote", Shown(name.as_bytes())));
    }
    let wrong = of_user(user).into_iter().find_map(|(name, remote)| Some((name, remote.err()?)));
    if let Some((name, bad)) = wrong {
        return Some(format!(
            "{shown}: remotes.{}: {}",
            Shown(name.as_bytes()),
            Shown(bad.to_string().as_bytes())
        ));
    }
    let secret = table.iter().find(|(_, settings)| has_secret(settings));
    let (name, _) = secret.filter(|_| is_open(path))?;
    Some(format!("{shown}: remotes.{name} has a secret, and others can read the file (chmod 600 helps)"))
}

fn of_user(user: &File) -> RemoteTable {
    let tables = user.remotes().and_then(|(remotes, _)| remotes.as_table());
    tables.into_iter().flatten().map(|(name, settings)| (name.clone(), remote(settings))).collect()
}

fn remote(settings: &Value) -> Result<Remote, BadRemote> {
    let pairs: Vec<(&str, String)> =
        settings.as_table().into_iter().flatten().map(|(key, value)| (key.as_str(), typed(value))).collect();
    Remote::parse(pairs.iter().map(|(key, value)| (*key, value.as_str())))
}

fn has_secret(settings: &Value) -> bool {
    settings.as_table().is_some_and(|table| table.keys().any(|key| Remote::is_secret(key)))
}

/// Returns whether other users can read a file.
fn is_open(path: &Path) -> bool {
    open_now(path, Links::Follow)
        .and_then(|file| others_may(&file))
        .is_ok_and(|access| access.read || access.write)
}

/// Returns the services of rclone's file. Problems are reported; the other services can be used nevertheless.
fn of_rclone() -> RemoteTable {
    let Some(path) = rclone_file() else { return RemoteTable::new() };
    let read = text(&path, Links::Follow).and_then(|text| {
        let wrong = |bad| format!("{}: {bad}", Shown::path(&path));
        rclone::remotes(&text.unwrap_or_default()).map_err(wrong)
    });
    read.map(|remotes| remotes.into_iter().collect()).unwrap_or_else(|problem| {
        say(format_args!("{problem} (its remotes are left out)"));
        RemoteTable::new()
    })
}

/// Finds rclone's file in the places where rclone looks for it.
fn rclone_file() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|path| !path.as_os_str().is_empty());
    }
    let home = os::home();
    let places = [
        os::settings().map(|folder| folder.join("rclone/rclone.conf")),
        home.as_ref().map(|home| home.join(".config/rclone/rclone.conf")),
        home.map(|home| home.join(".rclone.conf")),
    ];
    places.into_iter().flatten().find(|path| path.exists())
}
