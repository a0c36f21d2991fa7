//! Features that native commands select.

/// Features that only build programs and reference tests need. Every native command selects the
/// whole workspace with them: a different selection would recompile shared crates with other
/// features.
pub const NATIVE_FEATURES: &str = "runner/schema";
/// The feature that enables the browser tests.
pub const BROWSER_FEATURE: &str = "browser-tests/browser";
