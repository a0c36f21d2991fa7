//! Runs under a simulated clock: hours pass instantly and deterministically.

use super::*;
use crate::drive::drive;
use crate::{HttpRequest, Sink, Timeouts, TransportError};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A platform whose clock advances only when every task is waiting.
#[derive(Default)]
struct Simulated {
    now_ms: Cell<u64>,
    timers: RefCell<BTreeMap<(u64, usize), Waker>>,
    set: Cell<usize>,
    paused_until_ms: Cell<u64>,
    cancel_at_ms: Cell<Option<u64>>,
    /// When the wall clock is set back, and by how much, in milliseconds.
    set_back_ms: Cell<Option<(u64, u64)>>,
    held: RefCell<Vec<u32>>,
}

impl Simulated {
    async fn until(&self, at: u64) {
        std::future::poll_fn(|context| {
            if self.now_ms.get() >= at {
                return Poll::Ready(());
            }
            self.set.set(self.set.get() + 1);
            self.timers.borrow_mut().insert((at, self.set.get()), context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    async fn sleep(&self, ms: u64) {
        self.until(self.now_ms.get() + ms).await;
    }

    /// Polls to completion; when nothing can progress, the next timer fires.
    fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            let context = &mut Context::from_waker(Waker::noop());
            if let Poll::Ready(value) = future.as_mut().poll(context) {
                return value;
            }
            let next = self.timers.borrow_mut().pop_first();
            let ((at, _), waker) = next.expect("deadlock: no timer is pending");
            self.now_ms.set(at.max(self.now_ms.get()));
            waker.wake();
        }
    }
}

impl Ports for Simulated {
    fn now_ms(&self) -> u64 {
        let now_ms = self.now_ms.get();
        let set_back = self.set_back_ms.get().filter(|(at, _)| now_ms >= *at);
        now_ms - set_back.map_or(0, |(_, by)| by)
    }

    fn elapsed_ms(&self) -> u64 {
        self.now_ms.get()
    }

    fn held(&self, ms: u32) {
        self.held.borrow_mut().push(ms);
    }

    async fn send(
        &self,
        _: HttpRequest,
        _: Timeouts,
        _: &mut dyn Sink,
    ) -> Result<(), TransportError> {
        Err(TransportError::Unreachable("these tests send nothing over a network".to_owned()))
    }

    async fn wait(&self, ms: u32) {
        self.sleep(u64::from(ms)).await;
    }

    fn cancelled(&self) -> bool {
        self.cancel_at_ms.get().is_some_and(|at| self.now_ms.get() >= at)
    }

    async fn resumed(&self) {
        self.until(self.paused_until_ms.get()).await;
    }
}

const PATIENCE: RetryPolicy = RetryPolicy { retries: 2, first_ms: 1000, seed: 1 };

fn busy(retry_after_s: Option<u64>) -> Failure {
    let retry_after = retry_after_s.map(Duration::from_secs);
    Failure { throttled: true, retry_after, ..Failure::infrastructure("HTTP 429") }
}

/// A server that handles a limited number of requests at a time, one second each, and rejects the
/// others at once.
struct Server<'a> {
    ports: &'a Simulated,
    room: usize,
    busy: Cell<usize>,
    most: Cell<usize>,
    refused: Cell<usize>,
}

impl<'a> Server<'a> {
    fn new(ports: &'a Simulated, room: usize) -> Self {
        let zero = || Cell::new(0);
        Server { ports, room, busy: zero(), most: zero(), refused: zero() }
    }

