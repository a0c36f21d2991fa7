//! Effects of calls: what they return and change.

use crate::api::{Api, ApiResult};
use crate::arguments::Arguments;
use crate::store::{Change, World};
use serde::{Deserialize, Serialize};

/// A call's result and changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Effect {
    /// Its result.
    pub result: ApiResult,
    /// Its changes to the databases.
    pub changes: Vec<Change>,
}

/// Runs a call on a copy of the world.
pub fn effect(api: &Api, raw: &Arguments, world: &World) -> Effect {
    let mut copy = world.clone();
    let result = api.call(raw, &mut copy);
    Effect { result, changes: copy.changes_since(world) }
}
