//! Contract page to come.
