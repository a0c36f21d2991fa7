//! The questions: which dialogue, domain and APIs each is about, drawn from the seed.

use super::{Known, Next, Stage, State, Work};
use crate::{Tool, prompts};
use apis::registry;
use dataset::Ability;

/// Domains per question.
pub(crate) const BATCH: usize = 10;
/// Existing domains that a prompt lists, the latest ones.
pub(crate) const SHOWN: usize = 60;

impl State {
    /// The index of a slot's domain: each domain has a contiguous range of slots.
    pub(crate) fn domain_of(&self, slot: usize) -> usize {
        slot * self.settings.targets.domains / self.slots.len()
    }

    /// The ability of a slot. Any contiguous range of slots has the abilities in about the
    /// proportion of the targets.
    pub(crate) fn ability_of(&self, slot: usize) -> Ability {
        let targets = &self.settings.targets;
        let wanted = [targets.call, targets.retrieve, targets.plan];
        let all = self.slots.len();
        let before = |slot: usize, limit: usize| {
            // Multiples of the golden ratio are spread evenly (Knuth, TAOCP vol. 3, 6.4).
            let place = slot * stride(all) % all;
            place < limit
        };
        let [call, retrieve, _] = wanted;
        match slot {
            slot if before(slot, call) => Ability::Call,
            slot if before(slot, call + retrieve) => Ability::Retrieve,
            _ => Ability::Plan,
        }
    }

    /// Target number of APIs of a domain, at least 2.
    pub(crate) fn apis_of(&self, domain: usize) -> usize {
        let targets = &self.settings.targets;
        let up_to = |domain: usize| domain * targets.apis / targets.domains;
        (up_to(domain + 1) - up_to(domain)).max(2)
    }

    pub(super) fn more_domains(&mut self) -> Next {
        if self.open.works().any(|work| matches!(work, Work::Domains { .. })) {
            return Next::Wait;
        }
        let asked = (self.settings.targets.domains - self.domains.len()).min(BATCH);
        let from = self.domains.len().saturating_sub(SHOWN);
        let known: Vec<&str> = self.domains[from..].iter().map(|it| it.name.as_str()).collect();
        let ask = prompts::domains(asked, &known);
        self.open.begin(Work::Domains { asked }, ask)
    }

    pub(super) fn ask_for_apis(&mut self, domain: usize) -> Next {
        let pool: Vec<_> = registry::all().collect();
        let draw = self.draw("examples", domain) as usize;
        let examples: Vec<Tool> = (0..2)
            .filter_map(|at| pool.get((draw + at * 7) % pool.len()))
            .map(|api| Tool::of_pool(api))
            .collect();
        let ask = prompts::apis(&self.domains[domain].name, self.apis_of(domain), &examples);
        self.domains[domain].busy = true;
        self.open.begin(Work::Apis { domain }, ask)
    }

    pub(super) fn ask_for(&mut self, slot: usize) -> Next {
        let known = &self.domains[self.domain_of(slot)];
        let ability = self.ability_of(slot);
        let (work, ask) = match &self.slots[slot].stage {
            Stage::Calls { text, time, apis } => {
                let tools = self.shown(ability, known, apis);
                let ask = prompts::calls(&known.name, ability, &tools, text, time);
                (Work::Calls { slot }, ask)
            }
            Stage::Test { item, .. } => {
                (Work::Test { slot }, prompts::tester(&known.name, item, &known.tools))
            }
            _ => {
                let tools = self.chosen(slot, ability, known);
                (Work::Query { slot }, prompts::query(&known.name, ability, &tools))
            }
        };
        self.slots[slot].busy = true;
        self.open.begin(work, ask)
    }

    /// The APIs that a query is about: one or two for Call, one for Retrieve+Call, two or three
    /// for Plan+Retrieve+Call. The draw differs by attempt.
    pub(crate) fn chosen(&self, slot: usize, ability: Ability, known: &Known) -> Vec<Tool> {
        let draw = self.draw("apis", slot + 7919 * self.slots[slot].attempt as usize) as usize;
        let count = match ability {
            Ability::Call => 1 + draw % 2,
            Ability::Retrieve => 1,
            Ability::Plan => 2 + draw % 2,
        };
        let all = known.tools.len();
        (0..count.min(all)).map(|at| known.tools[(draw / 2 + at) % all].clone()).collect()
    }

    /// The APIs shown to the calls agent: for Call those of the query, otherwise the whole domain,
    /// so that searches must discriminate.
    pub(crate) fn shown(&self, ability: Ability, known: &Known, apis: &[String]) -> Vec<Tool> {
        let all = known.tools.iter();
        all.filter(|tool| ability != Ability::Call || apis.contains(&tool.name)).cloned().collect()
    }

    /// A number drawn by seed, purpose and index: FNV-1a, 32 bits.
    fn draw(&self, what: &str, index: usize) -> u32 {
        let mut hash = 0x811c_9dc5_u32 ^ self.settings.seed;
        for byte in what.bytes().chain(index.to_le_bytes()) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        // Fold in the high bits: the low bits alone are correlated for close indices.
        hash ^ (hash >> 15)
    }
}

/// The first number from 0.618 × `all` on that is coprime to `all`.
fn stride(all: usize) -> usize {
    let start = (all as f64 * 0.618) as usize;
    (start.max(1)..).find(|stride| gcd(*stride, all) == 1).unwrap_or(1)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
