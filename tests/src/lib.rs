//! Library target of the browser tests.
