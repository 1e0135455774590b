//! Maps paths of manifests to paths of this machine.

use super::known::Known;
use super::paths::{
    Style, absolute, is_absolute, is_from_root, join, joined, parts, relative, resolved, whole, without_drive,
};
use hashbrown::HashMap;

/// The places where manifests were made and where the files are now.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The absolute working directory. Without it, relative and absolute paths are never equal.
    pub working: Option<Box<[u8]>>,
    /// Directories with another name in the manifest, see [`find_roots`].
    pub roots: Vec<Root>,
    /// Prefixes of the manifest's paths that keys of a store lack, see [`find_prefix`].
    pub prefixes: Vec<Box<[u8]>>,
}

/// A directory or file with another name in the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its path in the manifest, with slashes only; empty if the manifest's paths start below it.
    pub known: Box<[u8]>,
    /// Its local path.
    pub local: Box<[u8]>,
}

impl Places {
    /// Returns the manifest path of a local path below a directory with another name in the manifest: no other record may
    /// be of this file.
    pub(super) fn mapped_name(&self, path: &[u8]) -> Option<Vec<u8>> {
        // The root of a medium stands beside files at their listed paths.
        let is_exclusive = |root: &&Root| !(root.local.is_empty() && *root.known == *b"/");
        self.roots.iter().filter(is_exclusive).find_map(|root| root.known_name(path))
    }

    /// Returns the possible manifest paths of a local path, likeliest first.
    pub(super) fn known_names(&self, path: &[u8]) -> Vec<Vec<u8>> {
        if let Some(mapped) = self.mapped_name(path) {
            return vec![mapped];
        }
        let mut names = vec![path.to_vec()];
        if let Some(working) = &self.working {
            let whole = whole(working, path);
            names.push(if is_from_root(path) { relative(working, &whole) } else { whole.clone() });
            // A list has its drive or not, as it was typed.
            if let Some(bare) = without_drive(working, &whole) {
                names.extend([bare.to_vec(), whole]);
            }
        }
        names.extend(self.roots.iter().filter_map(|root| root.known_name(path)));
        names.extend(self.prefixes.iter().map(|prefix| [prefix, path].concat()));
        names
    }

    /// Returns the same names, each spelled without `.`, doubled slashes and slashes at the end.
    pub fn plain_names(&self, path: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        let plain = |name: Vec<u8>| join(is_absolute(&name, Style::Unix), parts(&name, Style::Unix));
        self.known_names(path).into_iter().map(plain)
    }

    /// Returns the path of a file of a manifest as a walk of this operand spells it; `None` if it does not lie there.
    pub fn walked_name(&self, path: &[u8], operand: &[u8]) -> Option<Vec<u8>> {
        let root = self.roots.iter().find(|root| *root.local == *operand);
        let moved = root.and_then(|root| rest_below(path, &root.known));
        let rest = moved.or_else(|| {
            let whole = |path: &[u8]| match &self.working {
                Some(working) => resolved(&whole(working, path)),
                None => absolute(b"/", path),
            };
            rest_below(&whole(path), &whole(operand))
        })?;
        let start = operand.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
        Some(if rest.is_empty() { operand.to_vec() } else { [&operand[..start], b"/", &rest].concat() })
    }
}

impl Root {
    fn known_name(&self, path: &[u8]) -> Option<Vec<u8>> {
        if is_absolute(path, Style::Unix) != is_absolute(&self.local, Style::Unix) {
            return None;
        }
        let (is_inside, rest) = rest_of(path, &self.local)?;
        let inside: &[u8] = if is_inside { b"!" } else { b"" };
        let whole = [&self.known, inside].concat();
        let rest: Vec<&[u8]> = rest.collect();
        let all = parts(&whole, Style::Unix).chain(rest.iter().copied());
        Some(join(is_absolute(&self.known, Style::Unix), all))
    }
}

