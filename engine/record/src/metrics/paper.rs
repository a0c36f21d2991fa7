//! One number per run, counted as in the paper's tables.
//!
//! API-Bank (arXiv 2304.08244, Table 3) counts calls for Call and Retrieve+Call, and dialogues for
//! Plan+Retrieve+Call: a plan is correct if all of its steps are.

use crate::{Rate, SampleRecord, Summarizer};
use dataset::Ability;
use exchange::protocol::SampleKind;
use scoring::Profile;
use serde::{Deserialize, Serialize};

/// The two totals of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PaperTotal {
    /// Calls of Call and Retrieve+Call plus dialogues of Plan+Retrieve+Call. Episodes count as
    /// dialogues.
    pub mixed: Rate,
    /// Whole dialogues of every ability.
    pub dialogues: Rate,
}

/// The totals of samples of the standard split under a profile.
pub fn paper_total(samples: &[SampleRecord], profile: Profile) -> PaperTotal {
    let mut summarizer = Summarizer::new(profile);
    samples.iter().filter(|sample| sample.hard.is_none()).for_each(|sample| summarizer.add(sample));
    let episodes = samples.iter().any(|sample| sample.kind == SampleKind::Episode);
    summarizer.paper_total(|ability| episodes || ability == Ability::Plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::call;

    #[test]
    fn plans_count_by_dialogue_and_the_rest_by_call() {
        let samples = [
            call(Ability::Call, "call/a", 1, "Wiki", Some(true)),
            call(Ability::Call, "call/a", 3, "Wiki", Some(false)),
            call(Ability::Retrieve, "retrieve/a", 1, "Wiki", Some(true)),
            call(Ability::Plan, "plan/a", 1, "Wiki", Some(true)),
            call(Ability::Plan, "plan/a", 2, "Wiki", Some(false)),
            call(Ability::Plan, "plan/b", 1, "Wiki", Some(true)),
            call(Ability::Plan, "plan/b", 2, "Wiki", Some(true)),
        ];
        let total = paper_total(&samples, Profile::Execution);
        // 1 of 2 calls, 1 of 1 call, 1 of 2 plans.
        assert_eq!((total.mixed.right, total.mixed.n), (3, 5));
        assert_eq!((total.dialogues.right, total.dialogues.n), (2, 4));
    }
}
