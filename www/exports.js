// Imports of split.js, the generated loader of the lazy-loaded module. It gets the first file's
// exports by calling `initSync`. A separate file, because split.js is loaded before app.js.
let exports;

/** Like `WebAssembly.instantiateStreaming`, but also accepts other content types. */
export async function instantiate(response, imports) {
  const answer = await response;
  const streams = answer.headers.get("content-type")?.startsWith("application/wasm");
  return streams
    ? WebAssembly.instantiateStreaming(answer, imports)
    : WebAssembly.instantiate(await answer.arrayBuffer(), imports);
}

export function keep(instance) {
  exports = instance;
}

export function initSync() {
  return exports;
}