/// Returns the parts of a path behind those of a folder, or of a file that it is inside of: `a!/b` is inside of `a`.
/// Returns also whether it is inside of a file.
fn rest_of<'a>(path: &'a [u8], above: &[u8]) -> Option<(bool, impl Iterator<Item = &'a [u8]>)> {
    let mut rest = parts(path, Style::Unix);
    let mut is_inside = false;
    parts(above, Style::Unix)
        .all(|part| {
            // Only its last part may have the mark.
            let found = rest.next().filter(|_| !is_inside);
            is_inside = found.and_then(|found| found.strip_suffix(b"!")) == Some(part);
            is_inside || found == Some(part)
        })
        .then_some((is_inside, rest))
}

/// Returns the part of a path behind a folder, unless it leads out of the folder again.
fn rest_below(path: &[u8], folder: &[u8]) -> Option<Vec<u8>> {
    if is_absolute(path, Style::Unix) != is_absolute(folder, Style::Unix) {
        return None;
    }
    let mut rest = parts(path, Style::Unix);
    parts(folder, Style::Unix).all(|part| rest.next() == Some(part)).then_some(())?;
    let rest: Vec<&[u8]> = rest.collect();
    (!rest.contains(&&b".."[..])).then(|| joined(rest.into_iter()))
}

/// The part of a manifest that lies below the operands, judged by its path names alone.
#[derive(Debug, Clone)]
pub struct Scope {
    operands: Vec<Box<[u8]>>,
    working: Option<Box<[u8]>>,
}

impl Scope {
    /// Returns the part below the operands; `None` if nothing of the manifest lies below one of them: then the manifest
    /// uses other names, and the operands stand for all of it.
    pub fn from_operands(known: &Known, operands: &[Box<[u8]>], working: Option<&[u8]>) -> Option<Scope> {
        Scope::from_paths(known.local_paths(), operands, working)
    }

    /// Returns the part below the operands like [`Scope::from_operands`], given the paths of the manifest.
    pub fn from_paths(
        paths: impl Iterator<Item = Vec<u8>>,
        operands: &[Box<[u8]>],
        working: Option<&[u8]>,
    ) -> Option<Scope> {
        let scope = Scope { operands: operands.into(), working: working.map(Box::from) };
        let mut unclaimed: Vec<&[u8]> = operands.iter().map(|operand| &**operand).collect();
        for path in paths {
            if unclaimed.is_empty() {
                break;
            }
            unclaimed.retain(|operand| !is_below(&path, operand, working));
        }
        (unclaimed.is_empty() && !operands.is_empty()).then_some(scope)
    }

    /// Returns whether a path of the manifest is in scope.
    pub fn has(&self, path: &[u8]) -> bool {
        self.operands.iter().any(|operand| is_below(path, operand, self.working.as_deref()))
    }
}

/// Finds the names of the operands in a manifest that was made elsewhere, before anything is hashed: for each operand,
/// it strips from the sampled manifest paths the prefix with which most of them exist under the operand. An operand
/// that still has the name that the manifest gives it keeps it. No two operands get names of which one lies below the
/// other, unless they get the same name with about as many files: then the caller must not compare both.
///
/// `sample` comes from [`Known::sample`](super::Known::sample); `exists` returns whether a file exists. An empty operand
/// is the working directory.
pub fn find_roots(
    sample: &[Vec<u8>],
    operands: &[&[u8]],
    working: Option<&[u8]>,
    exists: &mut dyn FnMut(&[u8]) -> bool,
) -> Vec<Root> {
    let found: Vec<FoundRoot> =
        operands.iter().map(|operand| find_root(sample, operand, working, exists)).collect();
    let meet = |one: &[u8], other: &[u8]| is_below(one, other, working) || is_below(other, one, working);
    let is_taken = |root: &FoundRoot, known: &[u8]| match &root.known {
        None => root.is_named && meet(&root.operand, known),
        Some(_) => false,
    };
    let mut mapped: Vec<&FoundRoot> = found.iter().filter(|root| root.known.is_some()).collect();
    mapped.sort_by_key(|root| std::cmp::Reverse(root.files));
    let mut kept: Vec<&FoundRoot> = Vec::new();
    for root in mapped {
        let known = root.known.as_deref().unwrap_or_default();
        let is_weaker = |other: &&FoundRoot| {
            let others = other.known.as_deref().unwrap_or_default();
            meet(others, known) && !(others == known && 2 * root.files > other.files)
        };
        if !found.iter().any(|other| is_taken(other, known)) && !kept.iter().any(is_weaker) {
            kept.push(root);
        }
    }
    let is_kept = |root: &&FoundRoot| kept.iter().any(|kept| std::ptr::eq(*kept, *root));
    let root = |root: &FoundRoot| Some(Root { known: root.known.clone()?, local: root.operand.clone() });
    found.iter().filter(is_kept).filter_map(root).collect()
}

