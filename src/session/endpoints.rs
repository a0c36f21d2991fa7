//! State of the Endpoints page: the endpoints to compare, and the comparison.

use super::forecast::Prices as TypedPrices;
use super::form::Form;
use super::{Choice, field::Problem};
use crate::messages::endpoints::{ComparedEndpoints, EndpointsProgress, PlannedRun};
use crate::t;
use crate::texts::Texts;
use provider::{ApiKey, Endpoint};
use record::compare::EndpointReport;
use record::metrics::Prices;
use record::{Model, RunSettings};

/// The maximum number of endpoints.
pub const MOST: usize = 6;

/// An endpoint of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Its name in the tables.
    pub name: String,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// Prices, if typed.
    pub prices: Option<Prices>,
    /// The request timeouts.
    pub timeouts: provider::Timeouts,
}

/// The phase of the comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ComparisonPhase {
    /// None yet.
    #[default]
    Idle,
    /// In progress.
    Running,
    /// Ended; the user may have cancelled it.
    Ended {
        /// Whether the user cancelled.
        cancelled: bool,
    },
}

/// The endpoints and their comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Endpoints {
    /// The endpoints; the first is the reference.
    pub entries: Vec<Compared>,
    /// The phase of the comparison.
    pub phase: ComparisonPhase,
    /// Names of the runs: the reference, the reference again, the others.
    pub titles: Vec<String>,
    /// Samples of each run; 0 until they are known.
    pub planned: usize,
    /// Samples done by each run, and how many of them have no answer.
    pub done: Vec<(usize, usize)>,
    /// Why endpoints stopped their runs.
    pub stopped: Vec<String>,
    /// Why the comparison could not start.
    pub message: Option<String>,
    /// The result.
    pub report: Option<EndpointReport>,
}

impl Endpoints {
    /// Adds the form's endpoint.
    ///
    /// # Errors
    /// Every invalid field, or why it can't be added.
    pub fn add(&mut self, form: &Form, origin: &str, texts: Texts) -> Result<(), Vec<String>> {
        if self.entries.len() >= MOST {
            let message =
                t!(texts, "At most {n} endpoints can be compared. Remove one first.", n = MOST);
            return Err(vec![message]);
        }
        let form = Form { choice: Choice::Endpoint, ..form.clone() };
        let settings = form.settings(origin, texts).map_err(messages)?;
        let Model::Endpoint(endpoint) = settings.model else { return Ok(()) };
        let name = self.free_name(&endpoint);
        let prices = prices(&form.prices, texts);
        self.entries.push(Compared { name, endpoint, prices, timeouts: settings.timeouts });
        Ok(())
    }

    /// A name that no other endpoint has: the model at its host, numbered if need be.
    fn free_name(&self, endpoint: &Endpoint) -> String {
        let host = endpoint.origin().map(|origin| origin.authority()).unwrap_or_default();
        let name = format!("{} @ {host}", endpoint.model);
        let taken = |name: &str| self.entries.iter().any(|entry| entry.name == name);
        let numbered = (2..).map(|number| format!("{name} {number}"));
        std::iter::once(name.clone()).chain(numbered).find(|it| !taken(it)).unwrap_or_default()
    }

    /// Removes an endpoint.
    pub fn remove(&mut self, index: usize) {
        if index < self.entries.len() {
            self.entries.remove(index);
        }
    }

    /// Makes an endpoint the reference.
    pub fn make_reference(&mut self, index: usize) {
        if index < self.entries.len() {
            let entry = self.entries.remove(index);
            self.entries.insert(0, entry);
        }
    }

    /// Whether a comparison is in progress.
    pub fn is_running(&self) -> bool {
        self.phase == ComparisonPhase::Running
    }

    /// Starts a comparison: the reference twice, then the others. The form gives everything but the
    /// endpoints.
    ///
    /// # Errors
    /// Every invalid field, or why there is nothing to compare.
    pub fn start(
        &mut self,
        form: &Form,
        origin: &str,
        key_for: impl Fn(&Endpoint) -> Option<ApiKey>,
        texts: Texts,
    ) -> Result<Vec<PlannedRun>, Vec<String>> {
        if self.entries.len() < 2 {
            return Err(vec![t!(texts, "Add at least two endpoints.").to_owned()]);
        }
        // Everything but the model is valid without an endpoint.
        let shared = Form { choice: Choice::GoldReplay, ..form.clone() };
        let shared = shared.settings(origin, texts).map_err(messages)?;
        let again = self.entries.first().map(|it| (it, t!(texts, "{name} again", name = it.name)));
        let mut runs: Vec<(&Compared, String)> =
            self.entries.iter().map(|entry| (entry, entry.name.clone())).collect();
        runs.splice(1..1, again);
        let planned: Vec<PlannedRun> = runs
            .into_iter()
            .map(|(it, title)| {
                let settings = RunSettings {
                    model: Model::Endpoint(it.endpoint.clone()),
                    timeouts: it.timeouts,
                    concurrency: 1,
                    ..shared.clone()
                };
                let key = key_for(&it.endpoint);
                PlannedRun { title, settings: Box::new(settings), key, prices: it.prices }
            })
            .collect();
        *self = Endpoints {
            entries: std::mem::take(&mut self.entries),
            phase: ComparisonPhase::Running,
            titles: planned.iter().map(|run| run.title.clone()).collect(),
            done: vec![(0, 0); planned.len()],
            ..Endpoints::default()
        };
        Ok(planned)
    }