    async fn serve(&self) -> Result<u64, Failure> {
        if self.busy.get() >= self.room {
            self.refused.set(self.refused.get() + 1);
            self.ports.sleep(50).await;
            return Err(busy(None));
        }
        self.busy.set(self.busy.get() + 1);
        self.most.set(self.most.get().max(self.busy.get()));
        self.ports.sleep(1000).await;
        self.busy.set(self.busy.get() - 1);
        Ok(self.ports.now_ms())
    }
}

/// Sends `jobs` requests and returns each result by its number.
fn run(
    ports: &Simulated,
    server: &Server<'_>,
    concurrency: usize,
    jobs: usize,
    retries: u32,
) -> Vec<(usize, Option<RetryOutcome<u64>>)> {
    let pace = RefCell::new(Pace::new(concurrency));
    let retry_policy = RetryPolicy { retries, ..PATIENCE };
    let mut all = Vec::new();
    let work = |job: usize| {
        let pace = &pace;
        async move {
            let name = format!("sample {job}");
            let serve = async || Some(server.serve().await);
            (job, send_with_retries(&name, retry_policy, pace, ports, serve).await)
        }
    };
    ports.run(drive(0..jobs, &pace, || ports.cancelled(), work, |result| all.push(result)));
    all
}

#[test]
fn concurrency_is_used_in_full_and_never_exceeded() {
    for concurrency in [1, 3, 100] {
        let ports = Simulated::default();
        let server = Server::new(&ports, usize::MAX);
        let all = run(&ports, &server, concurrency, 200, 2);
        assert_eq!((all.len(), server.most.get()), (200, concurrency));
        let rounds = 200_u64.div_ceil(concurrency as u64);
        assert_eq!(ports.now_ms(), rounds * 1000, "{concurrency} at a time");
    }
}

#[test]
fn the_next_request_starts_before_a_result_is_processed() {
    let ports = Simulated::default();
    let pace = RefCell::new(Pace::new(2));
    let (sent, mut seen) = (Cell::new(0), Vec::new());
    let work = |_| {
        let (ports, sent) = (&ports, &sent);
        async move {
            sent.set(sent.get() + 1);
            ports.sleep(1000).await;
        }
    };
    ports.run(drive(0..6, &pace, || false, work, |()| seen.push(sent.get())));
    assert_eq!(seen, [3, 4, 5, 6, 6, 6]);
}

#[test]
fn concurrency_adapts_to_a_small_server_and_all_requests_are_answered() {
    let ports = Simulated::default();
    let server = Server::new(&ports, 4);
    let all = run(&ports, &server, 50, 400, 20);
    assert_eq!(all.len(), 400);
    assert!(all.iter().all(|(_, tried)| tried.as_ref().is_some_and(|tried| tried.result.is_ok())));
    // 100 rounds of four take 100 s.
    assert!(ports.now_ms() < 250_000, "{} ms", ports.now_ms());
    assert!(server.refused.get() < 800, "{} refusals", server.refused.get());
}

#[test]
fn a_persistent_failure_ends_after_two_retries() {
    let ports = Simulated::default();
    let pace = RefCell::new(Pace::new(1));
    let mut tries = 0;
    let tried = ports.run(send_with_retries("a", PATIENCE, &pace, &ports, async || {
        tries += 1;
        Some(Err::<(), _>(Failure::infrastructure(format!("failure {tries}"))))
    }));
    let tried = tried.expect("not cancelled");
    assert_eq!(tried.retries, ["failure 1", "failure 2"]);
    assert_eq!(tried.result.unwrap_err().message, "failure 3");
    // One to two seconds, then two to four.
    assert!((3000..=6000).contains(&ports.now_ms()), "{}", ports.now_ms());
}

#[test]
fn permanent_failures_are_not_retried() {
    let ports = Simulated::default();
    let pace = RefCell::new(Pace::new(1));
    let failure = Failure::configuration("HTTP 401");
    let send = async || Some(Err::<(), _>(failure.clone()));
    let tried =
        ports.run(send_with_retries("a", PATIENCE, &pace, &ports, send)).expect("not cancelled");
    assert_eq!(tried, RetryOutcome { result: Err(failure), attempts: 1, retries: Vec::new() });
    assert_eq!(ports.now_ms(), 0);
}

#[test]
fn retry_after_holds_every_request() {
    let ports = Simulated::default();
    let pace = RefCell::new(Pace::new(3));
    let sent = RefCell::new(Vec::new());
    let work = |job: usize| {
        let (pace, ports, sent) = (&pace, &ports, &sent);
        async move {
            let mut first = job == 0;
            let send = async || {
                sent.borrow_mut().push((ports.now_ms(), job));
                if std::mem::take(&mut first) {
                    ports.sleep(5).await;
                    return Some(Err(busy(Some(30))));
                }
                ports.sleep(10).await;
                Some(Ok(()))
            };
            send_with_retries("a", PATIENCE, pace, ports, send).await
        }
    };
    ports.run(drive(0..6, &pace, || false, work, drop));
    // Two were in flight; nothing else is sent before the time is up.
    let early = sent.borrow().iter().filter(|(at, _)| *at < 30_000).count();
    assert_eq!(early, 3, "{:?}", sent.borrow());
    assert_eq!(sent.borrow().len(), 7);
}

#[test]
fn a_pause_holds_requests_and_loses_none() {
    let ports = Simulated::default();
    let server = Server::new(&ports, usize::MAX);
    ports.paused_until_ms.set(60_000);
    let all = run(&ports, &server, 4, 8, 2);
    assert_eq!(all.len(), 8);
    assert_eq!(ports.now_ms(), 62_000);
}

#[test]
fn a_cancel_starts_nothing_and_drops_waiting_requests() {
    let ports = Simulated::default();
    let server = Server::new(&ports, usize::MAX);
    ports.cancel_at_ms.set(Some(2500));
    let all = run(&ports, &server, 5, 100, 2);
    // Three rounds of five had started when the third ended.
    let answered = all.iter().filter(|(_, tried)| tried.is_some()).count();
    assert_eq!((all.len(), answered), (15, 15));
    assert_eq!(ports.now_ms(), 3000);
}

/// Sends requests, ten at a time, with `answer` as the server's response after about a second.
/// Returns the results, why the run stopped, and the number of requests sent.
fn asked(
    ports: &Simulated,
    jobs: usize,
    answer: impl Fn(usize, u64) -> Result<(), Failure>,
) -> (Vec<Option<RetryOutcome<()>>>, Option<String>, usize) {
    let pace = RefCell::new(Pace::new(10));
    let (sent, mut all) = (Cell::new(0), Vec::new());
    let work = |job: usize| {
        let (pace, sent, answer) = (&pace, &sent, &answer);
        async move {
            let send = async || {
                sent.set(sent.get() + 1);
                ports.sleep(1000 + job as u64).await;
                Some(answer(job, ports.now_ms.get()))
            };
            send_with_retries(&format!("sample {job}"), PATIENCE, pace, ports, send).await
        }
    };
    ports.run(drive(0..jobs, &pace, || ports.cancelled(), work, |tried| all.push(tried)));
    let stopped = pace.borrow().stopped().map(str::to_owned);
    (all, stopped, sent.get())
}

fn refused(status: u16) -> Failure {
    Failure { status: Some(status), ..Failure::configuration("The endpoint refused the key.") }
}

#[test]
fn a_wrong_key_stops_the_run_after_five_refusals() {
    let ports = Simulated::default();
    let (all, stopped, sent) = asked(&ports, 1000, |_, _| Err(refused(401)));
    assert!(stopped.is_some_and(|reason| reason.contains("refused the key")));
    // Ten start together, plus one for each that fails before the fifth.
    assert!(sent <= 14, "{sent} requests went out");
    let failed = all.iter().flatten().filter(|tried| tried.result.is_err()).count();
    assert_eq!(failed, 5, "unsent requests are missing, not failed");
}

#[test]
fn occasional_refusals_do_not_stop_the_run() {
    let ports = Simulated::default();
    let answer = |job: usize, _| if job.is_multiple_of(5) { Ok(()) } else { Err(refused(403)) };
    let (all, stopped, sent) = asked(&ports, 200, answer);
    assert_eq!((all.len(), stopped, sent), (200, None, 200));
}

#[test]
fn a_long_throttle_phase_is_waited_out_without_failures() {
    for retry_after in [None, Some(20), Some(0)] {
        let ports = Simulated::default();
        // The server rejects every request for twenty minutes.
        let answer = |_, now_ms| if now_ms < 1_200_000 { Err(busy(retry_after)) } else { Ok(()) };
        let (all, stopped, sent) = asked(&ports, 50, answer);
        assert_eq!((all.len(), stopped), (50, None));
        assert!(all.iter().all(|asked| asked.as_ref().is_some_and(|asked| asked.result.is_ok())));
        assert!(all.iter().flatten().any(|it| it.attempts > 3 && it.retries.len() <= MOST_TOLD));
        assert!(ports.now_ms() < 1_400_000, "{} ms", ports.now_ms());
        // Ten at a time, at least a second or two apart.
        assert!(sent < 10 * 1200, "{sent} requests went out");
        assert!(!ports.held.borrow().is_empty(), "the wait was not reported");
    }
}

#[test]
fn an_endless_throttle_phase_stops_the_run() {
    let ports = Simulated::default();
    let (all, stopped, _) = asked(&ports, 50, |_, _| Err(busy(Some(60))));
    assert!(stopped.is_some_and(|reason| reason.contains("30 minutes")));
    assert!(all.iter().all(Option::is_none), "unanswered requests are missing, not failed");
    assert!((1_800_000..2_400_000).contains(&ports.now_ms()), "{} ms", ports.now_ms());
}

#[test]
fn an_exhausted_quota_stops_the_run_at_once() {
    let ports = Simulated::default();
    let answer = |job, _| if job < 3 { Ok(()) } else { Err(busy(Some(86_400))) };
    let (all, stopped, sent) = asked(&ports, 50, answer);
    assert!(stopped.is_some_and(|reason| reason.contains("quota")));
    assert_eq!(all.iter().flatten().count(), 3);
    assert!(sent <= 13, "{sent} requests went out");
}

#[test]
fn a_single_request_that_is_always_throttled_fails_alone() {
    let ports = Simulated::default();
    let answer = |job, _| if job == 0 { Err(busy(None)) } else { Ok(()) };
    // Other requests are answered throughout.
    let (all, stopped, _) = asked(&ports, 30_000, answer);
    assert_eq!((all.len(), stopped), (30_000, None));
    let failed: Vec<_> = all.iter().flatten().filter(|tried| tried.result.is_err()).collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0].attempts > 20);
}

