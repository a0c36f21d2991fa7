//! The original benchmark: its evaluator, defects included ([`harness`]), and its data as a
//! runnable pack. Dialogues have the errata applied, samples keep the original's numbering, and
//! recorded results replace missing data.
//!
//! Must not depend on endpoints or records.

pub mod evaluator;
mod find;
pub mod harness;
pub mod judge;
mod prompted;
pub mod search;

use apis::recorded::RecordedResult;
use apis::search::find;
use apis::{Date, Kind, Suite};
use dataset::import::{
    Correction, DefectClass, Errata, Imported, ImportedSample, ORIGINAL, Original, Place, Problem,
    PromptKind, PromptRow, renamed,
};
use dataset::{Ability, Dialogue, Manifest, Pack, RecordedCall, Turn};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use find::{PlaceError, Samples};
pub use prompted::UNRECORDED;

/// Converts imported data to a pack; also returns the problems of databases that can't be loaded.
pub fn pack(original: Original, errata: &Errata) -> (Pack, Vec<Problem>) {
    let (mut world, problems) = original.world();
    let mut build = Build::new(&original, errata);
    build.dialogues();
    build.plans();
    build.prompted();
    let Build { dialogues, samples, .. } = build;
    apis::recorded::record(&mut world, recorded(&dialogues));
    let manifest = Manifest {
        name: ORIGINAL.to_owned(),
        version: "as imported".to_owned(),
        today: Date(world.today.0),
        seed: world.seed,
        variant: None,
        language: None,
        horizon: None,
        canary: None,
    };
    let digest = original.digest.clone();
    let imported = Some(Arc::new(Imported { original, samples }));
    (Pack { manifest, world, dialogues, hard: Vec::new(), digest, imported, tools: None }, problems)
}

/// All calls with a recorded result.
fn recorded(dialogues: &[Dialogue]) -> impl Iterator<Item = RecordedResult<'_>> {
    dialogues.iter().flat_map(|dialogue| {
        let suite = dialogue.ability.suite();
        let known = |call: &&RecordedCall| call.result.exception.as_deref() != Some(UNRECORDED);
        dialogue.calls().filter(known).map(move |call| RecordedResult {
            suite,
            name: &call.api_name,
            arguments: &call.param_dict,
            result: &call.result,
        })
    })
}

/// The metadata of a sample.
struct At {
    place: Option<Place>,
    repeat: bool,
    /// Index into the original's prompts.
    prompt: Option<usize>,
}

/// Indices of the data hub's prompt rows.
struct Rows {
    /// By place; prefers the row without examples.
    by_place: BTreeMap<Place, usize>,
    /// Replies of level 3, which have no place, by dialogue.
    replies: BTreeMap<usize, usize>,
}

impl Rows {
    fn new(original: &Original) -> Self {
        let mut rows = Rows { by_place: BTreeMap::new(), replies: BTreeMap::new() };
        for (index, row) in original.prompts.iter().enumerate() {
            if row.level == 3 && asks_reply(row) {
                rows.replies.entry(row.id).or_insert(index);
                continue;
            }
            let known = rows.by_place.entry(place(row)).or_insert(index);
            if original.prompts.get(*known).is_some_and(|prompt| prompt.examples) && !row.examples {
                *known = index;
            }
        }
        rows
    }

    /// The row of a sample; `plan` is the number of its dialogue at level 3.
    fn find(&self, place: Option<&Place>, plan: Option<usize>) -> Option<usize> {
        match place {
            Some(place) => self.by_place.get(place).copied(),
            None => self.replies.get(&plan?).copied(),
        }
    }
}

/// Collects dialogues and samples.
struct Build<'a> {
    original: &'a Original,
    errata: &'a Errata,
    rows: Rows,
    dialogues: Vec<Dialogue>,
    samples: Vec<ImportedSample>,
}

