// Starts the worker's WebAssembly. The page runs this file with
//   new Worker(url, { type: "module" })
// where `url` is `worker.url` of the `assets` block in index.html. Messages that reach a worker
// before its handler is set are lost, so the page waits for the first message the worker sends.
// The build replaces the quoted file names below by their hashed names, and `integrity-of:NAME` by
// the digest of that file.
import init from "./worker.js";

const ADDRESS = new URL("./worker_bg.wasm", import.meta.url);
const INTEGRITY = "integrity-of:worker_bg.wasm";
/** What the program asks for as soon as it runs. */
const WANTED = ["./weights.bin", "./vocab.txt", "./vectors.bin"];

/** The digest of bytes in the form of subresource integrity. */
async function digestOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/**
 * The compiled file, its digest checked while it compiles: a request that names the digest would hold
 * all bytes back until the last has come.
 */
async function compiled() {
  const response = await fetch(ADDRESS, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${ADDRESS}: HTTP ${response.status}`);
  const bytes = response.clone().arrayBuffer();
  const [module, digest] = await Promise.all([
    // A server that calls the file something else than WebAssembly has it compiled at its end.
    WebAssembly.compileStreaming(response).catch(async () => WebAssembly.compile(await bytes)),
    bytes.then(digestOf),
  ]);
  if (digest !== INTEGRITY) throw new Error(`${ADDRESS} is not the file that this site was built with`);
  return module;
}

/** A file and its digest. The program compares it, and asks again for a file that did not come. */
async function fetched(address) {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status}`);
  const bytes = await response.arrayBuffer();
  return { bytes, digest: await digestOf(bytes) };
}

// Only pages on https and on this machine may use the browser's digests.
const ownDigests = Boolean(globalThis.crypto?.subtle);
const wasm = ownDigests
  ? compiled()
  : fetch(ADDRESS, { credentials: "same-origin", integrity: INTEGRITY });
// The files come while the program compiles, see `asset` in src/platform/fetch.rs.
globalThis.early = new Map();
for (const name of ownDigests ? WANTED : []) {
  const { href } = new URL(name, import.meta.url);
  const file = fetched(href);
  file.catch(() => {});
  globalThis.early.set(href, file);
}

init({ module_or_path: wasm }).catch((error) => {
  // Rethrown outside the promise: a rejection would not reach the page's `worker.onerror`.
  setTimeout(() => {
    throw error;
  });
});
