//! Estimates of the cost of requests, by a user's list of prices.

use hashmill_manifest::json_fault;
use hashmill_os::read_file;
use hashmill_store::{Counts, RequestKind};
use hashmill_terminal::without_numbers;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Prices, in JSON: `{"currency": "USD", "list": 0.005, "head": 0.0004, "get": 0.0004, "received": 0.09}`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prices {
    /// The unit of all amounts.
    currency: String,
    /// The price of 1,000 requests of this kind.
    list: f64,
    head: f64,
    get: f64,
    put: f64,
    other: f64,
    /// The price of 10^9 bytes.
    received: f64,
    sent: f64,
}

/// An approximate cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    amount: f64,
    currency: String,
}

/// The prices of the command that runs.
static PRICES: Mutex<Option<Prices>> = Mutex::new(None);

/// Reads a list of prices from a file.
pub fn read(path: &str) -> Result<Prices, String> {
    let text = read_file(Path::new(path))
        .map_err(|source| format!("cannot read: {}", without_numbers(&source.to_string())))?;
    let prices: Prices = serde_json::from_slice(&text)
        .map_err(|source| format!("not a list of prices: {}", json_fault(&source)))?;
    let all = [prices.list, prices.head, prices.get, prices.put, prices.other, prices.received, prices.sent];
    if all.iter().all(|price| price.is_finite() && *price >= 0.0) {
        Ok(prices)
    } else {
        Err("not a list of prices: a price is negative or not finite".to_string())
    }
}

/// Sets the prices of the command.
pub fn configure(prices: Option<&Prices>) {
    *lock() = prices.cloned();
}

fn lock() -> MutexGuard<'static, Option<Prices>> {
    PRICES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the approximate cost of these requests, if there are prices.
pub fn estimate(counts: &Counts) -> Option<Estimate> {
    lock().as_ref().map(|prices| prices.estimate(counts))
}

impl Prices {
    fn estimate(&self, counts: &Counts) -> Estimate {
        let price = |kind| match kind {
            RequestKind::List => self.list,
            RequestKind::Head => self.head,
            RequestKind::Get => self.get,
            RequestKind::Put => self.put,
            RequestKind::Other => self.other,
        };
        let requests: f64 =
            RequestKind::ALL.iter().map(|kind| counts.count(*kind) as f64 / 1e3 * price(*kind)).sum();
        let bytes = counts.received as f64 / 1e9 * self.received + counts.sent as f64 / 1e9 * self.sent;
        Estimate { amount: requests + bytes, currency: self.currency.clone() }
    }
}

impl Estimate {
    /// Formats as "about 0.0125 USD".
    pub fn text(&self) -> String {
        format!("about {:.4} {}", self.amount, self.currency).trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_bytes_are_summed_up() {
        let prices: Prices =
            serde_json::from_str(r#"{"currency":"USD","list":0.005,"head":0.0004,"received":0.09}"#).unwrap();
        let mut counts = Counts { received: 500_000_000, ..Counts::default() };
        counts.requests[RequestKind::List as usize] = 1000;
        counts.requests[RequestKind::Head as usize] = 10_000;
        assert_eq!(prices.estimate(&counts).text(), "about 0.0540 USD");
        assert!(serde_json::from_str::<Prices>(r#"{"lists":1}"#).is_err());
    }
}
