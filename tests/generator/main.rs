//! The five agents natively: correct, faulty and malicious answers; yield, reasons, resume.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod own_tasks;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use dataset::Ability;
use exchange::protocol::Ask;
use exchange::{Answer, Usage};
use generator::checks::{Embed, EmbedError, Neighbours};
use generator::{
    Agent, Budget, Code, End, JournalEntry, Limit, Machine, Next, Outcome, ReplayError, Settings,
    State, Targets, training_set,
};
use provider::Failure;
use scripted_endpoint::{Agents, Fault};

/// Embeds words as numbers: different texts are far apart, without a model.
struct Words;

impl Embed for Words {
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vector = vec![0.0_f32; 256];
        for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
            let hash = word.bytes().fold(17_usize, |sum, byte| sum * 31 % 65_521 + byte as usize);
            vector[hash % 256] += 1.0;
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        Ok(vector.into_iter().map(|x| x / length).collect())
    }
}

fn settings(dialogues: usize) -> Settings {
    let targets = Targets {
        call: dialogues / 2,
        retrieve: dialogues / 4,
        plan: dialogues - dialogues / 2 - dialogues / 4,
        domains: dialogues / 2,
        apis: dialogues + dialogues / 4,
    };
    Settings { targets, budget: Budget::default(), seed: 1, tries: 3 }
}

/// The user turns of the built-in pack.
fn evaluation() -> Neighbours {
    static BUILTIN: LazyLock<Neighbours> =
        LazyLock::new(|| Neighbours::of_pack(&dataset::builtin().unwrap(), &Words).unwrap());
    BUILTIN.clone()
}

/// The prompt of a request as one text.
fn prompt(ask: &Ask) -> String {
    ask.messages.iter().map(|message| &*message.content).collect::<Vec<_>>().join("\n\n")
}

/// Sends requests sequentially until the end, or until there are `limit` entries.
fn run(state: &mut State, agents: &mut Agents, limit: usize) -> (Vec<JournalEntry>, Option<End>) {
    let mut entries = Vec::new();
    while entries.len() < limit {
        match state.next_step() {
            Next::Ask(job) => {
                let text = agents.answer(&prompt(&job.ask)).expect("a question for an agent");
                let usage = Some(Usage { prompt_tokens: 10, completion_tokens: 5 });
                let answer = Ok(Answer { text, usage, ..Answer::default() });
                entries.push(state.take(job.id, answer, 1, &Words).unwrap());
            }
            Next::Wait => panic!("nothing is open"),
            Next::End(end) => return (entries, Some(end)),
        }
    }
    (entries, None)
}

fn reasons(state: &State, agent: Agent) -> Vec<(&'static str, usize)> {
    state.figures().of(agent).reasons.iter().map(|(code, count)| (code.as_str(), *count)).collect()
}

#[test]
fn correct_agents_complete_every_planned_dialogue() {
    let mut state = State::new(settings(40), evaluation()).unwrap();
    let (entries, end) = run(&mut state, &mut Agents::default(), usize::MAX);
    assert_eq!(end, Some(End::Finished { given_up: 0 }));
    let figures = state.figures();
    let accepted: Vec<(Ability, usize)> =
        figures.accepted.iter().map(|(ability, count)| (*ability, *count)).collect();
    let expected = [(Ability::Call, 20), (Ability::Retrieve, 10), (Ability::Plan, 10)];
    assert_eq!(accepted, expected);
    assert_eq!((figures.domains, figures.apis), (20, 50));
    // 2 requests for domains, 20 for APIs, 3 per dialogue.
    assert_eq!(figures.spent.requests, 2 + 20 + 120);
    assert_eq!(figures.spent.prompt_tokens, 10 * 142);
    for agent in Agent::ALL {
        assert_eq!(reasons(&state, agent), [], "{agent:?}");
    }
    let set = training_set(entries);
    assert_eq!(set.domains.len(), 20);
    assert_eq!(set.items().count(), 40);
    assert_eq!(set.check(&evaluation(), &Words).unwrap().findings, []);
}

