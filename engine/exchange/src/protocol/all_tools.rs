//! The `all-tools` protocol: like `tools`, but describes every API of the suite, without API
//! Search.
//!
//! Searches are neither samples nor part of the history; nor are words samples that directly follow one.

use super::{Sample, SampleKind};
use apis::{Api, registry};
use dataset::Turn;

/// Whether the protocol excludes a sample.
pub fn leaves_out(sample: &Sample<'_>) -> bool {
    let asked_of = match sample.kind {
        SampleKind::Reply | SampleKind::Restraint => sample.history().last(),
        SampleKind::Call | SampleKind::Episode => sample.dialogue.turns.get(sample.turn),
    };
    asked_of.is_some_and(Turn::is_search)
}

/// The turns before a sample, without searches.
pub fn history(sample: &Sample<'_>) -> Vec<Turn> {
    sample.history().iter().filter(|turn| !turn.is_search()).cloned().collect()
}

/// Every API of the suite, except those that the hard split describes only later.
pub fn described(sample: &Sample<'_>, history: &[Turn]) -> Vec<&'static Api> {
    let mut apis: Vec<&'static Api> = registry::pool(sample.ability().suite()).collect();
    sample.remove_later(&mut apis, history);
    apis
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{DescribedApis, Prompts, Protocol, ask, plan};
    use apis::search::TOOL_SEARCHER;
    use dataset::{Ability, Pack, Split};

    const MANIFEST: &str = r#"{"name": "n", "version": "1", "today": "2024-05-15", "seed": 1}"#;
    const PLAN: &str = r#"{"requirement": "Do it.", "response": "Done.", "apis": [
        {"api_name": "ToolSearcher", "input": {"keywords": "a"}, "output": {"api_name": "ToolSearcher", "output": {"name": "Calculator"}}},
        {"api_name": "GetOccupationSalary", "input": {"occupation": "a"}, "output": {"api_name": "GetOccupationSalary", "output": 1}}]}"#;

    #[test]
    fn searches_are_in_no_prompt_and_no_sample() {
        let files = [("manifest.json", MANIFEST), ("dialogues/plan/x.json", PLAN)];
        let pack = Pack::load(files).unwrap();
        let plan = plan(
            Protocol::AllTools,
            &pack,
            Split::Standard,
            &Ability::ALL,
            2,
            DescribedApis::default(),
        );
        let ids: Vec<String> = plan.samples.iter().map(Sample::id).collect();
        assert_eq!(
            ids,
            [
                "plan/x#2",
                "plan/x#2@2",
                "plan/x#3",
                "plan/x#3@2",
                "plan/x#3-stop",
                "plan/x#3-stop@2"
            ]
        );
        assert_eq!(plan.left_out, 1);
        let prompts = Prompts::builtin(Protocol::AllTools);
        let ask = ask(Protocol::AllTools, prompts, &plan.samples[0], &pack.world);
        assert_eq!(ask.messages.len(), 2, "instructions and requirement");
        assert_eq!(ask.tools.len(), registry::pool(apis::Suite::Planning).count());
        assert!(ask.tools.iter().all(|tool| tool.name != TOOL_SEARCHER));
    }
}
