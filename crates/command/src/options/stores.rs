//! Options for access to object stores.

mod prices;

use super::values::positive;
use crate::access;
use clap::Args;
use hashmill_store::{Access, BadAccess, Counts, RequestKind};
use prices::{Estimate, Prices};
use serde::Serialize;
use std::num::{NonZeroU64, NonZeroUsize};

/// The share of the memory that answers of stores may use: one part in two.
const PART: u64 = 2;

/// The most bytes of that share if no store was named, as a list may still name one.
const UNNAMED: u64 = 16 << 20;

/// Access to object stores (s3://, gs://, az://) and web servers (https://).
#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Object stores")]
pub struct StoreOptions {
    /// The address of the service, if not the provider's own: http://127.0.0.1:9000
    #[arg(long, value_name = "URL", value_parser = endpoint)]
    pub endpoint: Option<String>,
    /// The region of the bucket
    #[arg(long, value_name = "REGION", value_parser = region)]
    pub region: Option<String>,
    /// Send requests without credentials
    #[arg(long)]
    pub anonymous: bool,
    /// The number of concurrent requests [default: 64]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub requests: Option<NonZeroUsize>,
}

/// Access to stores, and prices.
#[derive(Debug, Default, Clone, Args)]
#[command(next_help_heading = "Object stores")]
pub struct Stores {
    #[command(flatten)]
    pub way: StoreOptions,
    /// Estimate the cost of requests in --stats by the prices in FILE: JSON with currency, list, head, get, put, other
    /// (per 1,000 requests), received, sent (per 10^9 bytes)
    #[arg(long, value_name = "FILE", value_parser = prices::read)]
    pub price_list: Option<Prices>,
}

/// The names of these options.
pub const NAMES: &[&str] = &["endpoint", "region", "anonymous", "requests", "price_list"];

/// Counts of requests by kind.
#[derive(Serialize)]
pub struct Requests {
    list: u64,
    head: u64,
    get: u64,
    put: u64,
    other: u64,
    retries: u64,
    received: u64,
    sent: u64,
    /// The approximate cost, if there are prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<Estimate>,
}

fn endpoint(text: &str) -> Result<String, String> {
    let access = Access { endpoint: Some(text.to_owned()), ..Access::default() };
    match access.check() {
        // clap shows refused values. A password must not be shown, so the store refuses it later.
        Ok(()) | Err(BadAccess::Secret) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn region(text: &str) -> Result<String, String> {
    let access = Access { region: Some(text.to_owned()), ..Access::default() };
    access.check().map(|()| text.to_owned()).map_err(|error| error.to_string())
}

impl StoreOptions {
    /// Sets the access to stores, gives them a share of the memory (in bytes), and returns that share; `named` says
    /// whether a store was named.
    pub fn configure(&self, memory: u64, named: bool, rate: Option<NonZeroU64>) -> u64 {
        let part = if named { memory / PART } else { (memory / PART).min(UNNAMED) };
        let access = Access::default();
        access::stores().configure(Access {
            endpoint: self.endpoint.clone(),
            region: self.region.clone(),
            anonymous: self.anonymous,
            requests: self.requests.unwrap_or(access.requests),
            bandwidth: rate,
            memory: usize::try_from(part).unwrap_or(usize::MAX),
            ..access
        });
        if named { part } else { 0 }
    }
}

impl Stores {
    /// Sets the prices, then does as [`StoreOptions::configure`].
    pub fn configure(&self, memory: u64, named: bool, rate: Option<NonZeroU64>) -> u64 {
        prices::configure(self.price_list.as_ref());
        self.way.configure(memory, named, rate)
    }
}

/// Returns the requests of this process so far, if there were any.
pub fn requests() -> Option<Requests> {
    let counts: Counts = access::stores().counts();
    (counts.all() > 0).then(|| Requests {
        list: counts.count(RequestKind::List),
        head: counts.count(RequestKind::Head),
        get: counts.count(RequestKind::Get),
        put: counts.count(RequestKind::Put),
        other: counts.count(RequestKind::Other),
        retries: counts.retries,
        received: counts.received,
        sent: counts.sent,
        estimate: prices::estimate(&counts),
    })
}

impl Requests {
    /// Formats as "list 1, get 20, retries 3; 80 bytes received".
    pub fn text(&self) -> String {
        let kinds = [
            ("list", self.list),
            ("head", self.head),
            ("get", self.get),
            ("put", self.put),
            ("other", self.other),
            ("retries", self.retries),
        ];
        let asked = kinds.into_iter().filter(|(_, number)| *number > 0);
        let asked: Vec<String> = asked.map(|(name, number)| format!("{name} {number}")).collect();
        let mut text = format!("{}; {} bytes received", asked.join(", "), self.received);
        if self.sent > 0 {
            text += &format!(", {} sent", self.sent);
        }
        if let Some(estimate) = &self.estimate {
            text += &format!("; {}", estimate.text());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_and_regions_are_checked_as_they_are_typed() {
        assert!(endpoint("http://127.0.0.1:9000").is_ok());
        assert!(endpoint("me").unwrap_err().contains("is no endpoint"));
        assert!(endpoint("http://me:secret@h").is_ok(), "the store says what is wrong, and shows nothing");
        assert!(region("eu/1").is_err());
    }

    #[test]
    fn kinds_that_were_not_asked_are_left_out() {
        let requests = Requests {
            list: 1,
            head: 0,
            get: 2,
            put: 0,
            other: 0,
            retries: 3,
            received: 5,
            sent: 0,
            estimate: None,
        };
        assert_eq!(requests.text(), "list 1, get 2, retries 3; 5 bytes received");
    }
}
