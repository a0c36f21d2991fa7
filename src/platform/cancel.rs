//! A switch that stops what waits for it, at once.

use futures::channel::oneshot;
use futures::future::{FutureExt, Shared};
use std::cell::Cell;
use std::rc::Rc;

/// The side that watches. Clones watch the same switch.
#[derive(Clone)]
pub struct Watch {
    flag: Rc<Cell<bool>>,
    signal: Shared<oneshot::Receiver<()>>,
}

/// The side that switches; dropped, it switches as well.
pub struct Switch {
    flag: Rc<Cell<bool>>,
    signal: oneshot::Sender<()>,
}

/// A switch and who watches it.
pub fn pair() -> (Switch, Watch) {
    let (sender, receiver) = oneshot::channel();
    let flag = Rc::new(Cell::new(false));
    (Switch { flag: Rc::clone(&flag), signal: sender }, Watch { flag, signal: receiver.shared() })
}

impl Switch {
    /// Stops everything that watches.
    pub fn stop(self) {
        self.flag.set(true);
        // Nobody left to watch is as good as stopped.
        let _ = self.signal.send(());
    }
}

impl Watch {
    /// Whether the switch was used.
    pub fn stopped(&self) -> bool {
        self.flag.get()
    }

    /// Done when the switch is used.
    pub async fn wait(&self) {
        // An error says that the switch was dropped, which stops too.
        let _ = self.signal.clone().await;
    }
}
