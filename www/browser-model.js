// The browser's own language model (Prompt API), which browsers offer to pages but not to workers:
// the page asks it on behalf of the worker, through a port. Loaded in the page when a model in the
// page is chosen; src/platform/browser_model.rs calls it.

/** The languages of the prompts and answers. */
const OPTIONS = {
  expectedInputs: [{ type: "text", languages: ["en"] }],
  expectedOutputs: [{ type: "text", languages: ["en"] }],
};

/** The open session and port; `null` if the model is not in use. */
let current = null;
/** Ends what is being started. */
let starting = new AbortController();

/** `unavailable`, `downloadable`, `downloading` or `available`. */
export async function availability() {
  const offered = globalThis.LanguageModel?.availability(OPTIONS);
  return (await offered?.catch(() => null)) ?? "unavailable";
}

/** The browser's name and version, because the model has none. */
function version() {
  const brands = navigator.userAgentData?.brands ?? [];
  const real = brands.filter((it) => !/not.?a.?brand/i.test(it.brand));
  const told = real.find((it) => it.brand !== "Chromium") ?? real[0];
  return told ? `${told.brand} ${told.version}` : navigator.userAgent.slice(0, 200);
}

/** The tokens that a session takes; 0 if the browser does not say. */
function context(session) {
  const told = session.contextWindow ?? session.inputQuota;
  return Number.isFinite(told) ? Math.floor(told) : 0;
}

/**
 * Starts the model, which the browser may have to download; `progress` gets the part done, 0 to 1.
 * Returns the worker's end of a port with what is known of the model.
 */
export async function start(progress) {
  stop();
  const { signal } = (starting = new AbortController());
  const monitor = (it) =>
    it.addEventListener("downloadprogress", (event) => {
      if (!signal.aborted) progress(event.loaded);
    });
  const session = await LanguageModel.create({ ...OPTIONS, monitor, signal });
  const { port1, port2 } = new MessageChannel();
  current = { session, port: port1 };
  const running = new Map();
  port1.onmessage = ({ data: { id, messages } }) => {
    if (!messages) return running.get(id)?.abort();
    const stopper = new AbortController();
    running.set(id, stopper);
    const tell = (said) => port1.postMessage({ id, ...said });
    answer(messages, stopper.signal, (piece) => tell({ piece }))
      .then((usage) => tell({ usage }))
      .catch(({ name, message }) => tell({ error: { name, message } }))
      .finally(() => running.delete(id));
  };
  return { port: port2, version: version(), context: context(session) };
}

/** Gives the model up, or the start. */
export function stop() {
  starting.abort();
  current?.port.close();
  // The open session keeps the browser from unloading the model between two requests.
  current?.session.destroy();
  current = null;
}

/** Asks the model in a session of its own; `piece` gets the answer as it is written. */
async function answer(messages, signal, piece) {
  const session = await LanguageModel.create({
    ...OPTIONS,
    initialPrompts: messages.slice(0, -1),
    signal,
  });
  const used = () => session.contextUsage ?? session.inputUsage ?? 0;
  const asked = messages.slice(-1);
  try {
    const measured = session.measureContextUsage ?? session.measureInputUsage;
    const prompt = used() + ((await measured?.call(session, asked, { signal })) ?? 0);
    const reader = session.promptStreaming(asked, { signal }).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      piece(value);
    }
    return { prompt_tokens: Math.round(prompt), completion_tokens: Math.max(0, Math.round(used() - prompt)) };
  } finally {
    session.destroy();
  }
}
