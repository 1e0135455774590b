//! Stores of other makers, and servers that do what they should not.
