//! Certificates of authorities that are trusted in addition to those of this machine.

use crate::{Cause, Environment};

/// Adds the certificates that the environment names.
pub(crate) fn with_certificates(
    builder: reqwest::ClientBuilder,
    environment: &Environment,
) -> Result<reqwest::ClientBuilder, Cause> {
    let Some(file) = environment.first(&["AWS_CA_BUNDLE", "HASHLOOM_CA_BUNDLE"]) else {
        return Ok(builder);
    };
    let wrong = |_| Cause::Tls(format!("the certificates in {file} can't be read").into());
    let text = std::fs::read(file).map_err(|_| Cause::Tls(format!("{file} can't be read").into()))?;
    let certificates = reqwest::Certificate::from_pem_bundle(&text).map_err(wrong)?;
    Ok(builder.tls_certs_merge(certificates))
}
