// The page's WebAssembly, for the files that are loaded later: split.js, which the build writes, asks
// for it under this name. Apart, since split.js is loaded before app.js, which knows it first.
let exports;

export function keep(instance) {
  exports = instance;
}

export function initSync() {
  return exports;
}
