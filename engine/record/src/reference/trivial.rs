//! Scores of the trivial models on the built-in pack. A test of `runner` recomputes the table.

use crate::Baseline;
use exchange::protocol::Protocol;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, VariantArray};

/// The table, as JSON.
const TABLE: &str = include_str!("trivial.json");

/// The maximum share of correct answers that needs no reason.
pub const TOLERATED: f64 = 0.03;

/// A group of steps, or of whole dialogues under `agent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[derive(EnumCount, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Call.
    Call,
    /// Steps of Call that need no call.
    CallWords,
    /// Searches of Retrieve+Call.
    RetrieveSearches,
    /// The other calls of Retrieve+Call.
    RetrieveCalls,
    /// Steps of Retrieve+Call that need no call.
    RetrieveWords,
    /// Searches of Plan+Retrieve+Call.
    PlanSearches,
    /// The other calls of Plan+Retrieve+Call.
    PlanCalls,
    /// Steps after the last call of a Plan, which need no call.
    PlanWords,
    /// Calls of the hard split; under `agent`, dialogues.
    HardCalls,
    /// Steps of the hard split that need no call; none under `agent`, because every dialogue has a
    /// gold call.
    HardWords,
}

impl Group {
    /// All groups, in table order.
    pub const ALL: [Group; Group::COUNT] = *Group::VARIANTS.first_chunk().unwrap();
}

/// A model's correct answers in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The model.
    pub model: Baseline,
    /// The protocol.
    pub protocol: Protocol,
    /// The group.
    pub group: Group,
    /// Steps or dialogues.
    pub n: usize,
    /// Correct under `execution`.
    pub execution: usize,
    /// Correct under `exact`.
    pub exact: usize,
    /// Correct under `f1`.
    pub f1: usize,
}

/// A model's replies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Replies {
    /// The model.
    pub model: Baseline,
    /// The protocol.
    pub protocol: Protocol,
    /// Replies.
    pub n: usize,
    /// Mean ROUGE-L in thousandths.
    pub rouge_l: u32,
}

/// The table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrivialTable {
    /// A cell per model, protocol and group.
    pub cells: Vec<Cell>,
    /// A mean per model and protocol.
    pub replies: Vec<Replies>,
}

/// Why a trivial model exceeds [`TOLERATED`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// If no call is due, any words pass.
    AnyWords,
    /// Searching for the user's words finds the needed API.
    UserWords,
    /// Some dialogues end in the state in which they begin.
    NothingChanges,
}

impl Cell {
    /// The highest share of right answers under any profile.
    pub fn highest(&self) -> f64 {
        self.execution.max(self.exact).max(self.f1) as f64 / self.n.max(1) as f64
    }

    /// Why the cell exceeds [`TOLERATED`]; `None` if it does not, or if no reason applies.
    pub fn reason(&self) -> Option<Reason> {
        if self.highest() <= TOLERATED {
            return None;
        }
        let speaks = matches!(
            self.model,
            Baseline::RepeatsTheUser
                | Baseline::RefusesPolitely
                | Baseline::ObeysToolResults
                | Baseline::ClaimsSuccess
        );
        match self.group {
            Group::CallWords | Group::RetrieveWords | Group::PlanWords | Group::HardWords => {
                speaks.then_some(Reason::AnyWords)
            }
            Group::RetrieveSearches | Group::PlanSearches => {
                (self.model == Baseline::SearchesForever).then_some(Reason::UserWords)
            }
            Group::Call if self.protocol.is_agent() => Some(Reason::NothingChanges),
            _ => None,
        }
    }
}

impl TrivialTable {
    /// The published table.
    ///
    /// # Panics
    /// If the embedded file is invalid, which a test rules out.
    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    pub fn published() -> Self {
        serde_json::from_str(TABLE).expect("a valid table")
    }

    /// A cell of the table.
    pub fn cell(&self, model: Baseline, protocol: Protocol, group: Group) -> Option<&Cell> {
        let is = |it: &&Cell| it.model == model && it.protocol == protocol && it.group == group;
        self.cells.iter().find(is)
    }

    /// The distinct reasons of the table's cells, in order.
    pub fn reasons(&self) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = self.cells.iter().filter_map(Cell::reason).collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_above_what_is_tolerated_has_its_reason() {
        let table = TrivialTable::published();
        assert!(!table.cells.is_empty());
        for cell in &table.cells {
            assert!(cell.highest() <= TOLERATED || cell.reason().is_some(), "{cell:?}");
        }
    }

    #[test]
    fn every_trivial_model_stands_under_every_protocol() {
        let table = TrivialTable::published();
        for (model, protocol) in
            Baseline::TRIVIAL.iter().flat_map(|&it| Protocol::ALL.map(|protocol| (it, protocol)))
        {
            for group in [Group::Call, Group::RetrieveCalls, Group::PlanCalls, Group::HardCalls] {
                assert!(table.cell(model, protocol, group).is_some_and(|cell| cell.n > 0));
            }
        }
    }
}
