// Starts the worker's WebAssembly. The page runs this file with
//   new Worker(url, { type: "module" })
// where `url` is `worker.url` of the `assets` block in index.html. Messages that reach a worker
// before its handler is set are lost, so the page waits for the first message the worker sends.
// The build replaces the quoted file names below by their hashed names, and `integrity-of:NAME` by
// the digest of that file.
import init from "./worker.js";

const wasm = fetch(new URL("./worker_bg.wasm", import.meta.url), {
  credentials: "same-origin",
  integrity: "integrity-of:worker_bg.wasm",
});

init({ module_or_path: wasm }).catch((error) => {
  // Rethrown outside the promise: a rejection would not reach the page's `worker.onerror`.
  setTimeout(() => {
    throw error;
  });
});
