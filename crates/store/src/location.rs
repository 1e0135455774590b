//! Locations of objects, and of folders of objects.

use crate::request::encode;
use hashmill_os::names;
use std::borrow::Cow;
use std::fmt;

/// A place in a store, on a web server, or a file: `s3://BUCKET/KEY`, `gs://BUCKET/KEY`, `az://CONTAINER/KEY`,
/// `https://HOST/PATH`, `file:///PATH`.
///
/// Keys are bytes as the store has them: they are escaped only in addresses of web servers. After a key a version of
/// the object can be named: `?versionId=` (S3), `?versionid=` (Azure), `?generation=` (Google).
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Location {
    scheme: Scheme,
    /// The name of the service, where the environment does not name it.
    remote: Option<Box<str>>,
    bucket: Box<str>,
    key: Box<[u8]>,
    version: Option<Box<str>>,
}

/// The kind of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Amazon S3, or a store with its interface.
    S3,
    /// Google Cloud Storage.
    Gs,
    /// Azure Blob Storage.
    Az,
    /// A web server, with TLS.
    Https,
    /// A web server, without TLS.
    Http,
    /// A file of this machine.
    File,
}

/// The reason why a location can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadLocation {
    /// The bucket, container or host is missing.
    NoBucket(Scheme),
    /// The bucket of the service with this name is missing.
    NoBucketOf(Box<str>),
    /// The name of the bucket or host has bytes that no such name has.
    BucketName(Scheme),
    /// It contains a user or a password.
    Secret,
    /// It names a file on another machine.
    Remote,
    /// It begins with another scheme.
    Scheme(Box<str>),
}

/// The schemes of other programs for the stores that are reached.
const OTHERS: [(&str, Scheme); 7] = [
    ("s3a", Scheme::S3),
    ("s3n", Scheme::S3),
    ("gcs", Scheme::Gs),
    ("abfs", Scheme::Az),
    ("abfss", Scheme::Az),
    ("wasb", Scheme::Az),
    ("wasbs", Scheme::Az),
];

const SCHEMES: [(Scheme, &str); 6] = [
    (Scheme::S3, "s3"),
    (Scheme::Gs, "gs"),
    (Scheme::Az, "az"),
    (Scheme::Https, "https"),
    (Scheme::Http, "http"),
    (Scheme::File, "file"),
];

impl Scheme {
    /// Returns the word before `://`.
    pub fn name(self) -> &'static str {
        SCHEMES.iter().find(|(scheme, _)| *scheme == self).map_or("", |(_, name)| name)
    }

    /// Returns whether it has buckets, which can be listed.
    pub fn has_buckets(self) -> bool {
        matches!(self, Scheme::S3 | Scheme::Gs | Scheme::Az)
    }

    /// Returns the text between a key and the version of the object, if there are versions.
    fn version_query(self) -> Option<&'static str> {
        match self {
            Scheme::S3 => Some("?versionId="),
            Scheme::Gs => Some("?generation="),
            Scheme::Az => Some("?versionid="),
            Scheme::Https | Scheme::Http | Scheme::File => None,
        }
    }

    /// Returns the provider's word for a container of objects.
    pub fn container(self) -> &'static str {
        match self {
            Scheme::Az => "container",
            Scheme::Https | Scheme::Http => "server",
            Scheme::S3 | Scheme::Gs | Scheme::File => "bucket",
        }
    }
}

impl Location {
    /// Reads a location; none if these bytes are the path of a file.
    ///
    /// # Errors
    /// If they begin like a location and are not a valid one.
    pub fn parse(text: &[u8]) -> Option<Result<Location, BadLocation>> {
        let word = hashmill_terminal::scheme(text)?;
        let Some((scheme, _)) = SCHEMES.iter().find(|(_, name)| *name == word) else {
            return Some(Err(BadLocation::Scheme(word.into())));
        };
        Some(Location::new(*scheme, &text[word.len() + "://".len()..]))
    }

