// Tracks every WebAssembly memory of a worker and reports their total size.
const { Memory, Instance, instantiate, instantiateStreaming } = WebAssembly;
const memories = new Set();

function keep(result) {
  const { exports } = result.instance ?? result;
  for (const value of Object.values(exports)) {
    if (value instanceof Memory) memories.add(value);
  }
  return result;
}

// Wraps a class to track its instances; `instanceof` still works.
function watched(made, keepIt) {
  return new Proxy(made, {
    construct: (target, given) => keepIt(Reflect.construct(target, given)),
  });
}

WebAssembly.Memory = watched(Memory, (memory) => {
  memories.add(memory);
  return memory;
});
WebAssembly.Instance = watched(Instance, keep);
WebAssembly.instantiate = async (...given) => keep(await instantiate(...given));
WebAssembly.instantiateStreaming = async (...given) => keep(await instantiateStreaming(...given));

// Registered before the measured worker's handlers, which don't expect this message.
addEventListener("message", (event) => {
  if (event.data?.bench !== "memory") return;
  event.stopImmediatePropagation();
  let bytes = 0;
  for (const memory of memories) bytes += memory.buffer.byteLength;
  postMessage({ bench: "memory", bytes });
});
