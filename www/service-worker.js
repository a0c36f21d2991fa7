// Caches the site's files, so that the site works offline from the second visit on. Ignores requests
// to other origins, such as endpoints, and for anything that is not a file of the site.
//
// A version is a page and the files that it names. It is served once it is completely cached, each
// file checked by its digest; until then, the previous version is. So a server error, a captive
// portal or a half-finished deployment cannot break the page.
//
// It also isolates the page on hosts that send no headers for it: browsers demand that for threads.
//
// This file is not renamed, because browsers check for updates under the same name. The build
// replaces "site-files" with the list of files: addresses relative to this file, with their digests;
// and "isolation-headers" with the headers, names and values.

const FILES = "site-files";
const SCOPE = self.registration.scope;
const CACHE = "api-bank:" + "site-version" + ":" + SCOPE;
const PAGE = new URL("./", SCOPE).href;
const OWN = new Map(FILES.map(([name, integrity]) => [new URL(name, PAGE).href, integrity]));
const ISOLATION = "isolation-headers";
// Names with a content hash, of any version: `boot-0123456789abcdef.js`.
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

// Hosts may modify the page, so it has no digest. It belongs to this version if it names files, and
// only files of this version.
async function keepPage(cache) {
  const response = await load(PAGE, { cache: "reload", redirect: "error" });
  const names = [...(await response.clone().text()).matchAll(NAMED)].map(([, name]) => name);
  const isOwn = (name) => OWN.has(new URL(name, PAGE).href);
  if (!names.length || !names.every(isOwn)) throw new Error(`${PAGE} is a page of another version`);
  await cache.put(PAGE, response);
}

// The page is cached last: a version with a cached page is complete.
async function install() {
  const cache = await caches.open(CACHE);
  // In sequence, so that the page's own requests go first.
  for (const [url, integrity] of OWN) await keep(cache, url, integrity);
  await keepPage(cache);
}

// The names of the cached versions, oldest first.
async function versions() {
  const names = await caches.keys();
  return names.filter((name) => name.startsWith("api-bank:") && name.endsWith(":" + SCOPE));
}

// Deletes older versions, which no page uses any more. A newer one may be installing.
async function activate() {
  const names = await versions();
  for (const name of names.slice(0, names.indexOf(CACHE))) await caches.delete(name);
}

// A file of any version, newest first: a newer page may be open before this script is replaced.
async function kept(url) {
  for (const name of (await versions()).reverse()) {
    const answer = await (await caches.open(name)).match(url, { ignoreVary: true });
    if (answer) return answer;
  }
}

// A response with the headers that isolate a page; those of the host stay.
function isolated(response) {
  const missing = ISOLATION.filter(([name]) => !response.headers.has(name));
  // A redirect, which has no status here, can't be copied.
  if (!missing.length || !response.status) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of missing) headers.set(name, value);
  const { body, status, statusText } = response;
  return new Response(body, { status, statusText, headers });
}

async function serve(url, request) {
  const answer = (await kept(url)) ?? (await fetch(request));
  // An isolated page starts only workers whose scripts come with the headers too.
  const isStart = request.mode === "navigate" || request.destination === "worker";
  return isStart ? isolated(answer) : answer;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const url = new URL(request.url);
  url.hash = "";
  const answer = (url) => event.respondWith(serve(url, request));
  const isHashed = url.href.startsWith(PAGE) && HASHED.test(url.href.slice(PAGE.length));
  if (OWN.has(url.href) || isHashed) return answer(url.href);
  url.search = "";
  const isPage = url.href === PAGE || url.href === PAGE + "index.html";
  if (request.mode === "navigate" && isPage) answer(PAGE);
});
