// Keeps the page of a line or a trip current: it fetches the page again and replaces what has
// changed. It waits while the page is hidden, or while a reader is in a part that would be replaced.
(function () {
  'use strict';
  var main = document.getElementById('main');
  if (!main || !window.fetch || !window.DOMParser) return;

  function busy() { return document.hidden || main.contains(document.activeElement) && document.activeElement !== main || main.querySelector('details[open]'); }

  function renew() {
    if (busy()) return;
    fetch(location.href, { headers: { Accept: 'text/html' } }).then(function (r) {
      if (!r.ok) throw r.status;
      return r.text();
    }).then(function (html) {
      var next = new DOMParser().parseFromString(html, 'text/html').getElementById('main');
      if (next && !busy() && next.innerHTML !== main.innerHTML) main.innerHTML = next.innerHTML;
    }).catch(function () { return null; }); // the times stay; the next attempt may succeed
  }

  setInterval(renew, 20000);
  document.addEventListener('visibilitychange', renew);
})();
