//! The server: one request per connection, over plain TCP.

use std::{
    collections::BTreeMap,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use provider::WireFormat;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::{FaultScript, Trouble, reply};
use crate::{gold::Gold, wire};

/// The delay of a late answer.
const LATE: Duration = Duration::from_millis(1500);
/// Maximum request size, in bytes.
const LONGEST: usize = 1 << 20;

struct Inner {
    gold: Gold,
    script: FaultScript,
    asked: Mutex<BTreeMap<String, u32>>,
}

/// A faulty endpoint that stops when dropped.
pub struct FaultyEndpoint {
    address: SocketAddr,
    inner: Arc<Inner>,
    task: JoinHandle<()>,
}

impl FaultyEndpoint {
    /// Serves on a free port.
    ///
    /// # Errors
    /// When no port is available.
    pub async fn start(gold: Gold, script: FaultScript) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let inner = Arc::new(Inner { gold, script, asked: Mutex::default() });
        let shared = Arc::clone(&inner);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let inner = Arc::clone(&shared);
                // A client that disconnects early is not a server error.
                tokio::spawn(async move { inner.serve(stream).await.ok() });
            }
        });
        Ok(Self { address, inner, task })
    }

    /// The base URL for clients.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The number of requests for a sample.
    #[must_use]
    pub fn asked(&self, sample: &str) -> u32 {
        self.inner.asked().get(sample).copied().unwrap_or_default()
    }
}

impl Drop for FaultyEndpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Inner {
    fn asked(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, u32>> {
        // A count from a poisoned lock is still valid.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let Some((method, body)) = read_request(&mut stream).await? else { return Ok(()) };
        let (bytes, late) = match method.as_str() {
            "OPTIONS" => (reply::preflight(), false),
            "GET" => (reply::models(), false),
            _ => self.answer(&body),
        };
        if late {
            tokio::time::sleep(LATE).await;
        }
        stream.write_all(&bytes).await?;
        stream.shutdown().await
    }

    /// The bytes of an answer, and whether to send them late.
    fn answer(&self, body: &[u8]) -> (Vec<u8>, bool) {
        let question = wire::read(
            WireFormat::ChatCompletions,
            &serde_json::from_slice(body).unwrap_or_default(),
        );
        let sample = self.gold.of_prompt(&question.text, &question.tools);
        let Some(sample) = sample else { return (reply::bytes(None, "Ready."), false) };
        let asked = {
            let mut all = self.asked();
            let count = all.entry(sample.id.clone()).or_default();
            *count += 1;
            *count
        };
        let fault = self.script.get(&sample.id).filter(|fault| fault.lasts || asked == 1);
        let trouble = fault.map(|fault| fault.trouble);
        (reply::bytes(trouble, &sample.answer), trouble == Some(Trouble::Late))
    }
}

/// Method and body of a request; `None` when the client disconnected.
async fn read_request(stream: &mut TcpStream) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        let head_end = bytes.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4);
        if let Some(head_end) = head_end {
            let head = String::from_utf8_lossy(&bytes[..head_end]).to_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
                .unwrap_or(0_usize);
            if bytes.len() >= head_end + length {
                let method = head.split(' ').next().unwrap_or_default().to_uppercase();
                return Ok(Some((method, bytes.split_off(head_end))));
            }
        }
        let read = stream.read(&mut piece).await?;
        if read == 0 || bytes.len() > LONGEST {
            return Ok(None);
        }
        bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
    }
}
