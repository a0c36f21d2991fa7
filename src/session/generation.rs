//! State of the Generate page: a fold of the worker's events, and the form.

use super::form::Form;
use super::format;
use crate::messages::generate::{Asking, GenerationProgress, Step, StepState, Tally};
use crate::t;
use crate::texts::Texts;
use dataset::Ability;
use generator::{Agent, Budget, End, Settings, Stop, Targets};
use record::options::CONCURRENCY;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of rejected answers in the page; the journal has all.
const SHOWN: usize = 400;

/// Phase of a generation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// Unknown until the worker reports.
    #[default]
    Unknown,
    /// No generation is stored.
    Idle,
    /// The evaluation set is being embedded.
    Preparing,
    /// Agents are answering.
    Running,
    /// Paused by the user: no requests are sent.
    Paused,
    /// It stopped, for any reason.
    Stopped,
}

impl Phase {
    /// Whether it can be cancelled.
    pub const fn is_active(self) -> bool {
        matches!(self, Phase::Preparing | Phase::Running | Phase::Paused)
    }
}

/// State of a planned dialogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// Its domain.
    pub domain: String,
    /// Its ability.
    pub ability: Ability,
    /// The last agent that answered.
    pub agent: Agent,
    /// The outcome of that answer.
    pub state: StepState,
    /// The user's first utterance.
    pub query: String,
    /// Number of rejected answers.
    pub refused: u32,
}

/// The current or stored generation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Generation {
    /// Its phase.
    pub phase: Phase,
    /// Its settings.
    pub settings: Option<Settings>,
    /// Figures.
    pub tally: Tally,
    /// Domains, in the order in which they were named.
    pub domains: Vec<String>,
    /// Planned dialogues that were started.
    pub dialogues: BTreeMap<usize, Dialogue>,
    /// The latest rejected answers, newest first.
    pub refused: Vec<Step>,
    /// Why it stopped.
    pub stop: Option<Stop>,
    /// Why it failed.
    pub trouble: Option<String>,
    /// The trace of a dialogue through the agents.
    pub trace: Option<(usize, Vec<Step>)>,
}

impl Generation {
    /// Applies the worker's progress.
    pub fn fold(&mut self, progress: GenerationProgress) {
        match progress {
            GenerationProgress::Begun { settings, running } => {
                let phase = if running { Phase::Preparing } else { Phase::Stopped };
                let settings = Some(*settings);
                *self = Generation { phase, settings, ..Generation::default() };
            }
            GenerationProgress::Steps { steps, tally } => {
                self.tally = *tally;
                if self.phase == Phase::Preparing {
                    self.phase = Phase::Running;
                }
                steps.into_iter().for_each(|step| self.step(step));
            }
        }
    }

    /// Takes the end of a generation, or of the stored one if there is one.
    pub fn finish(&mut self, ended: Result<Option<Stop>, String>) {
        match ended {
            Ok(None) => *self = Generation { phase: Phase::Idle, ..Generation::default() },
            Ok(stop) => {
                self.phase = Phase::Stopped;
                self.stop = stop;
            }
            Err(message) => {
                self.trouble = Some(message);
                self.phase = if self.settings.is_some() { Phase::Stopped } else { Phase::Idle };
            }
        }
    }

    /// Takes every answer of a dialogue.
    pub fn show(&mut self, slot: usize, steps: Result<Vec<Step>, String>) {
        match steps {
            Ok(steps) => self.trace = Some((slot, steps)),
            Err(message) => self.trouble = Some(message),
        }
    }

    fn step(&mut self, step: Step) {
        self.domains.extend(step.domains.iter().cloned());
        if let (Some(slot), Some(ability)) = (step.slot, step.ability) {
            let dialogue = self.dialogues.entry(slot).or_insert_with(|| Dialogue {
                domain: step.domain.clone().unwrap_or_default(),
                ability,
                agent: step.agent,
                state: step.state,
                query: String::new(),
                refused: 0,
            });
            dialogue.agent = step.agent;
            dialogue.state = step.state;
            if step.agent == Agent::Query && step.state == StepState::Passed {
                dialogue.query.clone_from(&step.line);
            }
            dialogue.refused += u32::from(step.state == StepState::Refused);
        }
        if step.state == StepState::Refused {
            self.refused.insert(0, step);
            self.refused.truncate(SHOWN);
        }
    }

    /// Enters the preparing phase, before the worker's first event.
    pub fn begin(&mut self) {
        self.trouble = None;
        self.phase = Phase::Preparing;
    }

