//! Applies entries of the journal to the state, new and replayed ones alike.

use super::{Known, ReplayError, Stage, State};
use crate::journal::{JournalEntry, Outcome};
use crate::vector_text;

/// Consecutive failed requests that end a generation.
pub(crate) const PATIENCE: u32 = 5;

impl State {
    /// Applies the next entry of a journal.
    ///
    /// # Errors
    /// When the entry is not the next one, belongs to other targets, or is damaged.
    pub fn replay(&mut self, entry: &JournalEntry) -> Result<(), ReplayError> {
        if entry.seq != self.next_seq {
            return Err(ReplayError::Order { expected: self.next_seq, got: entry.seq });
        }
        let domains = self.settings.targets.domains;
        let fits = entry.slot.is_none_or(|slot| slot < self.slots.len())
            && entry.domain.is_none_or(|domain| domain < domains && domain < self.domains.len());
        if !fits {
            return Err(ReplayError::OtherTargets(entry.seq));
        }
        if let Outcome::Drafted { vector, .. } = &entry.outcome
            && vector_text::decode(vector).is_none()
        {
            return Err(ReplayError::Vector(entry.seq));
        }
        self.apply(entry);
        Ok(())
    }

    pub(super) fn apply(&mut self, entry: &JournalEntry) {
        self.next_seq = entry.seq + 1;
        self.figures.add(entry);
        let failed = matches!(entry.outcome, Outcome::Failed { .. });
        self.failures = if failed { self.failures + 1 } else { 0 };
        if let (true, Outcome::Failed { message }) = (self.failures >= PATIENCE, &entry.outcome) {
            self.stopped.get_or_insert_with(|| message.clone());
        }
        match (entry.slot, entry.domain) {
            (Some(slot), _) => self.apply_to_slot(slot, entry),
            (None, Some(domain)) => self.apply_to_domain(domain, &entry.outcome),
            (None, None) => self.apply_to_domains(&entry.outcome),
        }
    }

    fn apply_to_domains(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Domains { added, .. } if !added.is_empty() => {
                self.fruitless = 0;
                for name in added {
                    let index = self.domains.len();
                    let open = (0..self.slots.len()).filter(|it| self.domain_of(*it) == index);
                    let known =
                        Known { name: name.clone(), open: open.count(), ..Known::default() };
                    self.domains.push(known);
                }
            }
            Outcome::Failed { .. } => {}
            _ => {
                self.fruitless += 1;
                if self.fruitless >= self.settings.tries {
                    let message = "The model has stopped naming new domains. Use another model, or \
                                   ask for fewer domains.";
                    self.stopped.get_or_insert_with(|| message.to_owned());
                }
            }
        }
    }

    fn apply_to_domain(&mut self, domain: usize, outcome: &Outcome) {
        let known = &mut self.domains[domain];
        known.busy = false;
        match outcome {
            Outcome::Apis { added, .. } => {
                known.tools.extend(added.iter().cloned());
                let names = added.iter().map(|tool| tool.name.to_lowercase());
                self.tool_names.extend(names);
            }
            Outcome::Failed { .. } => {}
            _ => {
                known.attempt += 1;
                if known.attempt >= self.settings.tries {
                    known.open = 0;
                    for slot in 0..self.slots.len() {
                        if self.domain_of(slot) == domain {
                            self.slots[slot].stage = Stage::GivenUp;
                        }
                    }
                }
            }
        }
    }

    fn apply_to_slot(&mut self, slot: usize, entry: &JournalEntry) {
        let domain = self.domain_of(slot);
        let state = &mut self.slots[slot];
        state.busy = false;
        match &entry.outcome {
            Outcome::Query { text, time, apis } => {
                let (text, time, apis) = (text.clone(), time.clone(), apis.clone());
                state.stage = Stage::Calls { text, time, apis };
            }
            Outcome::Drafted { item, vector } => {
                // Only a replayed journal can be damaged, and `replay` checks it.
                let vector = vector_text::decode(vector).unwrap_or_default();
                state.stage = Stage::Test { item: Box::new(item.clone()), vector };
            }
            Outcome::Accepted => {
                let stage = std::mem::replace(&mut state.stage, Stage::Accepted);
                if let Stage::Test { item, vector } = stage {
                    self.accepted.add(&item.id, &item.user_text(), vector);
                }
            }
            Outcome::Rejected { reasons, .. } => {
                state.attempt += 1;
                // An unreadable answer says nothing about the query or draft: ask the same again.
                let unread = reasons.first().is_some_and(|it| it.code.is_unreadable());
                if state.attempt >= self.settings.tries {
                    state.stage = Stage::GivenUp;
                } else if !unread {
                    state.stage = Stage::Query;
                }
            }
            _ => {}
        }
        if self.slots[slot].stage.is_done() {
            let known = &mut self.domains[domain];
            known.open = known.open.saturating_sub(1);
            if known.open == 0 {
                known.tools = Vec::new();
            }
        }
    }
}
