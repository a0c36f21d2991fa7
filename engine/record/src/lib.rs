//! The run record, a run's only artifact: settings, samples, digest, signatures, and everything
//! computed from them (summaries, metrics, comparisons, exports).
//!
//! Must not run anything: it does not link API Search or the simulated APIs, so that a page can
//! read records without them. `runner` verifies a record by replaying it.
//!
//! Tables, pages and exports are folds over a record. It contains no key. Except for `times`, it is
//! deterministic: the same answers give the same record, which its digest covers.
//! `docs/record-changelog.md` lists the versions.

mod app;
mod baseline;
mod bounds;
mod canonical;
pub mod compare;
pub mod demo;
pub mod disclosure;
mod episode;
pub mod export;
mod file;
mod form;
mod gzip;
#[cfg(feature = "signatures")]
pub mod jws;
pub mod leaderboard;
mod lines;
mod listed;
mod merge;
pub mod metrics;
mod model;
pub mod options;
mod plan;
mod record;
pub mod reference;
mod retriever_setting;
mod run_size;
mod sample_record;
mod search_source;
mod settings;
mod shard;
mod shared_effect;
mod signature;
pub mod table;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod trace;
mod unique;
mod verification;
mod version_1;
mod words;

pub use app::App;
pub use baseline::Baseline;
pub use bounds::Bounds;
pub use canonical::{Digester, canonical};
pub use disclosure::{Disclosure, Unit, Warning};
pub use episode::EpisodeRecord;
pub use file::{Limits, RecordError, Writer};
pub use form::OtherForm;
pub use gzip::{packed, unpacked};
pub use listed::{Setting, differing};
pub use merge::{MergeError, merge};
pub use metrics::{AbilityRow, Forms, Mean, Rate, Summarizer, Summary, summarize};
pub use model::{Agent, Model};
pub use plan::{Subset, order};
pub use record::{Record, RunTimes, SCHEMA, SCHEMA_VERSION, Status};
pub use retriever_setting::{EmbeddingModel, Retriever, retriever_title};
pub use run_size::RunSize;
pub use sample_record::{Gold, Outcome, SampleRecord, Told, Verdicts};
pub use search_source::SearchSource;
pub use settings::{LONGEST_EPISODE, MOST_TRIALS, RunSettings, SettingsError, turn_limit};
pub use shard::{MOST_PARTS, Shard, ShardError, Shards};
pub use shared_effect::share_effect;
pub use signature::{
    CheckedSignature, Fingerprint, LONGEST_NAME, MOST_SIGNATURES, NoFingerprint, Signature,
    SignatureState,
};
pub use trace::{Lost, Trace, trace};
pub use verification::{Difference, Verification};
pub use words::{expected, received};
