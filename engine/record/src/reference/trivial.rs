//! What trivial models score on the built-in pack. A test makes the table and compares it.

use crate::Baseline;
use exchange::protocol::Protocol;
use serde::{Deserialize, Serialize};

/// The table, as JSON.
const TABLE: &str = include_str!("trivial.json");

/// Above this share of right answers the table owes a reason.
pub const TOLERATED: f64 = 0.03;

/// What is counted together. Under `agent` these are whole dialogues, otherwise steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Call.
    Call,
    /// Searches of Retrieve+Call.
    RetrieveSearches,
    /// The other calls of Retrieve+Call.
    RetrieveCalls,
    /// Searches of Plan+Retrieve+Call.
    PlanSearches,
    /// The other calls of Plan+Retrieve+Call.
    PlanCalls,
    /// Calls of the hard split; under `agent`, dialogues in which something is called.
    HardCalls,
    /// Steps of the hard split where words are due; under `agent`, dialogues without a call.
    HardWords,
}

impl Group {
    /// In the order of the table.
    pub const ALL: [Group; 7] = [
        Group::Call,
        Group::RetrieveSearches,
        Group::RetrieveCalls,
        Group::PlanSearches,
        Group::PlanCalls,
        Group::HardCalls,
        Group::HardWords,
    ];
}

/// What a model gets right of a group.
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
    /// Right under `execution`.
    pub execution: usize,
    /// Right under `exact`.
    pub exact: usize,
    /// Right under `f1`.
    pub f1: usize,
}

/// The replies of a model.
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

/// Why a trivial model gets more than is tolerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Where words are due, any words pass that neither call nor claim.
    AnyWords,
    /// The profiles that read no words let pass who is silent, only searches, or claims.
    WordsUnread,
    /// The user's words find the API that is needed.
    UserWords,
}

impl Cell {
    /// The highest share of right answers under any profile.
    pub fn highest(&self) -> f64 {
        self.execution.max(self.exact).max(self.f1) as f64 / self.n.max(1) as f64
    }

    /// Why the cell exceeds [`TOLERATED`]; `None` when it does not, or when nothing explains it.
    pub fn reason(&self) -> Option<Reason> {
        if self.highest() <= TOLERATED {
            return None;
        }
        let speaks = matches!(
            self.model,
            Baseline::RepeatsTheUser | Baseline::RefusesPolitely | Baseline::ObeysToolResults
        );
        match self.group {
            Group::HardWords if speaks => Some(Reason::AnyWords),
            Group::HardWords => (self.execution == 0).then_some(Reason::WordsUnread),
            Group::RetrieveSearches | Group::PlanSearches => {
                (self.model == Baseline::SearchesForever).then_some(Reason::UserWords)
            }
            _ => None,
        }
    }
}

impl TrivialTable {
    /// The published table.
    pub fn published() -> Self {
        serde_json::from_str(TABLE).unwrap_or_default()
    }

    /// A cell of the table.
    pub fn cell(&self, model: Baseline, protocol: Protocol, group: Group) -> Option<&Cell> {
        let is = |it: &&Cell| it.model == model && it.protocol == protocol && it.group == group;
        self.cells.iter().find(is)
    }

    /// Every reason that the table needs, in order.
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
            for group in [Group::Call, Group::RetrieveCalls, Group::PlanCalls, Group::HardWords] {
                assert!(table.cell(model, protocol, group).is_some_and(|cell| cell.n > 0));
            }
        }
    }
}
