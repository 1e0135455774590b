//! Tests of reports.

mod charts;
mod pages;
