//! The steps that ask the model.
//!
//! A refused request is repeated with one change at a time, so that the cause is known whatever words
//! the vendor has for it. The steps that follow use the settings that work.

use super::probe::{self, ANSWER_TOKENS, CALL_TOKENS, LONG_TEXT, LONG_TOOLS, WORD_TOKENS};
use super::{Connection, Report, State, Step, models};
use crate::diagnosis::Case;
use crate::limits::Limit;
use crate::{Client, Endpoint, Failure, FailureClass, Ports, Preset, Reply, Timeouts};
use exchange::protocol::Ask;
use serde_json::Value;
use std::cell::RefCell;

/// How to fold roles.
const FOLD: &str = "Fold them into the user's turns (--fold-roles).";

/// State shared by the steps that query the model.
pub(super) struct Check<'a, P> {
    /// The settings, changed to what works.
    pub endpoint: Endpoint,
    pub connection: Connection<'a, P>,
}

impl<P: Ports> Check<'_, P> {
    fn case(&self) -> Case<'_> {
        let Connection { key, place, .. } = self.connection;
        Case { endpoint: &self.endpoint, has_key: key.is_some(), place }
    }

    /// The settings with another longest answer.
    fn limited(&self, max_tokens: u32) -> Endpoint {
        Endpoint { max_tokens: Some(max_tokens), ..self.endpoint.clone() }
    }

    async fn ask(&self, endpoint: &Endpoint, ask: &Ask, report: &mut Report) -> Asked {
        let Connection { key, waits, .. } = self.connection;
        let dropped = std::mem::take(&mut report.dropped);
        let client = Client::new(endpoint, key, Timeouts::default()).without(dropped);
        let mut ms = 0;
        let mut send = async || {
            let sent_ms = waits.ports.elapsed_ms();
            let reply = client.ask(ask, waits.ports).await;
            ms = waits.ports.elapsed_ms().saturating_sub(sent_ms);
            reply.unwrap_or_else(|| Err(Failure::infrastructure("Cancelled.")))
        };
        let mut reply = waits.ready(&RefCell::new(&mut *report), &mut send).await;
        // One failure of a server says nothing yet.
        let is_chance = |failure: &Failure| {
            failure.retry && failure.status.is_some() && failure.absence.is_none()
        };
        if reply.as_ref().is_err_and(is_chance) {
            reply = send().await;
        }
        report.dropped = client.dropped();
        if reply.is_ok() {
            report.latency_ms = report.latency_ms.max(Some(ms));
        }
        Asked { reply, ms }
    }

    /// Asks for one word; whether the endpoint answers.
    pub(super) async fn answer(&self, report: &mut Report) -> bool {
        let Asked { reply, ms } =
            self.ask(&self.limited(WORD_TOKENS), &probe::word(), report).await;
        let reply = match reply {
            Ok(reply) => reply,
            Err(failure) => {
                let fix = self.case().advice(&failure);
                report.add(Step::Answer, State::Bad, failure.message, fix);
                return false;
            }
        };
        let model = &self.endpoint.model;
        let mut text =
            format!("{model} answered in {}: {}", seconds(ms), probe::quoted(&reply.answer));
        if let Some(first_ms) = reply.first_token_ms {
            text.push_str(&format!(", first token after {}", seconds(first_ms)));
        }
        text.push('.');
        if report.dropped.is_empty() {
            report.add(Step::Answer, State::Good, text, None);
        } else {
            text.push_str(&format!(" It refuses {}.", report.dropped.join(", ")));
            let fix = "It is left out, and the record says so.".to_owned();
            report.add(Step::Answer, State::Warning, text, Some(fix));
        }
        true
    }

    /// Asks with a system message and the run's longest answer. If that is refused, finds out which of
    /// the two is at fault. Whether the other steps can be asked.
    pub(super) async fn request(&mut self, report: &mut Report) -> bool {
        report.proposal = Some(probe::proposal(false, &self.endpoint));
        if !self.endpoint.format.has_roles() {
            let text = format!("{} has one text and no roles.", self.endpoint.format.title());
            report.add(Step::Request, State::Skipped, text, None);
            return true;
        }
        let ask = probe::request();
        let Err(failure) = self.ask(&self.endpoint, &ask, report).await.reply else {
            let text = match self.endpoint.max_tokens {
                Some(limit) => {
                    format!("A system message and answers of up to {limit} tokens are accepted.")
                }
                None => "A system message is accepted.".to_owned(),
            };
            report.add(Step::Request, State::Good, text, None);
            return true;
        };
        if let Some(limit) = failure.limit() {
            return self.lower(limit, &failure, report);
        }
        let folded = Endpoint { fold_roles: true, ..self.endpoint.clone() };
        if !self.endpoint.fold_roles && self.ask(&folded, &ask, report).await.reply.is_ok() {
            let text = format!("The model takes no system message. {}", failure.message);
            return self.fold(Step::Request, text, report);
        }
        let short = self.limited(CALL_TOKENS);
        if self.ask(&short, &ask, report).await.reply.is_ok() {
            return self.lower(Limit::Answer, &failure, report);
        }
        let fix = self.case().advice(&failure);
        let text = format!("A system message is refused. {}", failure.message);
        report.add(Step::Request, State::Bad, text, fix);
        report.proposal = None;
        false
    }

    /// Continues with folded roles.
    fn fold(&mut self, step: Step, text: String, report: &mut Report) -> bool {
        report.add(step, State::Bad, text, Some(FOLD.to_owned()));
        self.endpoint.fold_roles = true;
        if let Some(proposal) = &mut report.proposal {
            proposal.fold_roles = true;
        }
        true
    }

    /// Continues with a shorter longest answer.
    fn lower(&mut self, limit: Limit, failure: &Failure, report: &mut Report) -> bool {
        // Prompts need most of a context.
        let share = |context: u64| u32::try_from(context / 4).unwrap_or(u32::MAX);
        let fits = match limit {
            Limit::Credit(Some(tokens)) => tokens,
            _ => self.context_length(report).map_or(1024, share),
        };
        let now = self.endpoint.max_tokens.unwrap_or(u32::MAX);
        let fits = fits.min(now.saturating_sub(1)).max(WORD_TOKENS);
        let fix = format!(
            "Lower the longest answer, for example to {fits} tokens (--max-tokens {fits}){}",
            match limit {
                Limit::Context => format!(". {}", self.case().fix_context()),
                Limit::Answer => ".".to_owned(),
                Limit::Credit(_) => ", or add credit.".to_owned(),
            }
        );
        report.add(Step::Request, State::Bad, failure.message.clone(), Some(fix));
        self.endpoint.max_tokens = Some(fits);
        if let Some(proposal) = &mut report.proposal {
            proposal.max_tokens = Some(fits);
        }
        true
    }

    /// The steps about tool calls.
    pub(super) async fn of_tools(&mut self, report: &mut Report) {
        let works = match self.endpoint.format.has_roles() {
            true => self.tools(report).await,
            false => {
                let format = self.endpoint.format.title();
                let text = format!("{format} has no tools: the bracket protocol is right for it.");
                report.add(Step::Tools, State::Skipped, text, None);
                false
            }
        };
        self.connection.waits.show(report);
        let works = self.streaming(works, report).await;
        self.connection.waits.show(report);
        if works {
            self.results(report).await;
            self.connection.waits.show(report);
        }
        if let Some(proposal) = &mut report.proposal {
            proposal.native_tools = works;
        }
    }

    /// Asks for a call; first with a short longest answer, then with the run's.
    async fn called(&self, endpoint: &Endpoint, report: &mut Report) -> (bool, String) {
        let most = endpoint.max_tokens;
        let first = most.unwrap_or(u32::MAX).min(CALL_TOKENS);
        let short = Endpoint { max_tokens: Some(first), ..endpoint.clone() };
        let mut asked = (self.ask(&short, &probe::call(), report).await.reply, Some(first));
        let is_cut_off =
            asked.0.as_ref().is_ok_and(|it| it.answer.calls.is_empty() && it.answer.is_cut_off());
        if is_cut_off && most.is_none_or(|most| most > first) {
            asked = (self.ask(endpoint, &probe::call(), report).await.reply, most);
        }
        match asked {
            (Ok(reply), limit) => probe::judge_call(&reply.answer, limit),
            (Err(failure), _) => (false, failure.message),
        }
    }

    /// Probes a tool call; whether native calls work.
    async fn tools(&self, report: &mut Report) -> bool {
        let (works, text) = self.called(&self.endpoint, report).await;
        if works {
            report.add(Step::Tools, State::Good, text, None);
            return true;
        }
        let ran_out = text.contains("ran out of tokens");
        let fix = match self.template_lacks_tools().await {
            _ if ran_out => "Allow a longer answer (--max-tokens), or less reasoning.".to_owned(),
            true => "The model's chat template has no tools, so the server leaves them out. Use \
                     another model, or the bracket protocol."
                .to_owned(),
            false => {
                let tools = self.endpoint.server().facts().tools;
                format!("{tools} The bracket protocol needs none of this.")
            }
        };
        report.add(Step::Tools, State::Warning, text, Some(fix));
        false
    }

    /// llama-server silently drops tools when the chat template does not support them.
    async fn template_lacks_tools(&self) -> bool {
        if self.endpoint.server() != Preset::LlamaCpp {
            return false;
        }
        let Connection { key, waits, .. } = self.connection;
        let Ok(request) = self.endpoint.props_request(key) else { return false };
        let Ok(sink) = models::fetch(self.case(), request, waits.ports).await else { return false };
        let props: Option<Value> = serde_json::from_str(&sink.into_response(key).body).ok();
        let caps = props.as_ref().and_then(|props| props.get("chat_template_caps"));
        caps.and_then(|caps| caps.get("supports_tools")) == Some(&Value::Bool(false))
    }

    /// Asks the same the other way, streamed or in one piece. Servers parse calls differently in the
    /// two. Whether native calls work in one of them.
    async fn streaming(&mut self, works: bool, report: &mut Report) -> bool {
        let other = Endpoint { streaming: !self.endpoint.streaming, ..self.endpoint.clone() };
        let (way, other_way) = probe::ways(&self.endpoint);
        if !self.endpoint.format.has_roles() {
            report.add(Step::Streaming, State::Skipped, "Only calls are compared.", None);
            return works;
        }
        let (works_so, text) = self.called(&other, report).await;
        match (works, works_so) {
            (true, true) => {
                let text = "The call is the same streamed and in one piece.";
                report.add(Step::Streaming, State::Good, text, None);
            }
            (false, false) => {
                let text = format!("There is no call {other_way} either.");
                report.add(Step::Streaming, State::Skipped, text, None);
            }
            (true, false) => {
                let text = format!(
                    "The call arrives {way}, as the run asks for it, but not {other_way}: {text}"
                );
                report.add(Step::Streaming, State::Warning, text, None);
            }
            (false, true) => {
                let text =
                    format!("The call arrives {other_way}, but not {way}, as the run asks for it.");
                let fix = probe::turned_over(&self.endpoint).to_owned();
                report.add(Step::Streaming, State::Warning, text, Some(fix));
                self.endpoint = other;
                if let Some(proposal) = &mut report.proposal {
                    proposal.streaming = self.endpoint.streaming;
                }
            }
        }
        works || works_so
    }

    /// Asks after a call and its result, as most prompts of a run with native calls do.
    async fn results(&mut self, report: &mut Report) {
        let ask = probe::history();
        let short = self.limited(self.endpoint.max_tokens.unwrap_or(u32::MAX).min(CALL_TOKENS));
        let Err(failure) = self.ask(&short, &ask, report).await.reply else {
            let text = "A conversation with a call and its result is accepted.";
            report.add(Step::Results, State::Good, text, None);
            return;
        };
        let folded = Endpoint { fold_roles: true, ..short };
        let text =
            format!("A conversation with a call and its result is refused. {}", failure.message);
        if !self.endpoint.fold_roles && self.ask(&folded, &ask, report).await.reply.is_ok() {
            self.fold(Step::Results, text, report);
            return;
        }
        let fix = self.case().advice(&failure);
        let fix = fix.unwrap_or_else(|| {
            "Use the protocol bracket or agent-text, which has no such messages.".to_owned()
        });
        report.add(Step::Results, State::Warning, text, Some(fix));
    }

    /// The model's context in tokens, if the list tells it.
    fn context_length(&self, report: &Report) -> Option<u64> {
        report.models.iter().find(|model| model.name == self.endpoint.model)?.context
    }

    /// Sends a long prompt and checks that the server counts all of it.
    pub(super) async fn context(&self, report: &mut Report) {
        let fix = || Some(self.case().fix_context());
        // Descriptions of tools make the longest prompts.
        let has_tools = report.proposal.is_some_and(|proposal| proposal.native_tools);
        let words = if has_tools { LONG_TOOLS } else { LONG_TEXT };
        if let Some(context) = self.context_length(report)
            && context < words + ANSWER_TOKENS
        {
            let text = format!(
                "The model's context is {context} tokens; the longest prompts have about {words}, \
                 and an answer has to fit beside them."
            );
            report.add(Step::Context, State::Warning, text, fix());
            return;
        }
        let is_base = !self.endpoint.format.has_roles();
        // A base model may never stop by itself.
        let endpoint = if is_base { self.limited(WORD_TOKENS) } else { self.endpoint.clone() };
        let counted = match self.ask(&endpoint, &probe::long(words), report).await.reply {
            Ok(reply) => reply.answer.usage.map(|usage| usage.prompt_tokens),
            Err(failure) => {
                let cause = match failure.class {
                    FailureClass::Configuration => "A long prompt is refused",
                    FailureClass::Infrastructure => "A long prompt fails",
                };
                let text = format!("{cause}: {}", failure.message);
                report.add(Step::Context, State::Warning, text, self.case().advice(&failure));
                return;
            }
        };
        match counted {
            None => {
                let text = "The endpoint counts no tokens, so a cut prompt would go unnoticed.";
                report.add(Step::Context, State::Warning, text, None);
            }
            Some(tokens) if tokens < words => {
                let text = format!(
                    "The server read {tokens} tokens of a prompt of at least {words}: it cuts \
                     long prompts in silence."
                );
                report.add(Step::Context, State::Warning, text, fix());
            }
            Some(tokens) => {
                let text = format!("A prompt of {tokens} tokens arrived whole.");
                report.add(Step::Context, State::Good, text, None);
            }
        }
    }
}

/// A reply and how long it took, in milliseconds.
struct Asked {
    reply: Result<Reply, Failure>,
    ms: u64,
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}
