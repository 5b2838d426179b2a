// Keeps the page, the program and the model, so that they work offline. What the
// network has newer takes their place at the next visit.
const kCache = "latimer";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith(answer(event, request));
});

async function answer(event, request) {
  const cache = await caches.open(kCache);
  const kept = await cache.match(request, { ignoreSearch: true });
  const fetched = fetch(request).then((response) => {
    if (response.ok) event.waitUntil(cache.put(request, response.clone()));
    return response;
  });
  if (kept === undefined) return fetched;
  event.waitUntil(fetched.catch(() => {}));  // Offline.
  return kept;
}