fn absent(absence: Absence) -> Failure {
    Failure { absence: Some(absence), ..Failure::infrastructure("Nobody answers.") }
}

/// Counts samples by outcome: answered, failed, not asked to the end.
fn outcomes(all: &[Option<RetryOutcome<()>>]) -> (usize, usize, usize) {
    let count = |is: fn(&Option<RetryOutcome<()>>) -> bool| all.iter().filter(|it| is(it)).count();
    (
        count(|asked| asked.as_ref().is_some_and(|asked| asked.result.is_ok())),
        count(|asked| asked.as_ref().is_some_and(|asked| asked.result.is_err())),
        count(Option::is_none),
    )
}

#[test]
fn a_server_that_is_gone_stops_the_run_after_a_minute_and_uses_up_no_sample() {
    for (concurrency, before) in [(1, 0), (1, 6), (10, 0), (10, 20)] {
        let ports = Simulated::default();
        let pace = RefCell::new(Pace::new(concurrency));
        let (sent, mut all) = (Cell::new(0), Vec::new());
        let work = |_| {
            let (ports, pace, sent) = (&ports, &pace, &sent);
            async move {
                let send = async || {
                    sent.set(sent.get() + 1);
                    ports.sleep(10).await;
                    let is_there = sent.get() <= before;
                    Some(if is_there { Ok(()) } else { Err(absent(Absence::Unreachable)) })
                };
                send_with_retries("a", PATIENCE, pace, ports, send).await
            }
        };
        ports.run(drive(0..366, &pace, || ports.cancelled(), work, |tried| all.push(tried)));
        let (answered, failed, _) = outcomes(&all);
        assert!(pace.borrow().stopped().is_some_and(|it| it.contains("No answer for a minute")));
        assert!(failed <= usize::from(before > 0), "{failed} samples used up");
        assert!(answered.abs_diff(before) <= concurrency, "{answered} of {before}");
        assert!((60_000..90_000).contains(&ports.now_ms()), "{} ms", ports.now_ms());
        // A dozen tries for each request in flight, further and further apart.
        assert!(sent.get() - before < 14 * concurrency, "{} requests went out", sent.get());
        assert!(!ports.held.borrow().is_empty(), "the wait was not reported");
    }
}

