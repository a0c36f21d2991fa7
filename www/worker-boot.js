// Starts the worker's WebAssembly. The page runs this file with
//   new Worker(url, { type: "module" })
// where `url` is `worker.url` of the `assets` block in index.html. Messages that reach a worker
// before its handler is set are lost, so the page waits for the first message the worker sends.
// The build replaces the quoted file names below with their hashed names, and `integrity-of:NAME`
// with the digest of that file.

const ADDRESS = new URL("./worker_bg.wasm", import.meta.url);
const INTEGRITY = "integrity-of:worker_bg.wasm";
/** The files that the program requests at its start. */
const WANTED = ["./model.onnx", "./vocab.txt", "./vectors.bin"];

/** The engine of a model in the page, loaded with the first model; see src/platform/in_page.rs. */
globalThis.modelHost = () => import("./model-host.js");

/** The browser's own model, asked through the page; see src/platform/in_page.rs. */
globalThis.browserModelClient = () => import("./browser-model-client.js");

/** Models that this browser keeps, loaded when they are listed; see src/platform/kept_models.rs. */
globalThis.keptModels = () => import("./kept-models.js");

/** The training set's tools, fetched when asked for; see src/worker/search_lab.rs. */
globalThis.trainingTools = {
  url: new URL("./training-tools.json", import.meta.url).href,
  integrity: "integrity-of:training-tools.json",
};

/** The SHA-256 of bytes in the format of subresource integrity. */
async function digestOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

/** Rejects bytes that are not the program's. */
async function check(bytes) {
  if ((await digestOf(bytes)) === INTEGRITY) return;
  throw new Error(`${ADDRESS} is not the file that this site was built with`);
}

async function send(address) {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status}`);
  return response;
}

/** The compiled program, and the check of its bytes, which takes longer. */
function load() {
  const response = send(ADDRESS);
  const bytes = response.then((response) => response.clone().arrayBuffer());
  const module = response
    .then((response) => WebAssembly.compileStreaming(response))
    // With another content type, compile after the download.
    .catch(async () => WebAssembly.compile(await bytes));
  return { module, right: bytes.then(check) };
}

/** A file with the promise of its digest, which the program checks. It retries failed requests. */
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

/** Runs the program, which downloads while its script loads. */
async function start(program) {
  const { default: init } = await import("./worker.js");
  await init({ module_or_path: await program });
}

// Browsers offer `crypto.subtle` only on https and on this machine.
if (globalThis.crypto?.subtle) {
  // Download the files while the program compiles, see `load_parsed` in src/platform/fetch.rs. Only a
  // program with the right digest gets them.
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
    // Report a wrong digest rather than its consequences.
    tell(await right.then(() => error, (reason) => reason));
    // Close after the error has reached the page.
    setTimeout(() => close());
  });
} else {
  const file = fetch(ADDRESS, { credentials: "same-origin", integrity: INTEGRITY });
  Promise.all([file, start(file)]).catch(tell);
}