    fn new(scheme: Scheme, rest: &[u8]) -> Result<Location, BadLocation> {
        let slash = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
        let (bucket, key) = rest.split_at(slash.unwrap_or(rest.len()));
        let key = key.strip_prefix(b"/").unwrap_or(key);
        if scheme == Scheme::File {
            let here = bucket.is_empty() || bucket == b"localhost";
            // The path of a drive has no slash before it.
            let is_drive = !key.starts_with(b"/") && names::is_from_root(key);
            let path = if is_drive { key.into() } else { [b"/", key].concat().into() };
            return if here {
                Ok(Location { scheme, remote: None, bucket: "".into(), key: path, version: None })
            } else {
                Err(BadLocation::Remote)
            };
        }
        if bucket.is_empty() {
            return Err(BadLocation::NoBucket(scheme));
        }
        if bucket.contains(&b'@') {
            return Err(BadLocation::Secret);
        }
        let fits = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'$' | b':' | b'[' | b']')
        };
        match str::from_utf8(bucket) {
            Ok(name) if bucket.iter().all(fits) => {
                let (key, version) = split_version(scheme, key);
                Ok(Location { scheme, remote: None, bucket: name.into(), key: key.into(), version })
            }
            _ => Err(BadLocation::BucketName(scheme)),
        }
    }

    /// Reads a location in the service with this name: `BUCKET/KEY`.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn of_remote(name: &str, scheme: Scheme, rest: &[u8]) -> Result<Location, BadLocation> {
        match Location::new(scheme, rest) {
            Ok(location) => Ok(Location { remote: Some(name.into()), ..location }),
            Err(BadLocation::NoBucket(_)) => Err(BadLocation::NoBucketOf(name.into())),
            Err(bad) => Err(bad),
        }
    }

    /// Returns the name of the service, if it has one.
    pub fn remote(&self) -> Option<&str> {
        self.remote.as_deref()
    }

    /// Returns whether another location is in the same bucket, or on the same server.
    pub fn is_in_store_of(&self, other: &Location) -> bool {
        (self.scheme, &self.remote, &self.bucket) == (other.scheme, &other.remote, &other.bucket)
    }

    /// Returns the kind of the place.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the bucket, the container, or the host with its port.
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// Returns the key of an object, or the common prefix of several; the path and query of an address, without the
    /// slash in front; the path of a file.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the version of the object that is named after its key.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns whether it is walked like a directory: it is a bucket, or ends with a slash.
    pub fn is_folder(&self) -> bool {
        self.scheme.has_buckets() && (self.key.is_empty() || self.key.ends_with(b"/"))
    }

    /// Returns the last part of the key, like a file's name. The query of an address is left out, as it may contain
    /// secrets.
    pub fn name(&self) -> &[u8] {
        let path = self.path();
        let path = path.strip_suffix(b"/").unwrap_or(path);
        path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// Returns the location as it is typed, including its secrets.
    pub fn typed(&self) -> Box<[u8]> {
        let has_slash = self.scheme == Scheme::File && self.key.starts_with(b"/");
        let slash: &[u8] = if has_slash { b"" } else { b"/" };
        let version = self.version.as_deref().unwrap_or_default().as_bytes();
        let query =
            self.scheme.version_query().filter(|_| !version.is_empty()).unwrap_or_default().as_bytes();
        let start = match &self.remote {
            Some(name) => format!("{name}:"),
            None => format!("{}://", self.scheme.name()),
        };
        [start.as_bytes(), self.bucket.as_bytes(), slash, &self.key, query, version].concat().into()
    }

    /// Returns the location of another key in the same bucket.
    pub fn with_key(&self, key: &[u8]) -> Location {
        Location { key: key.into(), version: None, ..self.clone() }
    }

    /// Returns the location of a name below this place, which ends with a slash: appended to its key, on a web server
    /// escaped. None if servers or clients would resolve it to another place.
    pub fn below(&self, name: &[u8]) -> Option<Location> {
        let is_web = matches!(self.scheme, Scheme::Https | Scheme::Http);
        let name = if is_web { Cow::Owned(encode::path(name).into_bytes()) } else { Cow::Borrowed(name) };
        let leads_away = is_web && encode::has_dot_segment(&name);
        (!leads_away).then(|| self.with_key(&[&*self.key, &*name].concat()))
    }

    /// Returns the location of this version of the same object.
    pub fn with_version(self, version: Option<&str>) -> Location {
        Location { version: version.map(Box::from), ..self }
    }

    /// Returns the key without the query of an address.
    fn path(&self) -> &[u8] {
        let web = matches!(self.scheme, Scheme::Https | Scheme::Http);
        let end = self.key.iter().position(|byte| web && matches!(byte, b'?' | b'#'));
        &self.key[..end.unwrap_or(self.key.len())]
    }
}