/// The name of an operand in a manifest.
struct FoundRoot {
    operand: Box<[u8]>,
    /// Its name, if it is not its own.
    known: Option<Box<[u8]>>,
    /// The number of sampled paths that exist below it under that name.
    files: usize,
    /// Whether the manifest has paths below the operand as it is named here.
    is_named: bool,
}

fn find_root(
    sample: &[Vec<u8>],
    operand: &[u8],
    working: Option<&[u8]>,
    exists: &mut dyn FnMut(&[u8]) -> bool,
) -> FoundRoot {
    let named: Vec<&Vec<u8>> = sample.iter().filter(|path| is_below(path, operand, working)).collect();
    let own = named.iter().filter(|path| exists(path)).count();
    let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
    for path in sample {
        for prefix in prefixes(path, operand, exists) {
            *counts.entry(prefix).or_default() += 1;
        }
    }
    // Of two equally good prefixes, the shorter one leaves more components to agree.
    let better = |(known, count): &(Vec<u8>, usize)| (*count, std::cmp::Reverse(known.len()), known.clone());
    let fits = |(known, count): &(Vec<u8>, usize)| *count > own && may_be(known, operand, working, own > 0);
    let best = counts.into_iter().filter(fits).max_by_key(better);
    // Every path lies below the working directory as long as nothing says otherwise.
    let is_named = own > 0 || !named.is_empty() && !is_around(operand, working);
    let (known, files) = best.map_or((None, 0), |(known, files)| (Some(known.into()), files));
    FoundRoot { operand: operand.into(), known, files, is_named }
}

/// Returns whether an operand is the working directory or lies above it.
fn is_around(operand: &[u8], working: Option<&[u8]>) -> bool {
    working.is_none_or(|working| is_below(working, operand, Some(working)))
}

/// Returns whether this may be the manifest's name for an operand. It is not if files would then have moved up into the
/// operand from a directory below it, which is a change that must be told. `has_own` says whether a file of the manifest
/// exists below the operand under its own name.
fn may_be(known: &[u8], operand: &[u8], working: Option<&[u8]>, has_own: bool) -> bool {
    let whole = working.map_or_else(|| operand.to_vec(), |working| absolute(working, operand));
    let name = parts(&whole, Style::Unix).last();
    let mut above: Vec<&[u8]> = parts(known, Style::Unix).collect();
    let last = above.pop();
    // The manifest gives the operand's name to a directory above.
    if name.is_some_and(|name| above.contains(&name)) {
        return false;
    }
    let (is_inside, is_around) = (is_below(known, operand, working), is_around(operand, working));
    match has_own {
        true => {
            is_around && name.is_some() && last == name || !is_inside && is_below(operand, known, working)
        }
        false => is_around || !is_inside,
    }
}

/// Returns whether an unmapped path of the manifest lies below an operand.
fn is_below(path: &[u8], operand: &[u8], working: Option<&[u8]>) -> bool {
    let whole = |path: &[u8]| working.map_or_else(|| path.to_vec(), |working| whole(working, path));
    let (path, operand) = (whole(path), whole(operand));
    is_absolute(&path, Style::Unix) == is_absolute(&operand, Style::Unix)
        && rest_of(&path, &operand).is_some()
}

