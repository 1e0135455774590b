//! `hashloom report` and `hashloom bench report`, and what a browser makes of their pages.

mod bench;
mod browser;
mod parts;
mod records;
