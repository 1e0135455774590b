//! Inventories: lists of all objects of a bucket that a store writes, and reports of checksums that it computed. Only
//! read. Their records have the status `stored`, to distinguish them from files that were read.
//!
//! | file | content | row of `FORMATS` |
//! |---|---|---|
//! | `manifest.json` of S3 Inventory | names of the files, their columns and their MD5 | `inventory` |
//! | `manifest.json` of an S3 Batch Operations report | the same | `inventory` |
//! | manifests of Google Cloud Storage and of Azure | names of the files | `inventory` |
//! | CSV of Google Cloud Storage, of Azure | a table with a header | `gcs-inventory`, `azure-inventory` |
//! | CSV of an S3 Batch Operations report | a table of fixed columns without a header | `s3-report` |
//! | Parquet of any of them | a table with named columns | `parquet` |
//!
//! Source: Amazon S3 User Guide, "Amazon S3 Inventory list", "Compute checksums", "Examples: S3 Batch Operations completion
//! reports"; Cloud Storage, "Storage Insights inventory reports"; Azure Storage, "Blob inventory".

mod escape;
mod listed;
mod lookup;
mod object;
#[cfg(feature = "tables")]
pub(in crate::format) mod parquet;
mod schema;
mod table;

pub(in crate::format) use listed::{open, reader, sniff};
pub(in crate::format) use schema::{is_azure, is_google, is_report};
pub(in crate::format) use table::{headed as headed_reader, report as report_reader};
