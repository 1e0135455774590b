//! Redirects of web servers: which are followed.
//!
//! Source: RFC 9110, section 15.4; RFC 6890 for addresses that only mean something in one network.

use reqwest::Url;
use reqwest::redirect::{Attempt, Policy};
use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The most redirects in a row.
const MAX_REDIRECTS: usize = 10;

/// The reason why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refused {
    /// From TLS to a connection that anyone can read and alter.
    Unsafe(Box<str>),
    /// To a scheme other than that of a web server.
    Scheme(Box<str>),
    /// To a machine of the local network, or to this one, which the redirecting server may not reach itself.
    Inside(Box<str>),
    /// To an address with a user or a password.
    Secret,
    /// Too many redirects.
    Often,
}

/// The scope of a network address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// Global addresses.
    World,
    /// The local network, or this machine.
    Inside,
    /// Link-local addresses: metadata services of machines, which give credentials.
    Link,
}

/// Follows redirects to web servers, but not from TLS to plain text, and not from outside into the local network.
pub(crate) fn policy() -> Policy {
    Policy::custom(|attempt: Attempt<'_>| {
        let refused = match attempt.previous() {
            all if all.len() > MAX_REDIRECTS => Some(Refused::Often),
            [.., last] => refuse(last, attempt.url()),
            [] => None,
        };
        match refused {
            Some(refused) => attempt.error(refused),
            None => attempt.follow(),
        }
    })
}

fn refuse(from: &Url, to: &Url) -> Option<Refused> {
    let origin = || to.origin().ascii_serialization().into();
    if !matches!(to.scheme(), "http" | "https") {
        return Some(Refused::Scheme(to.scheme().into()));
    }
    if from.scheme() == "https" && to.scheme() == "http" {
        return Some(Refused::Unsafe(origin()));
    }
    if !to.username().is_empty() || to.password().is_some() {
        return Some(Refused::Secret);
    }
    let inside = from.host_str() != to.host_str() && reach(to) > reach(from);
    inside.then(|| Refused::Inside(origin()))
}

/// Returns the scope of an address, as far as the address itself shows it.
fn reach(url: &Url) -> Reach {
    let host = url.host_str().unwrap_or_default();
    if host == "localhost" || host.ends_with(".localhost") {
        return Reach::Inside;
    }
    let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() else { return Reach::World };
    match address.to_canonical() {
        IpAddr::V4(address) if address.is_link_local() => Reach::Link,
        IpAddr::V4(address) if address.is_loopback() || address.is_private() || address.is_unspecified() => {
            Reach::Inside
        }
        // Unique local addresses are fc00::/7, link-local ones fe80::/10; one of the former is a metadata service.
        IpAddr::V6(address) if address.segments()[0] & 0xffc0 == 0xfe80 || address == METADATA => Reach::Link,
        IpAddr::V6(address)
            if address.is_loopback()
                || address.is_unspecified()
                || address.segments()[0] & 0xfe00 == 0xfc00 =>
        {
            Reach::Inside
        }
        _ => Reach::World,
    }
}

/// The metadata service of Amazon's virtual machines.
const METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Unsafe(to) => write!(f, "redirects to {to}, which is not followed: it has no TLS"),
            Refused::Scheme(scheme) => {
                write!(f, "redirects to a {scheme} address, which is not followed: it is no web server")
            }
            Refused::Inside(to) => {
                write!(
                    f,
                    "redirects to {to}, which is not followed: it is inside this network (name it directly)"
                )
            }
            Refused::Secret => {
                f.write_str("redirects to an address with a user or a password, which is not followed")
            }
            Refused::Often => write!(f, "redirects more than {MAX_REDIRECTS} times"),
        }
    }
}

impl Error for Refused {}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(from: &str, to: &str) -> Option<String> {
        let url = |text: &str| Url::parse(text).unwrap();
        refuse(&url(from), &url(to)).map(|refused| refused.to_string())
    }

    #[test]
    fn redirects_lead_to_no_worse_place() {
        for (from, to) in [
            ("https://a/x", "https://b/y?sig=1"),
            ("http://a/x", "https://a/x"),
            ("http://127.0.0.1:1/", "http://127.0.0.1:2/"),
            ("http://10.0.0.1/", "http://localhost/"),
            ("http://169.254.169.254/a", "http://169.254.169.254/b"),
        ] {
            assert_eq!(refused(from, to), None, "{from} {to}");
        }
        for (from, to, says) in [
            (
                "https://a/x",
                "http://a/x?sig=1",
                "redirects to http://a, which is not followed: it has no TLS",
            ),
            ("http://a/x", "file:///etc/passwd", "redirects to a file address"),
            ("http://a/x", "ftp://a/x", "redirects to a ftp address"),
            ("http://a/x", "http://me:word@a/x", "redirects to an address with a user or a password"),
        ] {
            let text = refused(from, to).unwrap();
            assert!(text.starts_with(says) && !text.contains("sig=") && !text.contains("word@"), "{text}");
        }
        for inside in [
            "http://169.254.169.254/latest/meta-data",
            "http://0xa9fea9fe/",
            "http://2852039166/",
            "http://[::ffff:169.254.169.254]/",
            "http://[fd00:ec2::254]/",
            "http://[fe80::1]/",
        ] {
            for from in ["http://a/", "http://10.1.2.3/", "http://127.0.0.1/"] {
                assert!(refused(from, inside).is_some_and(|text| text.contains("inside")), "{from} {inside}");
            }
        }
        for inside in
            ["http://localhost/", "http://127.1/", "http://192.168.0.1/", "http://[::1]/", "http://0/"]
        {
            assert!(refused("http://a/", inside).is_some_and(|text| text.contains("inside")), "{inside}");
        }
    }
}
