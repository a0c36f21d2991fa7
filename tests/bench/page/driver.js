// Drives the two compared workers. Functions return plain data; times are in milliseconds and end
// when the answer reaches this page.
const site = new URL("../", location.href);
const BROKEN = ["failed", "panicked"];
const workers = {};

/** Normalizes a message: ours are `{event: data}`, theirs have an `event` member. */
function said(message) {
  if (typeof message === "string") return { event: message };
  if (message.event || message.bench) return message;
  const [[event, data]] = Object.entries(message);
  return { event, ...data };
}

/** Resolves with a worker's next message that `wanted` accepts; rejects on a failure event. */
function next(worker, wanted) {
  return new Promise((resolve, reject) => {
    const hear = (message) => {
      const data = said(message.data);
      const broken = BROKEN.includes(data.event);
      if (!broken && !wanted(data)) return;
      worker.removeEventListener("message", hear);
      if (broken) reject(new Error(JSON.stringify(data)));
      else resolve(data);
    };
    worker.addEventListener("message", hear);
    worker.addEventListener("error", (event) => reject(new Error(event.message)), { once: true });
  });
}

let last = 0;

/** Asks our worker; returns its answer. `hear` gets the progress. */
async function ask(request, hear = () => {}) {
  const worker = workers.ours;
  const id = (last += 1);
  const listen = (message) => {
    const data = said(message.data);
    if (data.event === "progress" && data.id === id) hear(JSON.parse(data.progress));
  };
  worker.addEventListener("message", listen);
  worker.postMessage({ id, request });
  const { answer } = await next(worker, (data) => data.event === "answered" && data.id === id);
  worker.removeEventListener("message", listen);
  if (answer.Err) throw new Error(answer.Err);
  return JSON.parse(answer.Ok);
}

async function assets() {
  const text = await (await fetch(new URL("index.html", site))).text();
  const page = new DOMParser().parseFromString(text, "text/html");
  const list = JSON.parse(page.getElementById("assets").textContent);
  for (const file of Object.values(list)) file.url = new URL(file.url, site).href;
  return list;
}

async function startOurs() {
  const { worker, ...load } = await assets();
  const started = performance.now();
  const address = `./ours.js?load=${encodeURIComponent(worker.url)}`;
  workers.ours = new Worker(address, { type: "module" });
  await next(workers.ours, (data) => data.event === "listening");
  let whole = 0;
  await ask({ load: { assets: load, pack: null, tab: "bench" } }, (progress) => {
    if (progress.ready) whole = performance.now() - started;
  });
  const took = performance.now() - started;
  await searchOurs({ suite: "dialogue", text: "alarm clock" });
  const searched = performance.now() - started;
  return { took, searched, whole };
}

async function startTheirs(files) {
  const load = {};
  for (const [name, file] of Object.entries(files)) load[name] = new URL(file, location.href).href;
  const started = performance.now();
  workers.theirs = new Worker("./theirs.js", { type: "module" });
  workers.theirs.postMessage({ load });
  const { session } = await next(workers.theirs, (data) => data.event === "ready");
  return { took: performance.now() - started, session };
}

/** Starts a fresh worker; returns the time until it can search. */
function start(side, files) {
  workers[side]?.terminate();
  return side === "ours" ? startOurs() : startTheirs(files);
}

async function searchOurs({ suite, text }) {
  const started = performance.now();
  await ask({ search: { suite, keywords: text, k: 1 } });
  return performance.now() - started;
}

async function searchTheirs({ tokens }) {
  const started = performance.now();
  workers.theirs.postMessage({ tokens });
  const { vector } = await next(workers.theirs, (data) => data.event === "found");
  return [performance.now() - started, Array.from(vector)];
}

/** One search per phrase and side; the sides take turns in going first. */
async function searches(phrases, both) {
  const pairs = [];
  for (const [at, phrase] of phrases.entries()) {
    const pair = {};
    for (const side of at % 2 ? ["theirs", "ours"] : ["ours", "theirs"]) {
      if (side === "ours") pair.ours = await searchOurs(phrase);
      else if (both) [pair.theirs, pair.vector] = await searchTheirs(phrase);
    }
    pairs.push(pair);
  }
  return pairs;
}

/** Bytes of a worker's WebAssembly memory. */
async function memory(side) {
  workers[side].postMessage({ bench: "memory" });
  return (await next(workers[side], (data) => data.bench === "memory")).bytes;
}

/** Judges every gold call under every profile; returns progress with times, and the end. */
async function audit() {
  const marks = [];
  await ask({ audit_gold: {} }, ({ done }) => marks.push([done, performance.now()]));
  return { marks, ended: performance.now() };
}

/** A complete run: its status, duration and number of samples. */
async function run(settings) {
  let samples = 0;
  let begun = 0;
  let lost = "";
  const asked = performance.now();
  const start_run = { origin: { new: settings }, key: null };
  const { status } = await ask({ start_run }, (progress) => {
    if (progress.not_kept) lost = progress.not_kept.message;
    if (progress.started) begun = performance.now();
    if (progress.sample) samples += 1;
  });
  const ended = performance.now();
  if (lost) throw new Error(lost);
  return { status, samples, from_command: ended - asked, from_start: ended - begun };
}

/** Sends `count` requests without the engine, `flight` at a time; returns the total time. */
async function bare(address, body, count, flight) {
  const headers = { "content-type": "application/json" };
  let left = count;
  const started = performance.now();
  const place = async () => {
    while (left-- > 0) {
      const request = { method: "POST", headers, body, credentials: "omit" };
      const reader = (await fetch(address, request)).body.getReader();
      while (!(await reader.read()).done);
    }
  };
  await Promise.all(Array.from({ length: flight }, place));
  return performance.now() - started;
}

globalThis.bench = { bare, start, searches, memory, audit, run };
