//! Makes the files that the page saves.

use super::archive::record_file;
use super::{Host, generate, runs, verify};
use crate::messages::{MadeFile, MakeFile};
use crate::platform::runs as stored;
use record::Record;
use std::rc::Rc;

impl Host {
    /// Makes a file.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn make_file(&self, request: MakeFile) -> Result<MadeFile, String> {
        match request {
            MakeFile::LastRun => record_file(&*self.last_record()?),
            MakeFile::Result => verify::result_file(&*self.last_record()?),
            MakeFile::Export(format) => verify::exported(&*self.last_record()?, format),
            MakeFile::StoredRun(id) => record_file(&stored::whole(&id).await?),
            MakeFile::StoredRuns => runs::all_runs().await,
            MakeFile::Compared => self.compared_records(),
            MakeFile::OwnTools => self.own_tools_file().await,
            MakeFile::Generation(file) => generate::generated_file(file).await,
        }
    }

    fn last_record(&self) -> Result<Rc<Record>, String> {
        let record = self.last.borrow().as_ref().map(|last| Rc::clone(&last.record));
        record.ok_or_else(|| "There is no finished run to save yet.".to_owned())
    }
}