    /// Applies a pause or resume, an event shared with benchmark runs.
    pub fn pause(&mut self, on: bool) {
        match (self.phase, on) {
            (Phase::Running, true) => self.phase = Phase::Paused,
            (Phase::Paused, false) => self.phase = Phase::Running,
            _ => {}
        }
    }

    /// Describes in a sentence how it stopped.
    pub fn ending(&self, texts: Texts) -> Option<String> {
        let ending = self.end(texts)?;
        Some(match self.cause(texts) {
            Some(cause) => format!("{ending} {cause}"),
            None => ending,
        })
    }

    /// Why a generation without a single dialogue came to nothing, as far as its last rejected answer
    /// says.
    fn cause(&self, texts: Texts) -> Option<String> {
        if self.tally.figures.accepted.values().any(|n| *n > 0) {
            return None;
        }
        let last = self.refused.first()?;
        let agent = texts.get(last.agent.title());
        let reason = &last.reasons.first()?.detail;
        Some(t!(
            texts,
            "The last rejected answer, {agent}: {reason}",
            agent = agent,
            reason = reason
        ))
    }

    fn end(&self, texts: Texts) -> Option<String> {
        if let Some(message) = &self.trouble {
            return Some(message.clone());
        }
        Some(stop_text(self.stop.as_ref()?, texts))
    }

    /// Whether it can be resumed.
    pub fn can_go_on(&self) -> bool {
        self.phase == Phase::Stopped
            && self.settings.is_some()
            && !matches!(self.stop, Some(Stop::Ended(End::Finished { .. })))
    }
}

/// How a generation stopped, in a sentence.
pub fn stop_text(stop: &Stop, texts: Texts) -> String {
    match stop {
        Stop::Cancelled => t!(texts, "Stopped. You can continue where it left off.").to_owned(),
        Stop::Ended(End::Finished { given_up: 0 }) => t!(texts, "Finished.").to_owned(),
        Stop::Ended(End::Finished { given_up }) => {
            t!(
                texts,
                "Finished; {n} dialogues dropped after too many rejections.",
                n = format::count(*given_up)
            )
        }
        Stop::Ended(End::Budget { limit }) => t!(
            texts,
            "Limit reached: {limit}. Raise it to continue.",
            limit = texts.get(limit.as_str())
        ),
        Stop::Ended(End::Stopped { message }) => message.clone(),
    }
}

/// The form as typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// Call dialogues.
    pub call: String,
    /// Retrieve+Call dialogues.
    pub retrieve: String,
    /// Plan+Retrieve+Call dialogues.
    pub plan: String,
    /// Domains.
    pub domains: String,
    /// APIs.
    pub apis: String,
    /// Limit of requests; empty for none.
    pub requests: String,
    /// Limit of tokens.
    pub tokens: String,
    /// Limit of money.
    pub money: String,
    /// Price per million prompt tokens.
    pub prompt_price: String,
    /// Price per million completion tokens.
    pub completion_price: String,
    /// Seed.
    pub seed: String,
}

impl Default for Plan {
    fn default() -> Self {
        let text = str::to_owned;
        Plan {
            call: text("10"),
            retrieve: text("5"),
            plan: text("5"),
            domains: text("10"),
            apis: text("25"),
            requests: text("200"),
            tokens: String::new(),
            money: String::new(),
            prompt_price: String::new(),
            completion_price: String::new(),
            seed: text("1"),
        }
    }
}

impl Plan {
    /// Sets the paper's size, its 1,888 dialogues in the proportion 2 : 1 : 1.
    pub fn of_paper(&mut self) {
        let sizes = ["944", "472", "472", "1000", "2138"].map(str::to_owned);
        [self.call, self.retrieve, self.plan, self.domains, self.apis] = sizes;
        self.requests = String::new();
    }

    /// Parses the form.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn settings(&self, texts: Texts) -> Result<Settings, String> {
        let targets = Targets {
            call: number(t!(texts, "Call dialogues"), &self.call, texts)?,
            retrieve: number(t!(texts, "Retrieve+Call dialogues"), &self.retrieve, texts)?,
            plan: number(t!(texts, "Plan+Retrieve+Call dialogues"), &self.plan, texts)?,
            domains: number(t!(texts, "Domains"), &self.domains, texts)?,
            apis: number(t!(texts, "APIs"), &self.apis, texts)?,
        };
        targets.check().map_err(|error| error.to_string())?;
        let budget = Budget {
            requests: optional(t!(texts, "Requests"), &self.requests, texts)?,
            tokens: optional(t!(texts, "Tokens"), &self.tokens, texts)?,
            money: optional(t!(texts, "Money"), &self.money, texts)?
                .filter(|money: &f64| money.is_finite()),
            prompt_price: optional(t!(texts, "Prompt price"), &self.prompt_price, texts)?
                .unwrap_or_default(),
            completion_price: optional(t!(texts, "Answer price"), &self.completion_price, texts)?
                .unwrap_or_default(),
        };
        Ok(Settings {
            targets,
            budget,
            seed: number(t!(texts, "Seed"), &self.seed, texts)?,
            tries: 4,
        })
    }
}

