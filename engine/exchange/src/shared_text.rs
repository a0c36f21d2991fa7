//! Texts of prompts, kept once: the samples of a dialogue share their instructions, and a record
//! holds thousands of samples.

use serde::{Deserialize, Deserializer, Serializer};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The shortest text in bytes that is looked up: below, the look-up costs more than it saves.
const SHORTEST: usize = 200;
/// Texts above which those that nobody holds any more are dropped.
const MANY: usize = 4096;

thread_local! {
    static KNOWN: RefCell<BTreeSet<Arc<str>>> = RefCell::default();
}

/// A text that shares its memory with equal texts of this thread.
pub fn share(text: &str) -> Arc<str> {
    if text.len() < SHORTEST {
        return Arc::from(text);
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(text) = known.get(text) {
            return Arc::clone(text);
        }
        if known.len() >= MANY {
            known.retain(|text| Arc::strong_count(text) > 1);
        }
        let text: Arc<str> = Arc::from(text);
        known.insert(Arc::clone(&text));
        text
    })
}

/// As a string.
pub(crate) fn serialize<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// From a string, shared.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<str>, D::Error> {
    Ok(share(&Cow::<str>::deserialize(deserializer)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_their_memory() {
        let long = "a".repeat(SHORTEST);
        assert!(Arc::ptr_eq(&share(&long), &share(&long.clone())));
        let other = "b".repeat(SHORTEST);
        assert_eq!(&*share(&other), other);
        assert!(!Arc::ptr_eq(&share("short"), &share("short")));
    }

    #[test]
    fn texts_that_nobody_holds_are_dropped() {
        for number in 0..2 * MANY {
            drop(share(&format!("{number:0>300}")));
        }
        assert!(KNOWN.with_borrow(BTreeSet::len) <= MANY);
    }
}
