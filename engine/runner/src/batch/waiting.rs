//! Answers that need API Search before its model has arrived.

use super::{Response, Run};
use record::SampleRecord;

/// Responses to judge once the search model has arrived.
#[derive(Debug, Default)]
pub(crate) struct Waiting<'a>(Vec<Response<'a>>);

impl<'a> Waiting<'a> {
    /// Judges a response, unless that needs a search that can't be answered yet, and the waiting
    /// ones as soon as they can be judged.
    pub(crate) fn judge(
        &mut self,
        run: &Run<'a>,
        response: Response<'a>,
        mut done: impl FnMut(SampleRecord),
    ) {
        if run.bench().is_settled() {
            self.0.drain(..).for_each(|response| done(run.judge(response)));
            return done(run.judge(response));
        }
        let record = run.judge(response.clone());
        match run.bench().missed_search() {
            true => self.0.push(response),
            false => done(record),
        }
    }

    /// Waits for the search model, then judges the rest. Without it, they count as failed requests.
    pub(crate) async fn finish(self, run: &Run<'a>, done: impl FnMut(SampleRecord)) {
        if self.0.is_empty() {
            return;
        }
        let searchable = run.bench().searchable().await;
        let judged = |response: Response<'a>| match &searchable {
            Ok(()) => run.judge(response),
            Err(reason) => run.judge(response.failed(reason)),
        };
        self.0.into_iter().map(judged).for_each(done);
    }
}
