//! Downloads data from an address, with a size limit and cancel.

use gloo_net::http::RequestBuilder;
use js_sys::{Array, Uint8Array};
use std::future::Future;
use std::pin::pin;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Blob, File, ReadableStreamDefaultReader, ReferrerPolicy, RequestCredentials,
};

use futures::future::{Either, select};

/// Bytes that are collected before the browser may move them out of memory.
const PART: u32 = 64 << 20;

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
    let mut bytes = Vec::new();
    let take = |chunk: Uint8Array, _| {
        bytes.extend_from_slice(&chunk.to_vec());
        came(bytes.len() as u64);
        Ok(())
    };
    let done = stream(url, most, stop, take).await;
    done.map(|done| done.map(|()| bytes))
}

/// Downloads an address as a file, which need not fit into this program's memory; `None` when
/// cancelled. `came` gets the bytes so far and, if the server says it, how many there are.
///
/// # Errors
/// A message for the user, with the remedy.
pub async fn file(
    url: &str,
    name: &str,
    most: u64,
    stop: impl Future<Output = ()>,
    mut came: impl FnMut(u64, Option<u64>),
) -> Option<Result<File, String>> {
    let (parts, pending) = (Array::new(), Array::new());
    let (mut waiting, mut bytes) = (0, 0);
    let full = |_: JsValue| {
        format!(
            "{url} doesn't fit into this browser's storage. Download the file and drop it here."
        )
    };
    let take = |chunk: Uint8Array, all| {
        waiting += chunk.length();
        bytes += u64::from(chunk.length());
        pending.push(&chunk);
        if waiting >= PART {
            parts.push(Blob::new_with_u8_array_sequence(&pending).map_err(full)?.as_ref());
            pending.set_length(0);
            waiting = 0;
        }
        came(bytes, all);
        Ok(())
    };
    let done = stream(url, most, stop, take).await?;
    Some(done.and_then(|()| {
        parts.push(Blob::new_with_u8_array_sequence(&pending).map_err(full)?.as_ref());
        File::new_with_blob_sequence(&parts, name).map_err(full)
    }))
}

/// Passes an address's content on in chunks, each with the size of the whole if the server says it.
async fn stream(
    url: &str,
    most: u64,
    stop: impl Future<Output = ()>,
    mut take: impl FnMut(Uint8Array, Option<u64>) -> Result<(), String>,
) -> Option<Result<(), String>> {
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
        let all = response.headers().get("content-length").and_then(|it| it.parse().ok());
        let Some(body) = response.body() else { return Ok(()) };
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        let mut bytes = 0;
        while let Some(chunk) = next(&reader).await.map_err(|_| unreachable(url))? {
            bytes += u64::from(chunk.length());
            if bytes > most {
                return Err(format!("{url} is larger than {} MB.", most >> 20));
            }
            take(chunk, all)?;
        }
        Ok(())
    };
    let done = match select(pin!(work), pin!(stop)).await {
        Either::Left((Ok(()), _)) => return Some(Ok(())),
        Either::Left((Err(message), _)) => Some(Err(message)),
        Either::Right(_) => None,
    };
    if let Some(controller) = controller {
        controller.abort();
    }
    done
}

async fn next(reader: &ReadableStreamDefaultReader) -> Result<Option<Uint8Array>, JsValue> {
    let step = JsFuture::from(reader.read()).await?;
    if js_sys::Reflect::get(&step, &"done".into())?.is_truthy() {
        return Ok(None);
    }
    Ok(Some(js_sys::Reflect::get(&step, &"value".into())?.dyn_into()?))
}

/// Browsers hide from scripts why a request failed; missing CORS headers are the usual reason.
fn unreachable(url: &str) -> String {
    format!(
        "{url} cannot be read from a page. Most often its server does not permit other sites \
         (CORS); else the address is wrong or the connection is down. Download it in a tab of its \
         own and drop the file here."
    )
}