/// Returns the prefixes without which a path exists under the operand.
fn prefixes(path: &[u8], operand: &[u8], exists: &mut dyn FnMut(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let start = is_absolute(path, Style::Unix);
    let all: Vec<&[u8]> = parts(path, Style::Unix).collect();
    let mut found = Vec::new();
    for stripped in 0..all.len() {
        let local = [operand, b"/", &joined(all[stripped..].iter().copied())].concat();
        if exists(&local) {
            found.push(join(start, all[..stripped].iter().copied()));
        }
    }
    // The operand may be the file itself.
    let same_name = parts(operand, Style::Unix).last() == all.last().copied();
    if same_name && !all.is_empty() && exists(operand) {
        found.push(join(start, all.iter().copied()));
    }
    found
}

/// Finds the prefix, up to a slash, without which most of these keys exist on the other side. Returns `None` if any key
/// exists unchanged: then the others are gone, not renamed.
pub fn find_prefix(
    keys: impl IntoIterator<Item = Vec<u8>>,
    exists: &mut dyn FnMut(&[u8]) -> bool,
) -> Option<Box<[u8]>> {
    let mut counts: HashMap<Vec<u8>, usize> = HashMap::new();
    for key in keys {
        if exists(&key) {
            return None;
        }
        for end in memchr::memchr_iter(b'/', &key).map(|slash| slash + 1) {
            if end < key.len() && exists(&key[end..]) {
                *counts.entry(key[..end].to_vec()).or_default() += 1;
            }
        }
    }
    let better =
        |(prefix, count): &(Vec<u8>, usize)| (*count, std::cmp::Reverse(prefix.len()), prefix.clone());
    counts.into_iter().max_by_key(better).map(|(prefix, _)| prefix.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(sample: &[&str], operands: &[&str], files: &[&str]) -> Vec<(String, String)> {
        let sample: Vec<Vec<u8>> = sample.iter().map(|path| path.as_bytes().to_vec()).collect();
        let operands: Vec<&[u8]> = operands.iter().map(|path| path.as_bytes()).collect();
        let mut exists = |path: &[u8]| files.iter().any(|file| file.as_bytes() == path);
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        let found = find_roots(&sample, &operands, Some(b"/home/u"), &mut exists);
        found.iter().map(|root| (text(&root.known), text(&root.local))).collect()
    }

    #[test]
    fn a_manifest_made_elsewhere_finds_its_root() {
        let there = ["/backup/photos/a.jpg", "/backup/photos/b/c.jpg"];
        let expected = |known: &str| vec![(known.to_string(), "/backup/photos".to_string())];
        let relative = ["photos/a.jpg", "photos/b/c.jpg", "photos/gone.jpg"];
        assert_eq!(roots(&relative, &["/backup/photos"], &there), expected("photos"));
        let elsewhere = ["/mnt/x/photos/a.jpg", "/mnt/x/photos/b/c.jpg"];
        assert_eq!(roots(&elsewhere, &["/backup/photos"], &there), expected("/mnt/x/photos"));
        let below = ["a.jpg", "b/c.jpg"];
        assert_eq!(roots(&below, &["/backup/photos"], &there), expected(""));
        let windows = ["C:/Users/u/photos/a.jpg"];
        assert_eq!(roots(&windows, &["/backup/photos"], &there), expected("C:/Users/u/photos"));
    }

    #[test]
    fn a_manifest_of_this_place_needs_no_root() {
        assert_eq!(roots(&["t/a", "t/b"], &["t"], &["t/a", "t/b"]), []);
        assert_eq!(roots(&["/home/u/t/a"], &["t"], &["t/a", "/home/u/t/a"]), []);
        assert_eq!(roots(&["x/a"], &["/nowhere"], &[]), []);
    }

    #[test]
    fn one_accidental_name_does_not_outweigh_the_rest() {
        let files = ["t/README", "t/sub/README", "t/a", "t/b"];
        assert_eq!(roots(&["t/sub/README", "t/a", "t/b"], &["t"], &files), []);
    }

    #[test]
    fn an_operand_may_be_the_file_itself() {
        let found = roots(&["iso/debian.iso"], &["/dl/debian.iso"], &["/dl/debian.iso"]);
        assert_eq!(found, [("iso/debian.iso".to_string(), "/dl/debian.iso".to_string())]);
    }

    #[test]
    fn prefixes_of_keys_are_bytes() {
        let prefix = |keys: &[&str], there: &[&str]| {
            let keys = keys.iter().map(|key| key.as_bytes().to_vec());
            let found = find_prefix(keys, &mut |key| there.iter().any(|there| there.as_bytes() == key));
            found.map(|prefix| String::from_utf8_lossy(&prefix).into_owned())
        };
        assert_eq!(prefix(&["./a", "./b//c"], &["a", "b//c"]).as_deref(), Some("./"));
        assert_eq!(prefix(&["/mnt/x/a", "/mnt/x/b"], &["a", "b", "c"]).as_deref(), Some("/mnt/x/"));
        assert_eq!(prefix(&["x//y"], &["x/y"]), None, "a slash is a part of a key");
        assert_eq!(prefix(&["./a", "b"], &["a", "b"]), None, "a key that is there as it is");
        let places = Places { prefixes: vec![b"./".as_slice().into()], ..Places::default() };
        assert_eq!(places.known_names(b"a//b"), [b"a//b".to_vec(), b"./a//b".to_vec()]);
    }

    #[test]
    fn files_of_a_manifest_get_the_names_of_a_walk() {
        let root = Root { known: b"/mnt/photos".as_slice().into(), local: b"photos/".as_slice().into() };
        let places =
            Places { working: Some(b"/home/u".as_slice().into()), roots: vec![root], ..Places::default() };
        let name = |path: &str, operand: &str| {
            let found = places.walked_name(path.as_bytes(), operand.as_bytes());
            found.map(|name| String::from_utf8(name).unwrap())
        };
        for (path, operand, wanted) in [
            ("/mnt/photos/b//c", "photos/", Some("photos/b/c")),
            ("photos/d", "photos/", Some("photos/d")),
            ("./t/a", "t", Some("t/a")),
            ("/home/u/t/a", "t", Some("t/a")),
            ("t/a", "/home/u/t", Some("/home/u/t/a")),
            ("t/a", ".", Some("./t/a")),
            ("a", "/", Some("/home/u/a")),
            ("t", "t", Some("t")),
            ("t/../../v/x", "t", None),
            ("t2/a", "t", None),
            ("/mnt/photos/../x", "photos/", None),
        ] {
            assert_eq!(name(path, operand).as_deref(), wanted, "{path} {operand}");
        }
    }

    #[test]
    fn what_is_inside_of_an_operand_lies_below_it() {
        let working = Some(&b"/home/u"[..]);
        for (path, wanted) in
            [("usb.img", true), ("./usb.img!/p1/a", true), ("/home/u/usb.img!/a.zip!/b", true)]
                .into_iter()
                .chain([("usb.img2", false), ("usb.img!a", false), ("other.img!/a", false)])
        {
            assert_eq!(is_below(path.as_bytes(), b"usb.img", working), wanted, "{path}");
        }
        assert!(!is_below(b"t!/usb.img", b"t/usb.img", working));
        let root =
            Root { known: b"case/usb.img".as_slice().into(), local: b"/mnt/usb.img".as_slice().into() };
        let name = |path: &[u8]| root.known_name(path).map(|name| String::from_utf8(name).unwrap());
        assert_eq!(name(b"/mnt/usb.img!/p1/a").as_deref(), Some("case/usb.img!/p1/a"));
        assert_eq!(name(b"/mnt/usb.img").as_deref(), Some("case/usb.img"));
        assert_eq!(name(b"/mnt/usb.img2"), None);
    }

    #[test]
    fn names_are_tried_in_order() {
        let root = Root { known: b"photos".as_slice().into(), local: b"/backup/photos".as_slice().into() };
        let places =
            Places { working: Some(b"/backup".as_slice().into()), roots: vec![root], ..Places::default() };
        let names = places.known_names(b"/backup/photos/a.jpg");
        let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
        assert_eq!(names, ["photos/a.jpg"], "the name of the root alone");
        assert_eq!(places.known_names(b"x")[1], b"/backup/x");
        let places = Places { working: Some(b"C:/u".as_slice().into()), ..Places::default() };
        for (path, other) in [("x", "C:/u/x"), ("/u/x", "x")] {
            let names: Vec<_> = places.known_names(path.as_bytes());
            let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
            assert_eq!(names, [path, other, "/u/x", "C:/u/x"]);
        }
    }
}
