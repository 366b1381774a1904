// Serves the last stored board if a screen starts without a network or its server hangs: network first, then the cache.
'use strict';
var kept = 'board-1';
function isBoard(path) { return /\/(board|screens\/[^/]+|f\/[^/]+\/stops\/[^/]+)$/.test(path); }
self.addEventListener('install', function () { self.skipWaiting(); });
self.addEventListener('activate', function (e) { e.waitUntil(self.clients.claim()); });
self.addEventListener('fetch', function (e) {
  var r = e.request, u = new URL(r.url), page = r.mode === 'navigate' && isBoard(u.pathname);
  if (r.method !== 'GET' || u.origin !== location.origin || !page && u.pathname.indexOf('/assets/') < 0) return;
  function old(bad) { return caches.match(r).then(function (a) { return a || bad || Response.error(); }); }
  var got = fetch(r).then(function (a) {
    if (!a.ok) return a.status < 500 ? a : old(a);
    var copy = a.clone();
    e.waitUntil(caches.open(kept).then(function (k) {
      return k.keys().then(function (all) {
        all.forEach(function (o, i) { // keep one board and few files
          if (page && o.url !== r.url && isBoard(new URL(o.url).pathname) || all.length - i > 20) k.delete(o);
        });
        return k.put(r, copy);
      });
    }));
    return a;
  }, function () { return old(); });
  e.waitUntil(got);
  e.respondWith(Promise.race([got, new Promise(function (done) {
    setTimeout(function () { caches.match(r).then(function (a) { if (a) done(a); }); }, page ? 5000 : 1000);
  })]));
});
