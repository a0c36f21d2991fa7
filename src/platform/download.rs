//! Downloads data from an address, with a size limit and cancel.

use gloo_net::http::RequestBuilder;
use std::future::Future;
use std::pin::pin;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials};

use futures::future::{Either, select};

/// Downloads an address; `None` when cancelled.
///
/// # Errors
/// A message for the user, with the remedy.
pub async fn load(
    url: &str,
    most: u64,
    stop: impl Future<Output = ()>,
    mut came: impl FnMut(u64),
) -> Option<Result<Vec<u8>, String>> {
    let controller = AbortController::new().ok();
    let signal = controller.as_ref().map(AbortController::signal);
    let work = async {
        let response = RequestBuilder::new(url)
            .credentials(RequestCredentials::Omit)
            .referrer_policy(ReferrerPolicy::NoReferrer)
            .abort_signal(signal.as_ref())
            .send()
            .await
            .map_err(|_| unreachable(url))?;
        if !response.ok() {
            return Err(format!(
                "{url} answers HTTP {}. Check the address, or download the file and drop it here.",
                response.status()
            ));
        }
        let Some(body) = response.body() else { return Ok(Vec::new()) };
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        let mut bytes = Vec::new();
        while let Some(chunk) = next(&reader).await.map_err(|_| unreachable(url))? {
            bytes.extend_from_slice(&chunk);
            came(bytes.len() as u64);
            if bytes.len() as u64 > most {
                return Err(format!("{url} is larger than {} MB.", most >> 20));
            }
        }
        Ok(bytes)
    };
    let done = match select(pin!(work), pin!(stop)).await {
        Either::Left((Ok(bytes), _)) => return Some(Ok(bytes)),
        Either::Left((Err(message), _)) => Some(Err(message)),
        Either::Right(_) => None,
    };
    if let Some(controller) = controller {
        controller.abort();
    }
    done
}

async fn next(reader: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, JsValue> {
    let step = JsFuture::from(reader.read()).await?;
    if js_sys::Reflect::get(&step, &"done".into())?.is_truthy() {
        return Ok(None);
    }
    let chunk: js_sys::Uint8Array = js_sys::Reflect::get(&step, &"value".into())?.dyn_into()?;
    Ok(Some(chunk.to_vec()))
}

/// Browsers hide from scripts why a request failed; missing CORS headers are the usual reason.
fn unreachable(url: &str) -> String {
    format!(
        "{url} cannot be read from a page. Most often its server does not permit other sites \
         (CORS); else the address is wrong or the connection is down. Download it in a tab of its \
         own and drop the file here."
    )
}
