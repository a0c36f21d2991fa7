// Keeps the site's own files, so that it works without a network from the second visit on. It has
// no word in anything else: requests to other origins, to endpoints above all, and whatever is not
// in the list below go their way as if it were not there.
//
// Its name stays, as a browser looks for news of it under the same name. The build puts the list of
// files in the place of "site-files": addresses relative to this file, with their digests.

const FILES = "site-files";
const CACHE = "api-bank:" + "site-version" + ":" + self.registration.scope;
const PAGE = new URL("./", self.registration.scope).href;
const OWN = new Map(FILES.map(([name, integrity]) => [new URL(name, PAGE).href, integrity]));

async function keep(cache, url, integrity) {
  if (await cache.match(url)) return;
  const init = { credentials: "same-origin", priority: "low" };
  // Names of files tell their content; the page has to be asked for anew.
  const request = integrity ? { ...init, integrity } : { ...init, cache: "reload" };
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  await cache.put(url, response);
}

async function install() {
  const cache = await caches.open(CACHE);
  // One after the other: what the page itself loads goes first.
  for (const [url, integrity] of OWN) await keep(cache, url, integrity);
  await keep(cache, PAGE, null);
}

// What older versions kept goes once no page uses them any more.
async function activate() {
  const scope = ":" + self.registration.scope;
  const stale = (name) => name.startsWith("api-bank:") && name.endsWith(scope) && name !== CACHE;
  for (const name of await caches.keys()) if (stale(name)) await caches.delete(name);
}

async function kept(url) {
  const cache = await caches.open(CACHE);
  return cache.match(url, { ignoreVary: true });
}

// The page is asked for first, so that news arrive; without a network the kept one comes.
async function page(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const answer = await kept(PAGE);
    if (answer) return answer;
    throw error;
  }
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const url = new URL(request.url);
  url.hash = "";
  if (OWN.has(url.href)) {
    event.respondWith(kept(url.href).then((answer) => answer ?? fetch(request)));
    return;
  }
  url.search = "";
  const isPage = url.href === PAGE || url.href === PAGE + "index.html";
  if (request.mode === "navigate" && isPage) event.respondWith(page(request));
});
