//! Parses and checks an answer: `&State` and an answer in, [`Outcome`] out.

use super::checks::{self, Embed, EmbedError, coded};
use super::journal::{Outcome, Refused};
use super::set::slug;
use super::state::{Stage, TakeError, Work};
use super::{Code, Item, Reason, State, Tool, Turn, answers, vector_text};
use apis::registry;
use exchange::shorten;
use std::collections::BTreeSet;

/// Maximum number of characters that an entry quotes of a rejected answer.
const KEPT: usize = 600;
/// Minimum number of APIs per domain: with only one, every search would find it.
const FEWEST_APIS: usize = 2;

impl State {
    pub(super) fn judge(
        &self,
        work: Work,
        text: &str,
        embed: &impl Embed,
    ) -> Result<Outcome, TakeError> {
        let refused = |reasons: Vec<Reason>, item: Option<Item>| Outcome::Rejected {
            reasons,
            item,
            answer: shorten(text.trim(), KEPT),
        };
        let outcome = match work {
            Work::Domains { asked } => {
                answers::domains(text, asked).map(|names| self.judge_domains(names, asked))
            }
            Work::Apis { domain } => {
                let asked = self.apis_of(domain);
                match answers::apis(text, asked).map(|tools| self.judge_apis(tools, asked)) {
                    Ok(Ok(outcome)) => Ok(outcome),
                    Ok(Err(reasons)) => return Ok(refused(reasons, None)),
                    Err(reason) => Err(reason),
                }
            }
            Work::Query { slot } => match answers::query(text) {
                Ok(query) => {
                    return Ok(match self.judge_query(slot, query, embed)? {
                        Ok(outcome) => outcome,
                        Err(reasons) => refused(reasons, None),
                    });
                }
                Err(reason) => Err(reason),
            },
            Work::Calls { slot } => match answers::turns(text) {
                Ok(turns) => {
                    return Ok(match self.judge_calls(slot, turns, embed)? {
                        Ok(outcome) => outcome,
                        Err((reasons, item)) => refused(reasons, Some(item)),
                    });
                }
                Err(reason) => Err(reason),
            },
            Work::Test { slot } => match answers::verdict(text) {
                Ok(reasons) => {
                    let Stage::Test { item, vector } = &self.slots[slot].stage else {
                        return Err(TakeError::WrongStage { slot, stage: "the tester" });
                    };
                    // A near-duplicate may have been accepted since the draft was checked.
                    let twin =
                        self.accepted.duplicates(&item.user_text(), &vector_text::unit(vector));
                    let reasons = if reasons.is_empty() { twin } else { reasons };
                    return Ok(match reasons.is_empty() {
                        true => Outcome::Accepted,
                        false => refused(reasons, Some((**item).clone())),
                    });
                }
                Err(reason) => Err(reason),
            },
        };
        Ok(outcome.unwrap_or_else(|reason| refused(vec![reason], None)))
    }

    fn judge_domains(&self, names: Vec<String>, asked: usize) -> Outcome {
        let mut known: BTreeSet<String> = self.domains.iter().map(|it| slug(&it.name)).collect();
        let (mut added, mut refused) = (Vec::new(), Vec::new());
        for name in names {
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
            let short = shorten(&name, 80);
            let mut refuse = |code, detail: &str| {
                refused.push(Refused { name: short.clone(), reason: Reason::new(code, detail) });
            };
            if slug(&name).is_empty() || name.len() > 60 {
                refuse(Code::BadName, "expected two to four plain words");
            } else if !known.insert(slug(&name)) {
                refuse(Code::DuplicateDomain, "this domain exists already");
            } else if added.len() == asked {
                refuse(Code::TooLong, "more than requested");
            } else {
                added.push(name);
            }
        }
        Outcome::Domains { added, refused }
    }

    fn judge_apis(&self, tools: Vec<Tool>, asked: usize) -> Result<Outcome, Vec<Reason>> {
        let mut known = self.tool_names.clone();
        let (mut added, mut refused) = (Vec::new(), Vec::new());
        for tool in tools {
            let mut reasons = checks::tool(&tool);
            if registry::all().any(|api| api.name.eq_ignore_ascii_case(&tool.name)) {
                reasons.push(Reason::new(Code::PoolApi, "the evaluation pool has this API"));
            }
            if reasons.is_empty() && !known.insert(tool.name.to_lowercase()) {
                reasons.push(Reason::new(Code::DuplicateApi, "this API exists already"));
            }
            if reasons.is_empty() && added.len() == asked {
                reasons.push(Reason::new(Code::TooLong, "more than requested"));
            }
            let name = shorten(&tool.name, 80);
            match reasons.into_iter().next() {
                Some(reason) => refused.push(Refused { name, reason }),
                None => added.push(tool),
            }
        }
        if added.len() >= FEWEST_APIS {
            return Ok(Outcome::Apis { added, refused });
        }
        let mut reasons: Vec<Reason> = refused
            .into_iter()
            .map(|it| Reason::new(it.reason.code, format!("{}: {}", it.name, it.reason.detail)))
            .collect();
        let detail = format!("expected at least {FEWEST_APIS} usable APIs, got {}", added.len());
        reasons.push(Reason::new(Code::TooFew, detail));
        Err(reasons)
    }

    fn judge_query(
        &self,
        slot: usize,
        query: answers::Query,
        embed: &impl Embed,
    ) -> Result<Result<Outcome, Vec<Reason>>, EmbedError> {
        let known = &self.domains[self.domain_of(slot)];
        let text = query.query.trim().to_owned();
        let mut reasons = Vec::new();
        let named = known.tools.iter().find(|tool| text.contains(&tool.name));
        if let Some(tool) = named {
            reasons.push(Reason::new(Code::NamesApi, format!("it contains {}", tool.name)));
        }
        let vector = embed.embed(&text)?;
        reasons.extend(self.accepted.duplicates(&text, &vector));
        reasons.extend(self.evaluation.contaminations(&text, &vector));
        if !reasons.is_empty() {
            return Ok(Err(reasons));
        }
        let chosen = self.chosen(slot, self.ability_of(slot), known);
        let apis = chosen.into_iter().map(|tool| tool.name).collect();
        Ok(Ok(Outcome::Query { text, time: query.time, apis }))
    }

    fn judge_calls(
        &self,
        slot: usize,
        turns: Vec<Turn>,
        embed: &impl Embed,
    ) -> Result<Result<Outcome, (Vec<Reason>, Item)>, TakeError> {
        let Stage::Calls { text, time, apis } = &self.slots[slot].stage else {
            return Err(TakeError::WrongStage { slot, stage: "its calls" });
        };
        let known = &self.domains[self.domain_of(slot)];
        let ability = self.ability_of(slot);
        let first = Turn::User { text: text.clone() };
        let item = Item {
            id: format!("{}-{slot:04}", slug(&known.name)),
            ability,
            time: Some(time.clone()),
            turns: std::iter::once(first).chain(turns).collect(),
        };
        let mut reasons = checks::item(&item, &self.shown(ability, known, apis));
        if reasons.is_empty() {
            reasons.extend(checks::searches(&item, &known.tools, embed)?);
        }
        let said = item.user_text();
        let vector = embed.embed(&said)?;
        if said != *text {
            reasons.extend(self.accepted.duplicates(&said, &vector));
            reasons.extend(self.evaluation.contaminations(&said, &vector));
        }
        if !reasons.is_empty() {
            return Ok(Err((reasons, item)));
        }
        let vector = vector_text::encode(&coded(&vector));
        Ok(Ok(Outcome::Drafted { item, vector }))
    }
}
