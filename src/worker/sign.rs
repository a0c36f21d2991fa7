//! Signs the last record with this browser's key.

use super::Host;
use crate::messages::request::{SignRecord, SignedRecord};
use crate::platform::runs;
use crate::platform::signing::Signer;
use record::jws;
use record::jws::{SignError, Unsigned};
use record::{Digester, Record, RecordError};
use std::rc::Rc;

impl Host {
    /// Signs the record of the last run; `run` is its id among the stored runs.
    pub(super) async fn sign(&self, request: SignRecord) -> Result<SignedRecord, String> {
        self.check_idle()?;
        let digest = self.signable()?;
        let signer = Signer::open().await?;
        let name = Some(request.name.trim()).filter(|name| !name.is_empty());
        let message = |error: SignError| format!("{error}.");
        let unsigned = Unsigned::new(&digest, &signer.public, name).map_err(message)?;
        let signature = signer.sign(unsigned.bytes()).await?;
        let all = {
            let mut last = self.last.borrow_mut();
            let last = last.as_mut().filter(|last| last.record.digest == digest);
            let last = last.ok_or("Another record was opened meanwhile. Sign that one.")?;
            let record = Rc::make_mut(&mut last.record);
            record.add_signature(unsigned.signed(&signature)).map_err(message)?;
            record.signatures.clone()
        };
        let signatures = all.iter().map(|signature| jws::check(signature, &digest)).collect();
        let not_kept = match request.run {
            Some(run) => runs::sign(&run, &digest, all).await.err(),
            None => None,
        };
        Ok(SignedRecord { signatures, not_kept })
    }

    /// The digest of the last record, if it matches the content: an opened file may have any.
    fn signable(&self) -> Result<String, String> {
        let mut last = self.last.borrow_mut();
        let last = last.as_mut().ok_or("There is no finished run to sign yet.")?;
        let record = Rc::make_mut(&mut last.record);
        match fits(record) {
            _ if record.digest.is_empty() => Err(format!("{}.", SignError::NoDigest)),
            Ok(true) => Ok(record.digest.clone()),
            Ok(false) => Err(format!("{}.", SignError::Changed)),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Whether the record's digest matches its content. Does not copy the samples.
fn fits(record: &mut Record) -> Result<bool, RecordError> {
    let mut digester = Digester::default();
    record.samples.iter().try_for_each(|sample| digester.add(sample))?;
    let samples = std::mem::take(&mut record.samples);
    let digest = digester.finish(record);
    record.samples = samples;
    Ok(digest? == record.digest)
}
