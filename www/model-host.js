// Runs a model in the page: llama.cpp in WebAssembly, by the library wllama. Loaded in the worker
// with the first model; src/platform/in_page.rs calls it. The library computes in a separate worker.
// The build replaces the quoted file names below with their hashed names.

import { Wllama } from "./llama-library.js";

const PROGRAM = new URL("./llama.wasm", import.meta.url).href;
/** Prompt tokens between two looks at a cancelled request: a few seconds without a GPU. */
const BATCH = { gpu: 512, cpu: 128 };
/** What the patched library's worker reports of a request that the engine refuses. */
const REFUSED = "refused";

/** The model to load: files, context, threads, progress; `null` if none is chosen. */
let model = null;
/** The loaded engine; `null` before the first request and after a crash. */
let engine = null;
/** The engine's errors since the last request, because its exceptions don't name the reason. */
let errors = [];
/** Completes when the engine is free: it answers one request at a time. */
let free = Promise.resolve();

const logger = {
  debug() {},
  log() {},
  warn() {},
  error(...said) {
    if (errors.length < 20) errors.push(said.map(String).join(" ").trim());
  },
};

/** The most telling of the engine's errors, or another text. */
function reason(otherwise) {
  const said = errors.filter((text) => text && !text.startsWith("Stack trace") && text !== REFUSED);
  return said[0] ?? otherwise;
}

function hasMemory64() {
  try {
    return Boolean(new WebAssembly.Memory({ address: "i64", initial: 1n }));
  } catch {
    return false;
  }
}

/** Whether a GPU is available that is not simulated by the CPU. */
async function hasGpu() {
  const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
  return Boolean(adapter) && !(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter);
}

/** Counts the bytes that the engine reads. */
function counted(files, progress) {
  const ends = files.map(() => 0);
  return files.map((file, at) => {
    const own = file.slice(0, file.size);
    own.slice = (from, to) => {
      ends[at] = Math.max(ends[at], Math.min(to, file.size));
      progress(ends.reduce((sum, end) => sum + end, 0));
      return file.slice(from, to);
    };
    // The library puts parts in order by their names.
    own.name = file.name;
    return own;
  });
}

async function start() {
  const { files, context, threads, gpu, progress } = model;
  errors = [];
  engine = new Wllama({ default: PROGRAM }, { logger });
  // The compatibility build comes from another host.
  engine.setCompat(null);
  const kind = gpu ? "gpu" : "cpu";
  try {
    await engine.loadModel(counted(files, progress), {
      n_ctx: context,
      n_parallel: 1,
      n_threads: threads,
      n_batch: BATCH[kind],
      n_ubatch: BATCH[kind],
      // Without it, models with a sliding window read every prompt from its beginning.
      swa_full: true,
      ...(gpu ? {} : { n_gpu_layers: 0 }),
    });
    if (!engine.getLoadedContextInfo().success) throw new Error("the engine rejects it");
  } catch (error) {
    const told = reason(error?.message ?? String(error));
    stop();
    throw new Error(told);
  }
}

function stop() {
  const old = engine;
  engine = null;
  // Ends the engine's worker, even in the middle of a request.
  old?.exit().catch(() => {});
}

/** Runs `work` when the engine is free. */
function next(work) {
  const done = free.then(work);
  free = done.catch(() => {});
  return done;
}

/**
 * Loads a model instead of the present one; returns the backend and the number of threads, which is 1
 * where the page has no others.
 */
export function load(files, context, threads, progress) {
  stop();
  return next(async () => {
    if (!hasMemory64()) {
      throw new Error(
        "this browser lacks 64-bit WebAssembly memory; use a current Chrome, Edge or Firefox",
      );
    }
    model = { files, context, threads, gpu: await hasGpu(), progress };
    try {
      await start();
    } catch (error) {
      model = null;
      throw error;
    }
    const used = engine.getNumThreads();
    const backend = model.gpu ? "webgpu" : used > 1 ? "threads" : "single-thread";
    return { backend, threads: used };
  });
}

/** Forgets the model and frees its memory. */
export function unload() {
  model = null;
  stop();
}

/** An error as servers answer it. */
const failed = (status, type, message) => ({
  status,
  body: JSON.stringify({ error: { code: status, type, message } }),
});

function failure(error) {
  const message = reason(error?.message ?? String(error));
  if (error?.type === "inference_error" || error?.message === REFUSED) {
    const text = error.message === REFUSED ? message : error.message;
    const tooLong = /context/.test(text) && /exceed/.test(text);
    return failed(400, tooLong ? "exceed_context_size_error" : "invalid_request_error", text);
  }
  // The engine crashed: the next request starts it again.
  stop();
  return failed(500, "server_error", `the engine in the page stopped: ${message}`);
}

/**
 * Answers a request in OpenAI's format: `head` gets the status code, `piece` the body as text.
 * Aborting `signal` stops the engine at its next token.
 */
export function answer(isChat, body, signal, head, piece) {
  return next(async () => {
    if (signal.aborted) return;
    if (!model) {
      const { status, body } = failed(404, "not_found_error", "no model is loaded in the page");
      head(status);
      return piece(body);
    }
    let began = false;
    const begin = () => {
      if (!began) head(200);
      began = true;
    };
    const tell = (text) => {
      // After a cancel, nobody listens.
      if (signal.aborted) return;
      begin();
      piece(text);
    };
    try {
      if (!engine) await start();
      errors = [];
      const request = { ...JSON.parse(body), abortSignal: signal };
      const onData = (chunk) => tell(`data: ${JSON.stringify(chunk)}\n\n`);
      const asked = request.stream ? { ...request, onData } : request;
      const whole = isChat
        ? await engine.createChatCompletion(asked)
        : await engine.createCompletion(asked);
      tell(request.stream ? "data: [DONE]\n\n" : JSON.stringify(whole));
    } catch (error) {
      if (signal.aborted) return;
      const { status, body } = failure(error);
      if (began) throw error;
      head(status);
      piece(body);
    }
  });
}
