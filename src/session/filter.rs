//! Filter and order of the list of samples.

use super::run::Run;
use super::terms;
use crate::t;
use crate::texts::Texts;
use apis::search::TOOL_SEARCHER;
use apis::{Domain, registry};
use dataset::Ability;
use exchange::protocol::SampleKind;
use record::{Gold, Outcome, SampleRecord};
pub use record::{expected, received};
use scoring::{ErrorClass, Profile};
use std::cmp::Ordering;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// The outcome of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum SampleState {
    /// The call is right.
    Right,
    /// The call is wrong.
    Wrong,
    /// There is no answer to score.
    Failed,
    /// A reply, which has a ROUGE-L and is neither right nor wrong.
    Reply,
}

impl SampleState {
    /// Every state, in the order of the filter.
    pub const ALL: [SampleState; SampleState::COUNT] =
        *SampleState::VARIANTS.first_chunk().unwrap();

    /// The state of a sample under a profile.
    pub fn of(sample: &SampleRecord, profile: Profile) -> Self {
        match (sample.verdict(profile), &sample.outcome) {
            (_, Outcome::Failed { .. }) => SampleState::Failed,
            (Some(verdict), _) if verdict.correct => SampleState::Right,
            (Some(_), _) => SampleState::Wrong,
            (None, _) => SampleState::Reply,
        }
    }

    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The label in the page.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            SampleState::Right => t!(texts, "Right"),
            SampleState::Wrong => t!(texts, "Wrong"),
            SampleState::Failed => t!(texts, "Not scored"),
            SampleState::Reply => t!(texts, "Reply"),
        }
    }
}

/// The sort key of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[derive(IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum SortBy {
    /// Ability, dialogue, turn and trial: the order of the pack.
    #[default]
    #[strum(serialize = "sample")]
    Place,
    /// Outcome.
    State,
    /// The error class, then the ROUGE-L.
    Verdict,
    /// Latency of the answer.
    Latency,
}

impl SortBy {
    /// The identifier in the page.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The column header.
    pub fn title(self, texts: Texts) -> &'static str {
        match self {
            SortBy::Place => t!(texts, "Sample"),
            SortBy::State => t!(texts, "State"),
            SortBy::Verdict => t!(texts, "Verdict"),
            SortBy::Latency => t!(texts, "Latency"),
        }
    }

    fn compare(self, a: &SampleRecord, b: &SampleRecord, profile: Profile) -> Ordering {
        let class = |sample: &SampleRecord| sample.verdict(profile).and_then(|it| it.error_class);
        let rouge = |it: &SampleRecord| it.rouge_l.unwrap_or(-1.0);
        match self {
            SortBy::Place => Ordering::Equal,
            SortBy::State => SampleState::of(a, profile).cmp(&SampleState::of(b, profile)),
            SortBy::Verdict => class(a).cmp(&class(b)).then(rouge(a).total_cmp(&rouge(b))),
            SortBy::Latency => a.times.latency_ms.cmp(&b.times.latency_ms),
        }
    }
}

/// The order of the list, with ties in the order of the pack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// The sort key.
    pub by: SortBy,
    /// Whether to sort in descending order.
    pub descending: bool,
}

impl Order {
    /// The order after a click on a column header: ascending for another column, reversed for the
    /// same one.
    pub fn pressed(self, by: SortBy) -> Self {
        Order { by, descending: self.by == by && !self.descending }
    }
}

/// A filter of samples; the empty one accepts all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// One state.
    pub state: Option<SampleState>,
    /// One ability.
    pub ability: Option<Ability>,
    /// One error class.
    pub class: Option<ErrorClass>,
    /// One gold API, by name.
    pub api: Option<String>,
    /// The domain of the gold API.
    pub domain: Option<Domain>,
    /// Words that must all occur in the id, gold, last prompt message, answer or verdict.
    pub text: String,
    /// The order of the matching samples.
    pub order: Order,
}

impl Filter {
    /// The wrong samples of an error class.
    pub fn of_class(class: ErrorClass) -> Self {
        Filter { state: Some(SampleState::Wrong), class: Some(class), ..Filter::default() }
    }

    /// Whether a sample matches.
    pub fn passes(&self, sample: &SampleRecord, profile: Profile, texts: Texts) -> bool {
        let class = sample.verdict(profile).and_then(|verdict| verdict.error_class);
        self.state.is_none_or(|state| SampleState::of(sample, profile) == state)
            && self.ability.is_none_or(|ability| sample.ability == ability)
            && self.class.is_none_or(|wanted| class == Some(wanted))
            && self.api.as_deref().is_none_or(|api| gold_api(sample) == Some(api))
            && self.domain.is_none_or(|domain| domain_of(sample) == Some(domain))
            && self.matches_text(sample, profile, texts)
    }

    fn matches_text(&self, sample: &SampleRecord, profile: Profile, texts: Texts) -> bool {
        if self.text.trim().is_empty() {
            return true;
        }
        let text = searchable(sample, profile, texts).to_lowercase();
        self.text.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }

    /// Indices of the matching samples, in order.
    pub fn apply(&self, run: &Run, profile: Profile, texts: Texts) -> Vec<usize> {
        let samples = run.samples.iter().enumerate();
        let mut passing: Vec<(usize, &SampleRecord)> =
            samples.filter(|(_, it)| self.passes(it, profile, texts)).collect();
        let Order { by, descending } = self.order;
        passing.sort_by(|(place_a, a), (place_b, b)| {
            let order = by.compare(a, b, profile);
            match (by, descending) {
                (SortBy::Place, true) => place_b.cmp(place_a),
                (_, true) => order.reverse(),
                _ => order,
            }
        });
        passing.into_iter().map(|(index, _)| index).collect()
    }
}

/// The gold API of a sample that asks for a call.
pub fn gold_api(sample: &SampleRecord) -> Option<&str> {
    match &sample.gold {
        Gold::Call(gold) => Some(&gold.api_name),
        Gold::Reply(_) | Gold::NoCall(_) | Gold::Episode(_) => None,
    }
}

fn domain_of(sample: &SampleRecord) -> Option<Domain> {
    let api = gold_api(sample).filter(|api| *api != TOOL_SEARCHER)?;
    registry::find(sample.ability.suite(), api).map(|api| api.domain)
}

fn searchable(sample: &SampleRecord, profile: Profile, texts: Texts) -> String {
    let mut parts = vec![sample.id.clone(), expected(sample), received(sample)];
    parts.extend(sample.messages.last().map(|message| message.content.to_string()));
    if let Some(verdict) = sample.verdict(profile) {
        parts.push(verdict.explanation.clone());
        if let Some(class) = verdict.error_class {
            // Records and explanations have the English name, lists the translated one.
            parts.extend([class.title(), terms::class(class, texts)].map(str::to_owned));
        }
    }
    parts.join("\n")
}

/// The kind of a sample, in a word.
pub fn kind(sample: &SampleRecord, texts: Texts) -> &'static str {
    match sample.kind {
        SampleKind::Call => t!(texts, "call"),
        SampleKind::Reply => t!(texts, "reply"),
        SampleKind::Restraint => t!(texts, "no call"),
        SampleKind::Episode => t!(texts, "episode"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::run_of;
    use super::*;
    use crate::fixture::call;
    use record::Gold;

    fn run() -> Run {
        let mut reply = call(Ability::Call, "call/b", 3, Some(true));
        reply.kind = SampleKind::Reply;
        reply.verdicts = None;
        reply.gold = Gold::Reply("It rings at seven.".to_owned());
        run_of(vec![
            call(Ability::Call, "call/b", 1, Some(true)),
            call(Ability::Call, "call/b", 2, Some(false)),
            reply,
            call(Ability::Plan, "plan/a", 1, None),
        ])
    }

    #[test]
    fn every_field_narrows_the_list() {
        let run = run();
        let found = |filter: Filter| filter.apply(&run, Profile::Execution, Texts::ENGLISH);
        assert_eq!(found(Filter::default()), [0, 1, 2, 3]);
        for (index, state) in
            [SampleState::Right, SampleState::Wrong, SampleState::Reply, SampleState::Failed]
                .into_iter()
                .enumerate()
        {
            let filter = Filter { state: Some(state), ..Filter::default() };
            assert_eq!(found(filter), [index], "{state:?}");
        }
        assert_eq!(found(Filter { ability: Some(Ability::Plan), ..Filter::default() }), [3]);
        let class = Some(ErrorClass::WrongApi);
        assert_eq!(found(Filter { class, ..Filter::default() }), [1]);
        for (words, expected) in [
            ("RINGS seven", vec![2]),
            ("wrong api", vec![1]),
            ("http 500", vec![3]),
            ("rings eight", vec![]),
            ("  ", vec![0, 1, 2, 3]),
        ] {
            assert_eq!(found(Filter { text: words.to_owned(), ..Filter::default() }), expected);
        }
    }

    #[test]
    fn a_column_sorts_both_ways_with_ties_in_the_packs_order() {
        let mut run = run();
        for (sample, latency_ms) in run.samples.iter_mut().zip([30, 10, 30, 20]) {
            sample.times.latency_ms = latency_ms;
        }
        let sorted = |order: Order| {
            Filter { order, ..Filter::default() }.apply(&run, Profile::Execution, Texts::ENGLISH)
        };
        let up = Order::default().pressed(SortBy::Latency);
        assert_eq!(sorted(up), [1, 3, 0, 2]);
        assert_eq!(sorted(up.pressed(SortBy::Latency)), [0, 2, 3, 1]);
        assert_eq!(sorted(up.pressed(SortBy::State)), [0, 1, 3, 2], "right, wrong, failed, reply");
        assert_eq!(sorted(up.pressed(SortBy::Place)), [0, 1, 2, 3]);
        assert_eq!(sorted(Order { by: SortBy::Place, descending: true }), [3, 2, 1, 0]);
        assert_eq!(*sorted(up.pressed(SortBy::Verdict)).last().unwrap(), 1, "the wrong one");
    }
}