fn number<T: std::str::FromStr>(field: &str, text: &str, texts: Texts) -> Result<T, String> {
    let read = text.trim().parse();
    read.map_err(|_| {
        let text = format!("{text:?}");
        t!(texts, "{field}: expected a whole number, got {text}.", field = field, text = text)
    })
}

fn optional<T: std::str::FromStr>(
    field: &str,
    text: &str,
    texts: Texts,
) -> Result<Option<T>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let read = text.trim().parse().map(Some);
    read.map_err(|_| {
        let text = format!("{text:?}");
        t!(texts, "{field}: expected a number or empty, got {text}.", field = field, text = text)
    })
}

/// The agents' request settings for the Run page's model.
///
/// # Errors
/// The first problem with the endpoint's fields.
pub fn asking(form: &Form, origin: &str, texts: Texts) -> Result<Asking, String> {
    let endpoint = form.answering(origin, texts).map_err(|problems| {
        let first = problems.first().map(|problem| problem.message.clone());
        first.unwrap_or_else(|| t!(texts, "This endpoint can't be used.").to_owned())
    })?;
    let most = if form.runs_in_page() { 1 } else { 100 };
    let concurrency = form.option(&CONCURRENCY).trim().parse().unwrap_or(1).clamp(1, most);
    Ok(Asking { concurrency, ..Asking::new(endpoint) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use generator::{Code, Reason};

    fn step(seq: u64, agent: Agent, state: StepState, line: &str) -> Step {
        Step {
            seq,
            agent,
            domain: Some("Ferry travel".to_owned()),
            slot: Some(0),
            ability: Some(Ability::Call),
            attempt: 0,
            state,
            line: line.to_owned(),
            reasons: vec![Reason::new(Code::Ungrounded, "x")],
            domains: Vec::new(),
            detail: String::new(),
        }
    }

    #[test]
    fn events_update_dialogues_and_rejections() {
        let settings = Box::new(Plan::default().settings(Texts::ENGLISH).unwrap());
        let mut generation = Generation::default();
        generation.fold(GenerationProgress::Begun { settings, running: true });
        assert_eq!(generation.phase, Phase::Preparing);
        let mut named = step(0, Agent::Domains, StepState::Passed, "Ferry travel");
        (named.slot, named.domains) = (None, vec!["Ferry travel".to_owned()]);
        let steps = vec![
            named,
            step(1, Agent::Query, StepState::Passed, "Two seats, please"),
            step(2, Agent::Calls, StepState::Refused, "ungrounded"),
            step(3, Agent::Query, StepState::Passed, "Three seats"),
        ];
        generation.fold(GenerationProgress::Steps { steps, tally: Box::default() });
        assert_eq!(generation.phase, Phase::Running);
        let dialogue = &generation.dialogues[&0];
        assert_eq!((dialogue.query.as_str(), dialogue.refused), ("Three seats", 1));
        assert_eq!((generation.domains.len(), generation.refused.len()), (1, 1));
        generation.finish(Ok(Some(Stop::Cancelled)));
        assert!(generation.can_go_on());
        generation.finish(Ok(Some(Stop::Ended(End::Finished { given_up: 2 }))));
        assert!(!generation.can_go_on());
        let ending = generation.ending(Texts::ENGLISH).unwrap();
        assert!(ending.contains("2 dialogues"), "{ending}");
        assert!(ending.ends_with(&format!("{}: x", Agent::Calls.title())), "the cause: {ending}");
        generation.tally.figures.accepted.insert(Ability::Call, 1);
        assert!(!generation.ending(Texts::ENGLISH).unwrap().ends_with(": x"));
    }

    #[test]
    fn a_wrong_field_is_named() {
        for (plan, part) in [
            (Plan { call: "ten".to_owned(), ..Plan::default() }, "Call dialogues"),
            (Plan { domains: "21".to_owned(), ..Plan::default() }, "Domains: expected 1 to 20"),
            (Plan { money: "much".to_owned(), ..Plan::default() }, "Money"),
        ] {
            let error = plan.settings(Texts::ENGLISH).unwrap_err();
            assert!(error.starts_with(part), "{error}");
        }
        let mut paper = Plan::default();
        paper.of_paper();
        assert_eq!(paper.settings(Texts::ENGLISH).unwrap().targets.dialogues(), 1888);
    }
}
