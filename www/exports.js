// What split.js, the loader of the page's second file, has from outside; the build writes it. It asks
// for the first file's exports under the name `initSync`. Apart, since split.js is loaded before
// app.js, which knows it first.
let exports;

/** As the browser's own, also where a server calls the file something else than WebAssembly. */
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
