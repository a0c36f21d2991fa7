//! A call in another form than the protocol's.

use crate::Verdicts;
use exchange::call::Form;
use serde::{Deserialize, Serialize};

/// A call in another form than the protocol's. It is wrong, whatever it calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OtherForm {
    /// The form.
    pub form: Form,
    /// The verdicts if forms were forgiven; absent if the call can't be read, or where no call is
    /// right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgiven: Option<Verdicts>,
}
