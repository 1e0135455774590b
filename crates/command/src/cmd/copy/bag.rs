//! `copy --manifest bag`: the options of destinations that become bags.

use super::Options;
use super::options::CopyManifest;
use anyhow::ensure;
use hashmill_job::Algorithms;
use hashmill_job::copy::BagFields;
use hashmill_terminal::masked;

/// The default algorithms, those of `bag create`.
const ALGORITHMS: &str = "sha256,sha512";

/// Returns the digests of a bag.
///
/// # Errors
/// If there are no such algorithms.
pub fn algorithms(options: &Options) -> anyhow::Result<Algorithms> {
    options.algorithms.clone().map_or_else(|| Ok(Algorithms::named(ALGORITHMS)?), Ok)
}

/// Returns the fields of `bag-info.txt`, if destinations become bags: the case data under the labels that BagIt has for it, and those that
/// were typed.
///
/// # Errors
/// If options don't go with a bag, or only with one.
pub fn fields(options: &Options) -> anyhow::Result<Option<BagFields>> {
    if !matches!(options.manifest, Some(CopyManifest::Bag)) {
        return Ok(None);
    }
    ensure!(
        !options.seal && !options.signing.is_given(),
        "--sign, --seal: a bag has no place for them; sign or seal one of its tag manifests when it is made"
    );
    let case = &options.case;
    let data = [
        ("External-Identifier", &case.case),
        ("Contact-Name", &case.examiner),
        ("External-Description", &case.evidence),
    ];
    let given =
        data.into_iter().filter_map(|(label, value)| Some((label.to_string(), plain(value.as_ref()?))));
    Ok(Some(given.chain(options.info.iter().cloned()).collect()))
}

/// Returns a text without the secrets of addresses: everybody may read a bag.
fn plain(text: &str) -> String {
    String::from_utf8_lossy(&masked(text.as_bytes())).into_owned()
}
