// Keeps the site's own files, so that it works without a network from the second visit on. Requests to
// other origins, to endpoints above all, and whatever is no file of the site pass it by untouched.
//
// A version is a page and the files that it names. It is served from the moment on when all of it is
// kept, each file checked by its digest; until then the version before is. So neither a server error,
// nor the page of a hotel's network, nor a deployment that is half done gives a broken page.
//
// This file's name stays, as a browser looks for news of it under the same name. The build puts the
// list of files in the place of "site-files": addresses relative to this file, with their digests.

const FILES = "site-files";
const SCOPE = self.registration.scope;
const CACHE = "api-bank:" + "site-version" + ":" + SCOPE;
const PAGE = new URL("./", SCOPE).href;
const OWN = new Map(FILES.map(([name, integrity]) => [new URL(name, PAGE).href, integrity]));
// Names that tell the content, of this version and of others: `boot-0123456789abcdef.js`.
const HASHED = /^[^/?]+-[0-9a-f]{16}\.[^/?]+$/;
const NAMED = /["'](?:\.\/)?([^"'/]+-[0-9a-f]{16}\.[^"'/]+)["']/g;

async function load(url, init) {
  const response = await fetch(url, { credentials: "same-origin", ...init });
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  return response;
}

async function keep(cache, url, integrity) {
  if (await cache.match(url)) return;
  await cache.put(url, await load(url, { integrity, priority: "low" }));
}

// Hosts may change a page's bytes on the way, so it has no digest: it is this version's when it names
// files, and none of another version.
async function keepPage(cache) {
  const response = await load(PAGE, { cache: "reload", redirect: "error" });
  const names = [...(await response.clone().text()).matchAll(NAMED)].map(([, name]) => name);
  const isOwn = (name) => OWN.has(new URL(name, PAGE).href);
  if (!names.length || !names.every(isOwn)) throw new Error(`${PAGE} is a page of another version`);
  await cache.put(PAGE, response);
}

// The page comes last: a version whose page is kept is whole.
async function install() {
  const cache = await caches.open(CACHE);
  // One after the other: what the page itself loads goes first.
  for (const [url, integrity] of OWN) await keep(cache, url, integrity);
  await keepPage(cache);
}

// The names of the versions that are kept, in the order in which they came.
async function versions() {
  const names = await caches.keys();
  return names.filter((name) => name.startsWith("api-bank:") && name.endsWith(":" + SCOPE));
}

// What older versions kept goes once no page uses them any more. A newer one may be on its way.
async function activate() {
  const names = await versions();
  for (const name of names.slice(0, names.indexOf(CACHE))) await caches.delete(name);
}

// A file of any version, the newest first: its page may be open before this script is replaced.
async function kept(url) {
  for (const name of (await versions()).reverse()) {
    const answer = await (await caches.open(name)).match(url, { ignoreVary: true });
    if (answer) return answer;
  }
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const url = new URL(request.url);
  url.hash = "";
  const answer = (url) => event.respondWith(kept(url).then((answer) => answer ?? fetch(request)));
  const isHashed = url.href.startsWith(PAGE) && HASHED.test(url.href.slice(PAGE.length));
  if (OWN.has(url.href) || isHashed) return answer(url.href);
  url.search = "";
  const isPage = url.href === PAGE || url.href === PAGE + "index.html";
  if (request.mode === "navigate" && isPage) answer(PAGE);
});
