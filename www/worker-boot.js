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

/** The compiled file, and whether its bytes are the right ones, which takes longer to tell. */
async function compiled() {
  const response = await fetch(ADDRESS, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${ADDRESS}: HTTP ${response.status}`);
  const bytes = response.clone().arrayBuffer();
  const right = bytes.then(digestOf).then((digest) => {
    if (digest === INTEGRITY) return;
    throw new Error(`${ADDRESS} is not the file that this site was built with`);
  });
  // A server that calls the file something else than WebAssembly has it compiled at its end.
  const compiling = WebAssembly.compileStreaming(response);
  return { right, module: await compiling.catch(async () => WebAssembly.compile(await bytes)) };
}

/** A file and its digest. The program compares it, and asks again for a file that did not come. */
async function fetched(address) {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status}`);
  const bytes = await response.arrayBuffer();
  return { bytes, digest: await digestOf(bytes) };
}

// Rethrown outside the promise: a rejection would not reach the page's `worker.onerror`.
const tell = (error) => setTimeout(() => {
  throw error;
});

// Only pages on https and on this machine may use the browser's digests.
if (globalThis.crypto?.subtle) {
  // The files come while the program compiles, see `asset` in src/platform/fetch.rs. It gets none
  // unless it is the right program.
  const program = compiled();
  const right = program.then((program) => program.right);
  globalThis.early = new Map();
  for (const name of WANTED) {
    const { href } = new URL(name, import.meta.url);
    const file = fetched(href);
    const both = Promise.all([file, right]).then(([file]) => file);
    both.catch(() => {});
    globalThis.early.set(href, both);
  }
  right.catch((error) => {
    tell(error);
    // After the page has heard of it.
    setTimeout(() => close(), 0);
  });
  program.then(({ module }) => init({ module_or_path: module })).catch(tell);
} else {
  const file = fetch(ADDRESS, { credentials: "same-origin", integrity: INTEGRITY });
  init({ module_or_path: file }).catch(tell);
}