/// Splits off the version that is named after a key. Keys may have question marks, so any other query is part of the
/// key.
fn split_version(scheme: Scheme, key: &[u8]) -> (&[u8], Option<Box<str>>) {
    let split = || {
        let query = scheme.version_query()?.as_bytes();
        let at = key.windows(query.len()).rposition(|part| part.eq_ignore_ascii_case(query))?;
        let version = &key[at + query.len()..];
        let fits = version.iter().all(|byte| byte.is_ascii_graphic() && !b"/?#&%".contains(byte));
        let named = at > 0 && !key[..at].ends_with(b"/") && !version.is_empty() && fits;
        named.then(|| (&key[..at], String::from_utf8_lossy(version).into()))
    };
    split().map_or((key, None), |(key, version)| (key, Some(version)))
}

/// Shows the location without secrets: little of an address's query is shown, as it may contain a signature.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&hashmill_terminal::masked_word(&self.typed())))
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

/// Returns the scheme that a word of another program, or in other letters, stands for.
fn meant(word: &str) -> Option<Scheme> {
    let word = word.to_ascii_lowercase();
    let own = SCHEMES.iter().find(|(_, name)| *name == word).map(|(scheme, _)| *scheme);
    own.or_else(|| OTHERS.iter().find(|(name, _)| *name == word).map(|(_, scheme)| *scheme))
}

impl fmt::Display for BadLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadLocation::NoBucket(scheme) => {
                write!(f, "names no {0}: write {1}://{2}/KEY", scheme.container(), scheme.name(), scheme.container().to_uppercase())
            }
            BadLocation::NoBucketOf(name) => write!(f, "names no bucket: write {name}:BUCKET/KEY"),
            BadLocation::BucketName(scheme) => {
                write!(f, "names a {} that can't be: letters, digits, '-', '_' and '.' are allowed", scheme.container())
            }
            BadLocation::Secret => f.write_str(
                "has a user or a password in it, which others see: give credentials by the environment or a profile",
            ),
            BadLocation::Remote => f.write_str("names a file of another machine: write file:///PATH"),
            BadLocation::Scheme(word) => match meant(word) {
                Some(scheme) => write!(
                    f,
                    "is a location as other programs have it: write {}://{}/KEY",
                    scheme.name(),
                    scheme.container().to_uppercase()
                ),
                None => write!(
                    f,
                    "begins with {word}://, which hashmill can't read: it reads s3://, gs://, az://, https:// and file:// (./{word}://… is a path)"
                ),
            },
        }
    }
}

