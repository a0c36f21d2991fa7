//! An endpoint that fails by script, in every way that a server or the network can fail.
//!
//! Writes raw bytes, because an HTTP library would not send half a head.

mod reply;
mod server;

pub use server::FaultyEndpoint;

use std::collections::BTreeMap;

use exchange::protocol::SampleKind;
use provider::FailureClass;
use scoring::ErrorClass;

use crate::{
    gold::{Gold, GoldSample},
    rule::Expected,
};

/// Attempts per request on transient failures.
pub const TRIES: u32 = 3;

/// When the connection is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// After reading the request, before sending anything.
    BeforeHead,
    /// In the middle of the status line.
    InHead,
    /// After a head that announces a body.
    AfterHead,
    /// In the middle of a non-streamed body.
    InBody,
    /// In the middle of a stream.
    InStream,
}

/// A fault in tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolTrouble {
    /// The arguments are truncated JSON.
    BrokenArguments,
    /// Two calls share an id.
    SameIds,
    /// The tool was not offered.
    Unknown,
}

/// A fault in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// The response is late.
    Late,
    /// The connection is dropped.
    Dropped(Moment),
    /// A status code with an error body.
    Status(u16),
    /// 429 with a Retry-After of one second that the page can read.
    Wait,
    /// 401 without CORS headers, so that the page can't read it.
    Unreadable,
    /// An HTML page with status 200.
    WebPage,
    /// A stream that was not requested.
    Stream,
    /// A stream with a JSON content type.
    StreamAsJson,
    /// A stream that ends early.
    ShortStream,
    /// A stream with an event that is invalid JSON.
    BrokenStream,
    /// JSON with a plain-text content type.
    PlainText,
    /// Truncated JSON of the announced length.
    BrokenJson,
    /// Five megabytes of text without a call.
    Long,
    /// No choices.
    NoChoice,
    /// An error with status 200.
    ErrorInside,
    /// Tool calls although text was requested.
    Tools(ToolTrouble),
}

/// The fault for a sample's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The kind of fault.
    pub trouble: Trouble,
    /// Whether it affects every request of the sample; otherwise only the first.
    pub lasts: bool,
}

const fn once(trouble: Trouble) -> Fault {
    Fault { trouble, lasts: false }
}

const fn always(trouble: Trouble) -> Fault {
    Fault { trouble, lasts: true }
}

impl Fault {
    /// Every fault that the tests use.
    pub const ALL: [Fault; 36] = [
        always(Trouble::Late),
        once(Trouble::Dropped(Moment::BeforeHead)),
        always(Trouble::Dropped(Moment::BeforeHead)),
        once(Trouble::Dropped(Moment::InHead)),
        once(Trouble::Dropped(Moment::AfterHead)),
        always(Trouble::Dropped(Moment::AfterHead)),
        once(Trouble::Dropped(Moment::InBody)),
        once(Trouble::Dropped(Moment::InStream)),
        always(Trouble::Dropped(Moment::InStream)),
        once(Trouble::Status(429)),
        once(Trouble::Wait),
        once(Trouble::Status(408)),
        once(Trouble::Status(409)),
        once(Trouble::Status(425)),
        once(Trouble::Status(500)),
        always(Trouble::Status(500)),
        once(Trouble::Status(503)),
        once(Trouble::Status(529)),
        always(Trouble::Status(400)),
        always(Trouble::Status(401)),
        always(Trouble::Status(403)),
        always(Trouble::Unreadable),
        always(Trouble::WebPage),
        always(Trouble::Stream),
        always(Trouble::StreamAsJson),
        once(Trouble::ShortStream),
        always(Trouble::ShortStream),
        once(Trouble::BrokenStream),
        always(Trouble::PlainText),
        once(Trouble::BrokenJson),
        always(Trouble::Long),
        always(Trouble::NoChoice),
        once(Trouble::ErrorInside),
        always(Trouble::Tools(ToolTrouble::BrokenArguments)),
        always(Trouble::Tools(ToolTrouble::SameIds)),
        always(Trouble::Tools(ToolTrouble::Unknown)),
    ];

    /// Whether the first attempt gets an answer, right or wrong.
    const fn answers(self) -> bool {
        use Trouble::{Late, Long, PlainText, Stream, StreamAsJson, Tools};
        matches!(self.trouble, Late | Stream | StreamAsJson | PlainText | Long | Tools(_))
    }

    /// The expected score.
    #[must_use]
    pub const fn expected(self) -> Expected {
        match self.trouble {
            Trouble::Long => Expected::Wrong(ErrorClass::NoApiCall),
            // A protocol that asks for text counts a tool call as a call in another form.
            Trouble::Tools(_) => Expected::Wrong(ErrorClass::FalseApiCallFormat),
            _ if self.answers() || !self.lasts => Expected::Right,
            Trouble::Status(400 | 401 | 403) | Trouble::WebPage => {
                Expected::Failed(FailureClass::Configuration)
            }
            _ => Expected::Failed(FailureClass::Infrastructure),
        }
    }

