// onnxruntime-web with the published model: one thread, weights in the Cache API.
import "./memory.js";

const CACHE = "bench";
/** Rank of the model's pooled output, one vector per text. */
const POOLED = 2;
let runtime;
let session;

async function weights(url) {
  const cache = await caches.open(CACHE);
  if (!(await cache.match(url))) await cache.add(url);
  return new Uint8Array(await (await cache.match(url)).arrayBuffer());
}

async function load({ script, module, wasm, model }) {
  runtime = await import(script);
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.wasmPaths = { mjs: module, wasm };
  const executionProviders = ["wasm"];
  const bytes = await weights(model);
  const started = performance.now();
  session = await runtime.InferenceSession.create(bytes, { executionProviders });
  return performance.now() - started;
}

async function embed(tokens) {
  const shape = [1, tokens.length];
  const tensor = (numbers) => new runtime.Tensor("int64", BigInt64Array.from(numbers, BigInt), shape);
  const outputs = await session.run({
    input_ids: tensor(tokens),
    attention_mask: tensor(tokens.map(() => 1)),
  });
  return Object.values(outputs).find((output) => output.dims.length === POOLED).data;
}

addEventListener("message", async ({ data }) => {
  try {
    if (data.load) {
      postMessage({ event: "ready", session: await load(data.load) });
    } else if (data.tokens) {
      postMessage({ event: "found", vector: await embed(data.tokens) });
    }
  } catch (error) {
    postMessage({ event: "failed", message: String(error) });
  }
});
