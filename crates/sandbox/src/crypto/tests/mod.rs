//! Tests without an engine.