impl std::error::Error for BadLocation {}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(text: &str) -> Location {
        Location::parse(text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn locations_have_a_bucket_and_a_key_of_any_bytes() {
        let location = good("s3://b/a//../b c%41?x#y");
        assert_eq!((location.bucket(), location.key()), ("b", b"a//../b c%41?x#y".as_slice()));
        assert_eq!(location.to_string(), "s3://b/a//../b c%41?x#y");
        let bytes = Location::parse(b"s3://b/\xff/").unwrap().unwrap();
        assert_eq!(bytes.key(), b"\xff/");
        assert_eq!(good("file:///a/b").key(), b"/a/b");
        assert_eq!(good("https://host:81/a").bucket(), "host:81");
        for typed in ["s3://b/a//../b c%41?x#y", "file:///a/b", "https://h/f?X-Amz-Signature=secret"] {
            assert_eq!(good(typed).typed(), typed.as_bytes().into());
        }
    }

    #[test]
    fn buckets_and_what_ends_with_a_slash_are_folders() {
        for (text, folder) in [
            ("s3://b", true),
            ("s3://b/", true),
            ("gs://b/p/", true),
            ("az://c/p", false),
            ("https://h/p/", false),
        ] {
            assert_eq!(good(text).is_folder(), folder, "{text}");
        }
    }

    #[test]
    fn versions_are_named_behind_keys() {
        let named = good("s3://b/a?b/k?versionId=3/L4kqtJ");
        assert_eq!((named.key(), named.version()), (b"a?b/k?versionId=3/L4kqtJ".as_slice(), None));
        for text in [
            "s3://b/a?b/k?versionId=3L4.kq_tJ",
            "gs://b/k?generation=17",
            "az://c/k?versionid=2026-11-22T20:00:00.1Z",
        ] {
            let named = good(text);
            assert!(named.key().ends_with(b"k") && named.name() == b"k", "{text}");
            assert!(named.version().is_some() && named.typed() == text.as_bytes().into());
            assert_eq!(named.with_key(b"other").version(), None);
        }
        for text in
            ["s3://b/?versionId=1", "s3://b/k?versionId=", "gs://b/k?versionId=1", "s3://b/k/?versionId=1"]
        {
            assert_eq!(good(text).version(), None, "{text}");
        }
    }

    #[test]
    fn names_below_a_location_are_its_keys() {
        let below = |base: &str, name: &str| good(base).below(name.as_bytes());
        for name in ["a/../b", "/a", "k?versionId=1", "a b%20#"] {
            let found = below("s3://b/p/", name).unwrap();
            assert_eq!((found.key(), found.version()), (format!("p/{name}").as_bytes(), None));
        }
        assert_eq!(below("https://h/p/", "a b?#%/c").unwrap().key(), b"p/a%20b%3F%23%25/c");
        assert_eq!(below("https://h/p/", "a/../../b"), None);
        assert_eq!(below("s3://b", "k").unwrap().key(), b"k");
    }

    #[test]
    fn names_are_last_parts() {
        for (text, name) in [("s3://b/a/c", "c"), ("s3://b/a/", "a"), ("https://h/d/f.iso?sig=1/2", "f.iso")]
        {
            assert_eq!(good(text).name(), name.as_bytes(), "{text}");
        }
    }

    #[test]
    fn signatures_in_addresses_are_not_shown() {
        let location = good("https://h/f?X-Amz-Signature=secret");
        assert_eq!(location.to_string(), "https://h/f?…");
        assert!(!format!("{location:?}").contains("secret"));
    }

    #[test]
    fn services_have_names() {
        let location = Location::of_remote("a", Scheme::S3, b"b/k?x?versionId=1").unwrap();
        assert_eq!((location.remote(), location.bucket()), (Some("a"), "b"));
        assert_eq!((location.key(), location.version()), (b"k?x".as_slice(), Some("1")));
        assert_eq!(location.to_string(), "a:b/k?x?versionId=1");
        assert_eq!(location.with_key(b"other").to_string(), "a:b/other");
        assert!(
            !location.is_in_store_of(&good("s3://b/")) && good("s3://b/x").is_in_store_of(&good("s3://b/y"))
        );
        let bad = Location::of_remote("a", Scheme::S3, b"/k").unwrap_err();
        assert_eq!(bad.to_string(), "names no bucket: write a:BUCKET/KEY");
    }

    #[test]
    fn paths_are_no_locations() {
        for path in ["a", "/s3://b", "./s3://b/k", "s3:/b", "c://b", "a b://c", "://"] {
            assert!(Location::parse(path.as_bytes()).is_none(), "{path}");
        }
    }

    #[test]
    fn what_is_no_place_is_said() {
        let bad = |text: &str| Location::parse(text.as_bytes()).unwrap().unwrap_err();
        assert_eq!(bad("s3://"), BadLocation::NoBucket(Scheme::S3));
        assert_eq!(bad("s3:///key"), BadLocation::NoBucket(Scheme::S3));
        assert_eq!(bad("s3://key:secret@b/k"), BadLocation::Secret);
        assert_eq!(bad("s3://a b/k"), BadLocation::BucketName(Scheme::S3));
        assert_eq!(bad("file://host/p"), BadLocation::Remote);
        assert_eq!(bad("az:///k").to_string(), "names no container: write az://CONTAINER/KEY");
        for (other, wanted) in
            [("s3a", "s3://BUCKET/KEY"), ("S3", "s3://BUCKET/KEY"), ("abfss", "az://CONTAINER/KEY")]
        {
            let said = bad(&format!("{other}://b/k")).to_string();
            assert_eq!(said, format!("is a location as other programs have it: write {wanted}"));
        }
        assert!(bad("ftp://h/a").to_string().starts_with("begins with ftp://, which hashmill can't read"));
    }
}
