//! `hashmill report` and `hashmill bench report`, and their pages in a browser.

mod bench;
mod browser;
mod documents;
mod events;
mod parts;
mod picks;
mod records;
mod states;
