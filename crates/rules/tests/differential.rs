//! The same rules match as by the program `yara`: rules and contents that a generator makes, and collections that are
//! here.
