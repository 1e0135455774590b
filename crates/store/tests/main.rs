//! A store in memory, with every fault that stores and proxies have; requests go over loopback.

mod bucket;
mod credentials;
mod dots;
mod faults;
mod listing;
mod reading;
mod refusals;
mod server;
mod web;
mod writing;