    /// The number of requests for the sample.
    #[must_use]
    pub const fn tries(self) -> u32 {
        match self.expected() {
            _ if self.answers() => 1,
            Expected::Failed(FailureClass::Infrastructure) => TRIES,
            Expected::Failed(FailureClass::Configuration) => 1,
            _ => 2,
        }
    }

    /// Whether it can occur for a sample: a reply can't lack a call.
    fn applies(self, sample: &GoldSample) -> bool {
        let about_calls = matches!(self.trouble, Trouble::Long | Trouble::Tools(_));
        sample.unique && (!about_calls || sample.kind == SampleKind::Call)
    }
}

/// A run's faults by sample; all other samples are answered correctly.
pub type FaultScript = BTreeMap<String, Fault>;

/// Assigns every fault to samples of a run, `rounds` times each. `run` lists the samples in run order.
#[must_use]
pub fn spread(gold: &Gold, run: &[&str], rounds: usize) -> FaultScript {
    let mut script = FaultScript::new();
    let mut free: Vec<&GoldSample> = run.iter().filter_map(|id| gold.sample(id)).collect();
    for fault in (0..rounds).flat_map(|_| Fault::ALL) {
        if let Some(at) = free.iter().position(|sample| fault.applies(sample)) {
            script.insert(free.remove(at).id.clone(), fault);
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use exchange::{Answer, call};
    use provider::{Endpoint, Failure, HttpHead, Receiver, Sink};

    use super::*;

    const TEXT: &str = "[GetToday(a='é', b='two words')]";

    /// Decodes a response as a client does.
    fn received(bytes: &[u8]) -> Result<Answer, Failure> {
        let end = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let retry_after = head.lines().find_map(|line| line.strip_prefix("Retry-After: "));
        let endpoint = Endpoint::default();
        let mut receiver = Receiver::new(&endpoint, None);
        receiver.head(HttpHead::new(status, retry_after, None, 0));
        for piece in bytes[end..].chunks(1000) {
            if receiver.bytes(piece).is_break() {
                break;
            }
        }
        receiver.finish()
    }

    #[test]
    fn every_fault_is_what_its_table_says() {
        for fault in Fault::ALL {
            // Only a browser can test incomplete responses.
            if matches!(fault.trouble, Trouble::Dropped(_) | Trouble::Unreadable) {
                continue;
            }
            let outcome = received(&reply::bytes(Some(fault.trouble), TEXT));
            match (fault.answers(), fault.expected(), &outcome) {
                (true, Expected::Right, Ok(answer)) => assert_eq!(answer.text, TEXT, "{fault:?}"),
                (true, Expected::Wrong(_), Ok(answer)) => {
                    assert_eq!(call::parse(&answer.text), Err(call::CallProblem::NoCall));
                }
                (false, Expected::Failed(class), Err(failure)) => {
                    assert_eq!(failure.class, class, "{fault:?}: {failure}");
                    assert_eq!(failure.retry, fault.tries() == TRIES, "{fault:?}: {failure}");
                }
                (false, Expected::Right, Err(failure)) => assert!(failure.retry, "{fault:?}"),
                other => panic!("{fault:?}: {other:?}"),
            }
            let wait = matches!(fault.trouble, Trouble::Wait).then_some(Duration::from_secs(1));
            assert_eq!(outcome.err().and_then(|it| it.retry_after), wait, "{fault:?}");
        }
    }

    #[test]
    fn dropped_responses_are_shorter_than_whole_ones() {
        let whole = reply::bytes(None, TEXT).len();
        let mut cuts = Vec::new();
        for moment in [Moment::BeforeHead, Moment::InHead, Moment::AfterHead, Moment::InBody] {
            cuts.push(reply::bytes(Some(Trouble::Dropped(moment)), TEXT).len());
        }
        cuts.push(whole);
        assert!(cuts.is_sorted_by(|a, b| a < b), "{cuts:?}");
        assert!(received(&reply::bytes(Some(Trouble::Dropped(Moment::AfterHead)), TEXT)).is_err());
        assert!(received(&reply::bytes(Some(Trouble::Dropped(Moment::InBody)), TEXT)).is_err());
    }

    #[test]
    fn faults_are_spread_over_samples_that_can_meet_them() {
        let gold = Gold::builtin().unwrap();
        let run: Vec<&str> = gold.samples().iter().map(|sample| sample.id.as_str()).collect();
        let script = spread(&gold, &run, 2);
        assert_eq!(script.len(), 2 * Fault::ALL.len());
        for fault in Fault::ALL {
            assert_eq!(script.values().filter(|it| **it == fault).count(), 2, "{fault:?}");
        }
    }
}
