// Keeps hold of every WebAssembly memory of a worker and tells how large they are together.
const { Memory, Instance, instantiate, instantiateStreaming } = WebAssembly;
const memories = new Set();

function keep(result) {
  const { exports } = result.instance ?? result;
  for (const value of Object.values(exports)) {
    if (value instanceof Memory) memories.add(value);
  }
  return result;
}

// Stands for a class: what it makes is kept, and is an instance of it as before.
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

// Before any handler of what is measured, which knows no such message.
addEventListener("message", (event) => {
  if (event.data?.bench !== "memory") return;
  event.stopImmediatePropagation();
  let bytes = 0;
  for (const memory of memories) bytes += memory.buffer.byteLength;
  postMessage({ bench: "memory", bytes });
});
