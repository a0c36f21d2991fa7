//! Cancel and pause: a switch that stops every task waiting on it, and a gate that holds tasks.

use futures::channel::oneshot;
use futures::future::{FutureExt, Shared, select};
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;

/// The receiving side. Clones share one switch.
#[derive(Clone)]
pub struct Watch {
    flag: Rc<Cell<bool>>,
    signal: Shared<oneshot::Receiver<()>>,
    gate: Rc<Gate>,
}

/// Closed while the run is paused.
#[derive(Default)]
struct Gate {
    closed: Cell<bool>,
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
}

/// The sending side. Dropping it stops too.
pub struct Switch {
    flag: Rc<Cell<bool>>,
    signal: Option<oneshot::Sender<()>>,
    gate: Rc<Gate>,
}

/// A connected pair.
pub fn pair() -> (Switch, Watch) {
    let (sender, receiver) = oneshot::channel();
    let flag = Rc::new(Cell::new(false));
    let gate = Rc::new(Gate::default());
    (
        Switch { flag: Rc::clone(&flag), signal: Some(sender), gate: Rc::clone(&gate) },
        Watch { flag, signal: receiver.shared(), gate },
    )
}

impl Switch {
    /// Stops every watch.
    pub fn stop(&mut self) {
        self.flag.set(true);
        // The receivers see that the sender is gone.
        self.signal = None;
    }

    /// Closes the gate, or opens it and releases every waiting task.
    pub fn pause(&self, on: bool) {
        self.gate.closed.set(on);
        if !on {
            for waiting in self.gate.waiting.take() {
                // An error means that the task no longer waits.
                let _ = waiting.send(());
            }
        }
    }
}

impl Watch {
    /// Whether it was stopped.
    pub fn stopped(&self) -> bool {
        self.flag.get()
    }

    /// Completes when the gate is open, or on a stop.
    pub async fn resumed(&self) {
        while self.gate.closed.get() && !self.stopped() {
            let (sender, opened) = oneshot::channel();
            self.gate.waiting.borrow_mut().push(sender);
            select(opened, pin!(self.wait())).await;
        }
    }

    /// Completes on a stop.
    pub async fn wait(&self) {
        // An error means that the switch was dropped, which stops too.
        let _ = self.signal.clone().await;
    }
}
