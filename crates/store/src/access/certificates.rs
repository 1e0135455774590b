//! Certificates of authorities that are trusted in addition to those of this machine.

use crate::{Cause, Environment};

/// Whether a client is of use without certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certificates {
    /// All that it asks needs a secure connection.
    Needed,
    /// It may ask without one. On a machine without certificates, it trusts nobody.
    Wanted,
}

/// Builds a client that trusts the certificates of this machine and those that the environment names.
pub(crate) fn build(
    builder: impl Fn() -> reqwest::ClientBuilder,
    environment: &Environment,
    certificates: Certificates,
) -> Result<reqwest::Client, Cause> {
    let built = with_certificates(builder(), environment)?.build();
    let built = built.or_else(|error| match certificates {
        Certificates::Needed => Err(error),
        Certificates::Wanted => builder().tls_certs_only([]).build(),
    });
    built.map_err(|_| Cause::Tls("certificates of this machine can't be read".into()))
}

/// Adds the certificates that the environment names.
fn with_certificates(
    builder: reqwest::ClientBuilder,
    environment: &Environment,
) -> Result<reqwest::ClientBuilder, Cause> {
    let Some(file) = environment.first(&["AWS_CA_BUNDLE", "HASHMILL_CA_BUNDLE"]) else {
        return Ok(builder);
    };
    let wrong = |_| Cause::Tls(format!("the certificates in {file} can't be read").into());
    let text = std::fs::read(file).map_err(|_| Cause::Tls(format!("{file} can't be read").into()))?;
    let certificates = reqwest::Certificate::from_pem_bundle(&text).map_err(wrong)?;
    Ok(builder.tls_certs_merge(certificates))
}
