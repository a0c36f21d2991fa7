// Starts the worker's WebAssembly. The page runs this file with
//   new Worker(url, { type: "module" })
// where `url` is `worker.url` of the `assets` block in index.html. Messages that reach a worker
// before its handler is set are lost, so the page waits for the first message the worker sends.
// The build replaces the quoted file names below by their hashed names, and `integrity-of:NAME` by
// the digest of that file.

const ADDRESS = new URL("./worker_bg.wasm", import.meta.url);
const INTEGRITY = "integrity-of:worker_bg.wasm";
/** What the program asks for as soon as it runs. */
const WANTED = ["./model.onnx", "./vocab.txt", "./vectors.bin"];

/** The digest of bytes in the form of subresource integrity. */
async function digestOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/** Refuses bytes that are not the program's. */
async function check(bytes) {
  if ((await digestOf(bytes)) === INTEGRITY) return;
  throw new Error(`${ADDRESS} is not the file that this site was built with`);
}

async function send(address) {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status}`);
  return response;
}

/** The program's module, and whether its bytes are the right ones, which takes longer to tell. */
function load() {
  const response = send(ADDRESS);
  const bytes = response.then((response) => response.clone().arrayBuffer());
  const module = response
    .then((response) => WebAssembly.compileStreaming(response))
    // A server that calls the file something else than WebAssembly has it compiled at its end.
    .catch(async () => WebAssembly.compile(await bytes));
  return { module, right: bytes.then(check) };
}

/** A file, its digest to come. The program compares it, and asks again for a file that did not come. */
async function fetched(address) {
  const bytes = await (await send(address)).arrayBuffer();
  const digest = digestOf(bytes);
  digest.catch(() => {});
  return { bytes, digest };
}

// Rethrown outside the promise: a rejection would not reach the page's `worker.onerror`.
const tell = (error) => setTimeout(() => {
  throw error;
});

/** Runs the program, whose files are on their way before its script is there. */
async function start(program) {
  const { default: init } = await import("./worker.js");
  await init({ module_or_path: await program });
}

// Only pages on https and on this machine may use the browser's digests.
if (globalThis.crypto?.subtle) {
  // The files come while the program compiles, see `made_of` in src/platform/fetch.rs. It gets none
  // unless it is the right program.
  const { module, right } = load();
  globalThis.early = new Map();
  for (const name of WANTED) {
    const { href } = new URL(name, import.meta.url);
    const file = fetched(href);
    const both = Promise.all([file, right]).then(([file]) => file);
    both.catch(() => {});
    globalThis.early.set(href, both);
  }
  Promise.all([right, module, start(module)]).catch(async (error) => {
    // Of a wrong file that it is wrong, and not what came of it.
    tell(await right.then(() => error, (reason) => reason));
    // After the page has heard of it.
    setTimeout(() => close());
  });
} else {
  const file = fetch(ADDRESS, { credentials: "same-origin", integrity: INTEGRITY });
  Promise.all([file, start(file)]).catch(tell);
}
