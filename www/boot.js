// Starts the page's WebAssembly. An external file, because the page's CSP forbids inline scripts.
// The build replaces the quoted file names below with their hashed names, and `integrity-of:NAME`
// with the digest of that file.

// The smallest module with a SIMD instruction: both binaries are compiled with simd128.
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
]);

function explain(message, detail) {
  const place = document.getElementById("boot");
  if (!place) return;
  place.setAttribute("role", "alert");
  place.textContent = detail ? `${message} (${detail})` : message;
}

/** The browser's own model, loaded when it is asked for; see src/platform/browser_model.rs. */
globalThis.browserModel = () => import("./browser-model.js");

/** Makes pictures, likewise; see src/platform/picture.rs. */
globalThis.picture = () => import("./picture.js");

// Caches the site for offline visits. The page also works without a service worker.
function keepSite() {
  navigator.serviceWorker?.register(new URL("./service-worker.js", import.meta.url)).catch(() => {});
}

async function start() {
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(SIMD_PROBE)) {
    explain(
      "This page needs WebAssembly with SIMD, which this browser lacks or has switched off. " +
        "Chrome 91, Firefox 89, Safari 16.4 and everything newer have it.",
    );
    return;
  }
  try {
    const { default: init } = await import("./app.js");
    const { keep } = await import("./exports.js");
    const wasm = fetch(new URL("./app_bg.wasm", import.meta.url), {
      credentials: "same-origin",
      integrity: "integrity-of:app_bg.wasm",
    });
    keep(await init({ module_or_path: wasm }));
    keepSite();
  } catch (error) {
    console.error(error);
    explain(
      "The app could not be started. Reload the page; if this stays, its files are incomplete " +
        "or changed on the way.",
      String(error),
    );
  }
}

start();