    /// Applies the worker's progress.
    pub fn fold(&mut self, event: EndpointsProgress) {
        match event {
            EndpointsProgress::Started { planned } => self.planned = planned,
            EndpointsProgress::Sample { run, answered } => {
                if let Some((done, failed)) = self.done.get_mut(run) {
                    *done += 1;
                    *failed += usize::from(!answered);
                }
            }
            EndpointsProgress::Stopped { run, reason } => {
                let title = self.titles.get(run).map_or("", String::as_str);
                self.stopped.push(format!("{title}: {reason}"));
            }
        }
    }

    /// Takes the comparison, or why there is none.
    pub fn end(&mut self, compared: Result<ComparedEndpoints, String>) {
        let cancelled = match compared {
            Ok(ComparedEndpoints { report, cancelled }) => {
                self.report = Some(*report);
                cancelled
            }
            Err(message) => {
                self.message = Some(message);
                false
            }
        };
        self.phase = ComparisonPhase::Ended { cancelled };
    }
}

fn messages(problems: Vec<Problem>) -> Vec<String> {
    problems.into_iter().map(|problem| problem.message).collect()
}

fn prices(typed: &TypedPrices, texts: Texts) -> Option<Prices> {
    let (prompt, completion) = typed.read(&mut Vec::new(), texts)?;
    Some(Prices { prompt, completion })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::options::SEED;

    fn form(address: &str) -> Form {
        Form {
            choice: Choice::Endpoint,
            model: "m".to_owned(),
            address: address.to_owned(),
            ..Form::default()
        }
    }

    fn two() -> Endpoints {
        let mut endpoints = Endpoints::default();
        for address in ["http://localhost:1/v1", "http://localhost:2/v1"] {
            endpoints.add(&form(address), "http://localhost", Texts::ENGLISH).unwrap();
        }
        endpoints
    }

    #[test]
    fn the_reference_runs_twice_and_everything_else_is_shared() {
        let mut endpoints = two();
        endpoints.make_reference(1);
        let mut form = Form::default();
        form.type_option(&SEED, "9");
        let planned =
            endpoints.start(&form, "http://localhost", |_| None, Texts::ENGLISH).ok().unwrap();
        let titles: Vec<&str> = planned.iter().map(|run| run.title.as_str()).collect();
        assert_eq!(titles, ["m @ localhost:2", "m @ localhost:2 again", "m @ localhost:1"]);
        assert!(planned.iter().all(|run| run.settings.seed == 9 && run.settings.concurrency == 1));
        assert!(endpoints.is_running() && endpoints.done.len() == 3);
    }

    #[test]
    fn problems_are_told_and_change_nothing() {
        let mut endpoints = Endpoints::default();
        let wrong = form("nowhere");
        let problems = endpoints.add(&wrong, "http://localhost", Texts::ENGLISH).unwrap_err();
        assert!(problems[0].contains("Address"), "{problems:?}");
        let start = |it: &mut Endpoints| {
            it.start(&Form::default(), "http://localhost", |_| None, Texts::ENGLISH).err().unwrap()
        };
        assert!(start(&mut endpoints)[0].contains("two"));
        let mut full = two();
        for _ in 2..MOST {
            full.add(&form("http://localhost:1/v1"), "http://localhost", Texts::ENGLISH).unwrap();
        }
        assert_eq!(full.entries[2].name, "m @ localhost:1 2");
        let more = full.add(&form("http://localhost:9/v1"), "http://localhost", Texts::ENGLISH);
        assert!(more.unwrap_err()[0].contains("Remove one"));
    }

    #[test]
    fn events_count_samples_and_end_the_comparison() {
        let mut endpoints = two();
        assert!(endpoints.start(&Form::default(), "", |_| None, Texts::ENGLISH).is_ok());
        endpoints.fold(EndpointsProgress::Started { planned: 4 });
        endpoints.fold(EndpointsProgress::Sample { run: 2, answered: true });
        endpoints.fold(EndpointsProgress::Sample { run: 2, answered: false });
        assert_eq!((endpoints.planned, endpoints.done[2]), (4, (2, 1)));
        endpoints.end(Err("no".to_owned()));
        assert_eq!(endpoints.phase, ComparisonPhase::Ended { cancelled: false });
        assert_eq!(endpoints.entries.len(), 2, "the endpoints stay");
    }
}
