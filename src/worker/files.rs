//! Makes the files that the page saves.

use super::archive::record_file;
use super::{Host, generate, runs, verify};
use crate::messages::{FileContent, MadeFile};
use crate::platform::runs as stored;
use record::Record;
use std::rc::Rc;

impl Host {
    /// Makes a file.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn make_file(&self, content: FileContent) -> Result<MadeFile, String> {
        match content {
            FileContent::LastRun => record_file(&*self.last_record()?),
            FileContent::Result => verify::result_file(&*self.last_record()?),
            FileContent::Export(format) => verify::exported(&*self.last_record()?, format),
            FileContent::StoredRun(id) => record_file(&stored::whole(&id).await?),
            FileContent::StoredRuns => runs::all_runs().await,
            FileContent::Compared => self.compared_records(),
            FileContent::Generation(file) => generate::generated_file(file).await,
        }
    }

    fn last_record(&self) -> Result<Rc<Record>, String> {
        let record = self.last.borrow().as_ref().map(|last| Rc::clone(&last.record));
        record.ok_or_else(|| "There is no finished run to save yet.".to_owned())
    }
}