#[test]
fn a_server_that_comes_back_answers_everything() {
    for (absence, gone_ms) in
        [(Absence::Unreachable, 40_000), (Absence::NotReady, 40_000), (Absence::Loading, 540_000)]
    {
        let ports = Simulated::default();
        let answer = |_, now_ms| if now_ms < gone_ms { Err(absent(absence)) } else { Ok(()) };
        let (all, stopped, _) = asked(&ports, 50, answer);
        assert_eq!((outcomes(&all), stopped), ((50, 0, 0), None), "{absence:?}");
    }
    let ports = Simulated::default();
    let (_, stopped, _) = asked(&ports, 50, |_, _| Err(absent(Absence::Loading)));
    assert!(stopped.is_some_and(|reason| reason.contains("ten minutes")));
}

#[test]
fn a_server_that_fails_at_every_prompt_stops_the_run_too() {
    let ports = Simulated::default();
    let pace = RefCell::new(Pace::new(1));
    let mut all = Vec::new();
    let work = |_| {
        let (ports, pace) = (&ports, &pace);
        async move {
            let send = async || Some(Err::<(), _>(Failure::infrastructure("HTTP 500")));
            send_with_retries("a", PATIENCE, pace, ports, send).await
        }
    };
    ports.run(drive(0..366, &pace, || ports.cancelled(), work, |tried| all.push(tried)));
    assert!(pace.borrow().stopped().is_some());
    assert!((60_000..120_000).contains(&ports.now_ms()), "{} ms", ports.now_ms());
    assert!(all.len() < 8, "{} samples used up", all.len());
}