impl<'a> Build<'a> {
    fn new(original: &'a Original, errata: &'a Errata) -> Self {
        Build {
            original,
            errata,
            rows: Rows::new(original),
            dialogues: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// Adds levels 1 and 2: every call, and the line after it.
    fn dialogues(&mut self) {
        for source in self.original.dialogues.values() {
            let (dialogue, notes) = mended(&source.dialogue);
            let index = self.dialogues.len();
            self.dialogues.push(dialogue);
            let mut last = None;
            for (sample, turn) in source.samples().into_iter().enumerate() {
                let place =
                    Place { level: source.level, file: source.file.clone(), sample, step: 0 };
                let repeat = last == Some(turn);
                last = Some(turn);
                let prompt = self.rows.find(Some(&place), None);
                let at = At { place: Some(place), repeat, prompt };
                self.sample(index, turn, at, notes.get(&turn).copied());
            }
        }
    }

    /// Adds level 3: every step, then the reply.
    fn plans(&mut self) {
        for (sample, plan) in self.original.plans.iter().enumerate() {
            let (dialogue, notes) = mended(&plan.dialogue);
            let index = self.dialogues.len();
            let turns = dialogue.turns.len();
            self.dialogues.push(dialogue);
            for turn in 1..turns {
                let place = (turn + 1 < turns).then(|| Place {
                    level: 3,
                    file: String::new(),
                    sample,
                    step: turn - 1,
                });
                let prompt = self.rows.find(place.as_ref(), Some(sample));
                let at = At { place, repeat: false, prompt };
                self.sample(index, turn, at, notes.get(&turn).copied());
            }
        }
    }

    /// Adds the data hub's rows whose dialogue the pack lacks.
    fn prompted(&mut self) {
        for group in prompted::groups(self.original, &self.rows) {
            let Some((dialogue, turns)) = prompted::dialogue(self.original, &group) else {
                continue;
            };
            let (dialogue, notes) = mended(&dialogue);
            let index = self.dialogues.len();
            self.dialogues.push(dialogue);
            let mut last = None;
            for (place, row, turn) in turns {
                let repeat = last == Some(turn);
                last = Some(turn);
                let at = At { place, repeat, prompt: Some(row) };
                self.sample(index, turn, at, notes.get(&turn).copied());
            }
        }
    }

    fn sample(&mut self, dialogue: usize, turn: usize, at: At, defect: Option<DefectClass>) {
        let At { place, repeat, prompt } = at;
        let reply = match self.dialogues.get(dialogue).and_then(|it| it.turns.get(turn)) {
            Some(Turn::Api(_)) => false,
            Some(Turn::Assistant { .. }) => true,
            _ => return,
        };
        let erratum = place
            .as_ref()
            .and_then(|it| self.errata.find(it.level, &it.file, it.sample, it.step))
            .filter(|_| !reply);
        let mut correction = defect.map(by_rule);
        if let Some(erratum) = erratum {
            let excluded = erratum.gold.is_none();
            correction =
                Some(Correction { class: erratum.class, what: erratum.what.clone(), excluded });
            if let Some(arguments) = &erratum.gold
                && let Some(Turn::Api(call)) =
                    self.dialogues.get_mut(dialogue).and_then(|it| it.turns.get_mut(turn))
            {
                call.param_dict.clone_from(arguments);
            }
        }
        self.samples.push(ImportedSample {
            dialogue,
            turn,
            reply,
            place,
            repeat,
            prompt,
            correction,
        });
    }
}

fn place(row: &PromptRow) -> Place {
    Place { level: row.level, file: row.file.clone(), sample: row.id, step: row.step }
}

/// Renames old parameters of a dialogue; also returns the defects of its calls, by turn.
fn mended(dialogue: &Dialogue) -> (Dialogue, BTreeMap<usize, DefectClass>) {
    let mut dialogue = dialogue.clone();
    let mut notes = BTreeMap::new();
    for (index, turn) in dialogue.turns.iter_mut().enumerate() {
        let Turn::Api(call) = turn else { continue };
        if let Some(arguments) = renamed(&call.api_name, &call.param_dict) {
            call.param_dict = arguments;
            notes.insert(index, DefectClass::RenamedParameter);
        } else if has_listed_text(dialogue.ability.suite(), call) {
            notes.insert(index, DefectClass::ListAsText);
        }
    }
    (dialogue, notes)
}

/// Whether a parameter that takes a list has a string that looks like one.
fn has_listed_text(suite: Suite, call: &RecordedCall) -> bool {
    let Some(api) = find(suite, &call.api_name) else { return false };
    let listed = |value: &Value| value.as_str().is_some_and(|text| text.trim().starts_with('['));
    let takes_list = |name: &String| {
        let kind = api.param(name).map(|param| param.kind);
        matches!(kind, Some(Kind::TextList | Kind::UntypedTextList | Kind::RecordList(_)))
    };
    call.param_dict.iter().any(|(name, value)| listed(value) && takes_list(name))
}

/// The correction of a defect that a rule fixes.
fn by_rule(class: DefectClass) -> Correction {
    let what = match class {
        DefectClass::RenamedParameter => {
            "The gold call has a parameter under its old name; it is read under today's."
        }
        _ => "The gold call gives a list as a text; it is read as the list that it shows.",
    };
    Correction { class, what: what.to_owned(), excluded: false }
}

fn ability(level: u8) -> Ability {
    match level {
        1 => Ability::Call,
        2 => Ability::Retrieve,
        _ => Ability::Plan,
    }
}

fn asks_reply(row: &PromptRow) -> bool {
    row.kind == PromptKind::Reply
}
