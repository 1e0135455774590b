//! BagIt.
