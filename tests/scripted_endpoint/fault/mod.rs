//! An endpoint that fails by script, in every way that a server or the way to it can fail.
//!
//! It writes its bytes itself: a web server's library would not send half a head.

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

/// How often a request is sent in all when it fails in a way that may pass.
pub const TRIES: u32 = 3;

/// When a connection is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// The request was read, nothing was sent.
    BeforeHead,
    /// In the middle of the status line.
    InHead,
    /// The head was sent, the body was announced.
    AfterHead,
    /// In the middle of a body in one piece.
    InBody,
    /// In the middle of a stream.
    InStream,
}

/// What an answer with tool calls has wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolTrouble {
    /// The arguments are JSON that breaks off.
    BrokenArguments,
    /// Two calls share an id.
    SameIds,
    /// The tool was never offered.
    Unknown,
}

/// What is wrong with a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// It comes late.
    Late,
    /// The connection is dropped.
    Dropped(Moment),
    /// A status code with an error body.
    Status(u16),
    /// 429, and a wish to wait for a second that a page can read.
    Wait,
    /// 401 without the headers that let a page read it.
    Unreadable,
    /// A web page with status 200.
    WebPage,
    /// A stream that nobody asked for.
    Stream,
    /// A stream that calls itself JSON.
    StreamAsJson,
    /// A stream that ends without its end.
    ShortStream,
    /// A stream with an event that is no JSON.
    BrokenStream,
    /// JSON that calls itself plain text.
    PlainText,
    /// JSON that breaks off, whole by its length.
    BrokenJson,
    /// Five megabytes of text without a call.
    Long,
    /// No choices.
    NoChoice,
    /// An error with status 200.
    ErrorInside,
    /// Tool calls where text was asked for.
    Tools(ToolTrouble),
}

/// What becomes of the requests of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// What is wrong.
    pub trouble: Trouble,
    /// Whether it stays so; else only the first request of the sample meets it.
    pub lasts: bool,
}

const fn once(trouble: Trouble) -> Fault {
    Fault { trouble, lasts: false }
}

const fn always(trouble: Trouble) -> Fault {
    Fault { trouble, lasts: true }
}

impl Fault {
    /// Every fault that is played.
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

    /// Whether an answer comes, right or wrong, at the first try.
    const fn answers(self) -> bool {
        use Trouble::{Late, Long, PlainText, Stream, StreamAsJson, Tools};
        matches!(self.trouble, Late | Stream | StreamAsJson | PlainText | Long | Tools(_))
    }

    /// What a scorer has to make of it.
    #[must_use]
    pub const fn expected(self) -> Expected {
        match self.trouble {
            // Under the protocol that asks for text, a tool call is no call.
            Trouble::Long | Trouble::Tools(_) => Expected::Wrong(ErrorClass::NoApiCall),
            _ if self.answers() || !self.lasts => Expected::Right,
            Trouble::Status(400 | 401 | 403) | Trouble::WebPage => {
                Expected::Failed(FailureClass::Configuration)
            }
            _ => Expected::Failed(FailureClass::Infrastructure),
        }
    }

    /// How many requests the sample takes.
    #[must_use]
    pub const fn tries(self) -> u32 {
        match self.expected() {
            _ if self.answers() => 1,
            Expected::Failed(FailureClass::Infrastructure) => TRIES,
            Expected::Failed(FailureClass::Configuration) => 1,
            _ => 2,
        }
    }

    /// Whether a sample can meet it: a reply cannot lack a call.
    fn applies(self, sample: &GoldSample) -> bool {
        let about_calls = matches!(self.trouble, Trouble::Long | Trouble::Tools(_));
        sample.unique && (!about_calls || sample.kind == SampleKind::Call)
    }
}

/// The faults of a run, by sample; all other samples are answered right.
pub type FaultScript = BTreeMap<String, Fault>;

/// Spreads every fault over the samples of a run, each as often as `rounds` says. `run` has the
/// samples in the order of the run.
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

    /// What a client makes of the bytes of one response.
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
            // What never comes whole is for a browser to tell.
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
