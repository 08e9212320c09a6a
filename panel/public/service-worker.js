// Shows a page of our own where a page cannot be fetched. Nothing else is cached: what the panel shows must be true.
const CACHE = 'recado-offline-2'
const OFFLINE = '/offline.html'

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll([OFFLINE, '/offline.js', '/recado.svg', '/early.js']))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))),
      ),
  )
})

self.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') {
    event.respondWith(fetch(event.request).catch(() => caches.match(OFFLINE)))
  } else if (
    ['/offline.js', '/recado.svg', '/early.js'].includes(new URL(event.request.url).pathname)
  ) {
    event.respondWith(fetch(event.request).catch(() => caches.match(event.request)))
  }
})
