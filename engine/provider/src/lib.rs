//! Endpoints: one file per wire format with pure encoding and decoding, and the pace of requests.
//!
//! Must not know samples, verdicts or records. The platform sends requests through [`Ports`].
//!
//! | file | contents |
//! |---|---|
//! | `endpoint` | an endpoint's settings |
//! | `http` | requests and responses |
//! | `failure`, `transport_error`, `timeouts` | why there is no answer, or no response |
//! | `extra` | extra members of the body, and which are refused |
//! | `request` | builds requests, for an [`Ask`](exchange::protocol::Ask) or the list of models |
//! | `in_page` | a model that runs in the page |
//! | `wire` | the wire formats: how each encodes requests and decodes answers |
//! | `origin` | the scheme, host and port of an address |
//! | `key` | API keys, each sent only to its own origin |
//! | `preset` | known servers, local and hosted |
//! | `fault` | tells errors from answers, in bodies and in events |
//! | `fold` | system messages and tool results as turns of the user |
//! | `lenient` | JSON as endpoints really send it |
//! | `limits` | the limit that a refused request exceeds |
//! | `error_response` | interprets error responses, finds the refused parameter |
//! | `stream` | decodes a byte stream into events |
//! | `retry_after_header` | parses `Retry-After` |
//! | `receive` | decodes the bytes of a response into an answer |
//! | `diagnosis` | why an endpoint does not answer, and the fix |
//! | `preflight` | checks before a run |
//! | `client` | sends one request through the ports and drops refused parameters |
//! | `content` | what wire formats share: members, text, arguments, token counts |
//! | `ports` | the interface to the platform |
//! | `drive`, `pace` | requests in flight, adaptive concurrency |
//! | `retry`, `breaker` | retries with backoff, the circuit breaker |

mod breaker;
mod client;
mod content;
pub mod diagnosis;
mod drive;
mod endpoint;
mod error_response;
pub mod extra;
mod failure;
mod fault;
mod fold;
mod http;
mod in_page;
pub mod key;
mod lenient;
mod limits;
mod origin;
mod pace;
mod ports;
pub mod preflight;
mod preset;
mod punycode;
mod receive;
mod request;
mod retry;
mod retry_after_header;
mod stream;
mod timeouts;
mod transport_error;
mod wire;

pub use client::{Client, Reply};
pub use drive::drive;
pub use endpoint::{Endpoint, ToolChoice};
pub use failure::{Absence, Failure, FailureClass};
pub use http::{HttpHead, HttpRequest, HttpResponse, Sink};
pub use in_page::{
    BROWSER_MODEL_ADDRESS, Backend, IN_PAGE_ADDRESS, InPageModel, is_browser_model, is_in_page,
};
pub use key::{ApiKey, KeyError, KeyRing};
pub use origin::{AddressError, Origin, Reach};
pub use pace::{Pace, jitter, pause_ms};
pub use ports::Ports;
pub use preset::{KeyNeed, PRESETS, Preset, PresetFacts, Quirks};
pub use receive::{Collected, MAX_BODY, REST_MS, REST_PIECES, Receiver};
pub use request::{ModelFacts, Prepared, decode_models};
pub use retry::{RetryOutcome, RetryPolicy, ask_with_retries, send_with_retries};
pub use timeouts::Timeouts;
pub use transport_error::TransportError;
pub use wire::{WireFormat, completions_prompt};
