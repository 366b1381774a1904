// Replaces links to this site's /embed pages by frames as high as their contents: <a data-townline href="…/embed/board?stop=…">Departures</a>
(function () {
  'use strict';
  var home = document.currentScript && new URL(document.currentScript.src).origin, frames = [];
  if (!home) return;
  function show() {
    [].forEach.call(document.querySelectorAll('a[data-townline]'), function (a) {
      if (a.origin !== home) return;
      var to = new URL(a.href), f = document.createElement('iframe');
      if (/^https?:/.test(location.origin)) to.searchParams.set('host', location.origin);
      f.title = a.textContent.trim();
      f.setAttribute('loading', 'lazy');
      f.style.border = 0;
      f.style.width = '100%';
      f.style.height = '24rem';
      f.src = to.href;
      frames.push(f);
      a.parentNode.replaceChild(f, a);
    });
  }
  window.addEventListener('message', function (e) {
    var m = e.data;
    if (e.origin !== home || !m || m.townline !== 1 || !(m.height > 0 && m.height < 2e4)) return;
    frames.forEach(function (f) {
      if (f.contentWindow !== e.source) return;
      f.style.height = Math.ceil(m.height) + 'px';
      f.setAttribute('data-state', m.state);
      f.dispatchEvent(new CustomEvent('townline', { bubbles: true, detail: m }));
    });
  });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', show);
  else show();
})();
