//! A switch that stops what waits for it, at once, and a gate that holds it for a while.

use futures::channel::oneshot;
use futures::future::{FutureExt, Shared, select};
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;

/// The side that watches. Clones watch the same switch.
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

/// The side that switches; dropped, it switches as well.
pub struct Switch {
    flag: Rc<Cell<bool>>,
    signal: oneshot::Sender<()>,
    gate: Rc<Gate>,
}

/// A switch and who watches it.
pub fn pair() -> (Switch, Watch) {
    let (sender, receiver) = oneshot::channel();
    let flag = Rc::new(Cell::new(false));
    let gate = Rc::new(Gate::default());
    (
        Switch { flag: Rc::clone(&flag), signal: sender, gate: Rc::clone(&gate) },
        Watch { flag, signal: receiver.shared(), gate },
    )
}

impl Switch {
    /// Stops everything that watches.
    pub fn stop(self) {
        self.flag.set(true);
        // Nobody left to watch is as good as stopped.
        let _ = self.signal.send(());
    }

    /// Holds whatever comes to the gate from now on, or lets all of it go on.
    pub fn pause(&self, on: bool) {
        self.gate.closed.set(on);
        if !on {
            for waiting in self.gate.waiting.take() {
                // Who no longer waits need not be told.
                let _ = waiting.send(());
            }
        }
    }
}

impl Watch {
    /// Whether the switch was used.
    pub fn stopped(&self) -> bool {
        self.flag.get()
    }

    /// Done when the gate is open, or the switch is used.
    pub async fn resumed(&self) {
        while self.gate.closed.get() && !self.stopped() {
            let (sender, opened) = oneshot::channel();
            self.gate.waiting.borrow_mut().push(sender);
            select(opened, pin!(self.wait())).await;
        }
    }

    /// Done when the switch is used.
    pub async fn wait(&self) {
        // An error says that the switch was dropped, which stops too.
        let _ = self.signal.clone().await;
    }
}
