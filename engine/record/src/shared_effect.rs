//! Effects of calls, kept once: the trials of a sample have the same gold effect, and a right call has the
//! gold call's. They are most of a record in memory.

use apis::effect::Effect;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many of the latest effects are compared with: equal ones are in neighbouring samples.
const LATEST: usize = 8;

thread_local! {
    static KNOWN: RefCell<VecDeque<Arc<Effect>>> = const { RefCell::new(VecDeque::new()) };
}

/// An effect that shares its memory with an equal one among the latest of this thread.
pub fn share_effect(effect: Effect) -> Arc<Effect> {
    KNOWN.with_borrow_mut(|known| {
        if let Some(same) = known.iter().find(|it| ***it == effect) {
            return Arc::clone(same);
        }
        known.truncate(LATEST - 1);
        let effect = Arc::new(effect);
        known.push_front(Arc::clone(&effect));
        effect
    })
}

/// As the effect.
pub(crate) fn serialize<S: Serializer>(
    effect: &Option<Arc<Effect>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    effect.as_deref().serialize(serializer)
}

/// From an effect, shared.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Arc<Effect>>, D::Error> {
    Ok(Option::<Effect>::deserialize(deserializer)?.map(share_effect))
}

#[cfg(test)]
mod tests {
    use super::*;
    use apis::ApiResult;

    fn effect(number: usize) -> Effect {
        let result = ApiResult::failure("Dial", number.into(), "busy".to_owned());
        Effect { result, changes: Vec::new() }
    }

    #[test]
    fn equal_effects_share_their_memory() {
        let first = share_effect(effect(1));
        assert!(Arc::ptr_eq(&first, &share_effect(effect(1))));
        let other = share_effect(effect(2));
        assert!(!Arc::ptr_eq(&first, &other));
        assert_eq!(*other, effect(2));
        for number in 3..3 + LATEST {
            share_effect(effect(number));
        }
        assert_eq!(KNOWN.with_borrow(VecDeque::len), LATEST);
        assert!(!Arc::ptr_eq(&first, &share_effect(effect(1))), "only the latest are known");
    }
}