#[test]
fn single_prompts_that_crash_a_server_do_not_stop_the_run() {
    let ports = Simulated::default();
    let answer = |job: usize, _| {
        if job.is_multiple_of(7) { Err(absent(Absence::Unreachable)) } else { Ok(()) }
    };
    let (all, stopped, _) = asked(&ports, 70, answer);
    assert_eq!((outcomes(&all), stopped), ((60, 10, 0), None));
}

#[test]
fn an_empty_answer_is_asked_once_more_even_without_retries() {
    let ports = Simulated::default();
    let pace = RefCell::new(Pace::new(1));
    let mut sent = 0;
    let none = RetryPolicy { retries: 0, ..PATIENCE };
    let tried = ports.run(send_with_retries("a", none, &pace, &ports, async || {
        sent += 1;
        Some(if sent == 1 { Err(Failure::empty_answer()) } else { Ok(()) })
    }));
    let tried = tried.expect("not cancelled");
    assert_eq!((tried.attempts, tried.result), (2, Ok(())));
    assert!(tried.retries[0].contains("empty"), "{:?}", tried.retries);
}

#[test]
fn a_clock_set_back_does_not_lengthen_a_wait() {
    let ports = Simulated::default();
    ports.now_ms.set(7_200_000);
    // The clock goes back an hour in the middle of the wait.
    ports.set_back_ms.set(Some((7_210_000, 3_600_000)));
    let answer = |_, now_ms| if now_ms < 7_202_000 { Err(busy(Some(30))) } else { Ok(()) };
    let (all, stopped, _) = asked(&ports, 10, answer);
    assert!(all.iter().flatten().all(|tried| tried.result.is_ok()) && stopped.is_none());
    assert!(ports.now_ms.get() < 7_240_000, "{} ms", ports.now_ms.get());
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let play = || {
        let ports = Simulated::default();
        let server = Server::new(&ports, 3);
        (run(&ports, &server, 20, 60, 5), ports.now_ms())
    };
    assert_eq!(play(), play());
}