/// The estimate of a set is what the agents spent on it, where an endpoint counts no tokens.
#[test]
fn the_estimate_of_a_set_is_what_its_agents_spent() {
    let mut state = State::new(settings(40), evaluation()).unwrap();
    let mut agents = Agents::default();
    let mut entries = Vec::new();
    while let Next::Ask(job) = state.next_step() {
        let text = agents.answer(&prompt(&job.ask)).unwrap();
        let answer = Ok(Answer { text, ..Answer::default() });
        entries.push(state.take(job.id, answer, 1, &Words).unwrap());
    }
    let spent = state.figures().spent;
    let estimate = training_set(entries).estimate();
    assert_eq!((estimate.requests, estimate.estimated), (spent.requests, spent.estimated));
    // The examples in the prompts for APIs are others.
    for (estimate, spent) in [
        (estimate.prompt_tokens, spent.prompt_tokens),
        (estimate.completion_tokens, spent.completion_tokens),
    ] {
        assert!(estimate.abs_diff(spent) * 50 < spent, "{estimate} instead of {spent}");
    }
}

/// Each fault once: its reason is counted once, and the dialogue is retried.
#[test]
fn each_fault_is_counted_under_its_code_and_retried() {
    let pack = dataset::builtin().unwrap();
    let said = pack.dialogues[0].turns.iter().find_map(|turn| match turn {
        dataset::Turn::User { text } => Some(text.clone()),
        _ => None,
    });
    let faults = BTreeMap::from([
        ((Agent::Domains, 0), Fault::BrokenJson),
        ((Agent::Domains, 1), Fault::EndlessList),
        ((Agent::Domains, 3), Fault::Repeat),
        ((Agent::Apis, 0), Fault::OtherShape),
        ((Agent::Apis, 1), Fault::Refusal),
        ((Agent::Query, 1), Fault::Repeat),
        ((Agent::Query, 4), Fault::Contaminated),
        ((Agent::Query, 8), Fault::Refusal),
        ((Agent::Calls, 1), Fault::WrongApi),
        ((Agent::Calls, 3), Fault::Ungrounded),
        ((Agent::Calls, 5), Fault::WrongResult),
        ((Agent::Calls, 7), Fault::BrokenJson),
        ((Agent::Tester, 2), Fault::Rejects),
        ((Agent::Tester, 6), Fault::OtherShape),
    ]);
    let mut agents = Agents::new(faults, said.unwrap());
    // Some faults affect the same dialogue.
    let patient = Settings { tries: 6, ..settings(40) };
    let mut state = State::new(patient, evaluation()).unwrap();
    let (entries, end) = run(&mut state, &mut agents, usize::MAX);
    assert_eq!(end, Some(End::Finished { given_up: 0 }));
    assert_eq!(state.figures().total(), 40);
    assert_eq!(
        reasons(&state, Agent::Domains),
        [("too-long", 1), ("no-json", 1), ("duplicate-domain", 1)]
    );
    assert_eq!(reasons(&state, Agent::Apis), [("refused", 1), ("wrong-shape", 1)]);
    assert_eq!(
        reasons(&state, Agent::Query),
        [
            ("refused", 1),
            ("near-duplicate", 1),
            ("similar-meaning", 1),
            ("contaminated-words", 1),
            ("contaminated-meaning", 1),
        ]
    );
    assert_eq!(
        reasons(&state, Agent::Calls),
        [("no-json", 1), ("unknown-api", 1), ("bad-result", 1), ("ungrounded", 1)]
    );
    assert_eq!(reasons(&state, Agent::Tester), [("wrong-shape", 1), ("api-authenticity", 1)]);
    // Rejected answers with a dialogue are kept with their reasons, which the check confirms.
    let set = training_set(entries);
    let rejected: Vec<Code> = set
        .rejected
        .values()
        .flat_map(|file| &file.rejected)
        .map(|rejected| rejected.reasons[0].code)
        .collect();
    assert_eq!(rejected.len(), 4, "{rejected:?}");
    assert_eq!(set.check(&evaluation(), &Words).unwrap().findings, []);
}

#[test]
fn a_journal_restores_the_state_at_any_cut() {
    let whole = {
        let mut state = State::new(settings(12), evaluation()).unwrap();
        run(&mut state, &mut Agents::default(), usize::MAX).0
    };
    for cut in [0, 1, 2, 5, 9, 17, 30] {
        let mut agents = Agents::default();
        let mut first = State::new(settings(12), evaluation()).unwrap();
        let (mut entries, _) = run(&mut first, &mut agents, cut);
        drop(first);
        // Serialized as in storage.
        let lines: Vec<String> =
            entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        let mut again = State::new(settings(12), evaluation()).unwrap();
        for line in &lines {
            again.replay(&serde_json::from_str(line).unwrap()).unwrap();
        }
        let (rest, end) = run(&mut again, &mut agents, usize::MAX);
        entries.extend(rest);
        assert_eq!(end, Some(End::Finished { given_up: 0 }), "cut at {cut}");
        assert_eq!(entries, whole, "cut at {cut}");
    }
    let mut state = State::new(settings(12), evaluation()).unwrap();
    let gap = state.replay(&whole[3]).unwrap_err();
    assert_eq!(gap, ReplayError::Order { expected: 0, got: 3 });
}

#[test]
fn limits_and_failures_end_a_generation_with_a_reason() {
    let budget = Budget { requests: Some(7), ..Budget::default() };
    let mut state = State::new(Settings { budget, ..settings(12) }, evaluation()).unwrap();
    let (entries, end) = run(&mut state, &mut Agents::default(), usize::MAX);
    assert_eq!((entries.len(), end), (7, Some(End::Budget { limit: Limit::Requests })));

    // A million completion tokens cost 3: at five tokens per answer, the seventh answer reaches 0.0001.
    let budget = Budget { money: Some(1e-4), completion_price: 3.0, ..Budget::default() };
    let mut state = State::new(Settings { budget, ..settings(12) }, evaluation()).unwrap();
    let (entries, end) = run(&mut state, &mut Agents::default(), usize::MAX);
    assert_eq!((entries.len(), end), (7, Some(End::Budget { limit: Limit::Money })));

    let mut state = State::new(settings(12), evaluation()).unwrap();
    for _ in 0..5 {
        let Next::Ask(job) = state.next_step() else { panic!("a question") };
        let failure = Failure::infrastructure("The endpoint failed (HTTP 500).");
        let entry = state.take(job.id, Err(failure), 3, &Words).unwrap();
        assert!(matches!(entry.outcome, Outcome::Failed { .. }));
    }
    let stopped = End::Stopped { message: "The endpoint failed (HTTP 500).".to_owned() };
    assert_eq!(state.next_step(), Next::End(stopped));
    assert_eq!(state.figures().of(Agent::Domains).failed, 5);

    for (targets, part) in [
        (Targets { call: 0, retrieve: 0, plan: 0, domains: 1, apis: 2 }, "Dialogues"),
        (Targets { call: 2, retrieve: 0, plan: 0, domains: 3, apis: 6 }, "Domains"),
        (Targets { call: 2, retrieve: 0, plan: 0, domains: 2, apis: 3 }, "APIs"),
    ] {
        let error = State::new(Settings { targets, ..settings(2) }, evaluation()).unwrap_err();
        assert!(error.to_string().starts_with(part), "{error}");
    }
}

#[test]
fn a_dialogue_that_never_passes_is_abandoned_and_the_rest_continues() {
    let faults = (0..3).map(|nth| ((Agent::Calls, nth), Fault::Ungrounded)).collect();
    let mut agents = Agents::new(faults, String::new());
    let mut state = State::new(settings(12), evaluation()).unwrap();
    let (_, end) = run(&mut state, &mut agents, usize::MAX);
    assert_eq!(end, Some(End::Finished { given_up: 1 }));
    assert_eq!(state.figures().total(), 11);
    assert_eq!(reasons(&state, Agent::Calls), [("ungrounded", 3)]);
}
