// Keeps a departure board fresh. ES2015 for browsers of 2016; the page is whole without it.
(function () {
  'use strict';
  var board = document.getElementById('board'), rows = document.getElementById('rows');
  if (!board || !rows) return;
  var say = JSON.parse(board.getAttribute('data-words')), from = board.getAttribute('data-rows');
  var phone = board.hasAttribute('data-phone'), paper = /\beink\b/.test(board.className);
  var build = number(rows, 'build', 1), born = Date.now(), offset = Math.random() * 20, skew = 0, heard = 0, failed = false, tag = '', last = '', saved = 0, timer;
  var key = 'board ' + from;

  function number(e, name, text) { var v = e.getAttribute('data-' + name); return text ? v : +v; }
  function fill(text, a) { return text.replace('{0}', a); }
  function now() { return Date.now() / 1000 + skew; }
  function set(e, text) { if (e && e.textContent !== text) e.textContent = text; }
  function store(name, value) { try { if (value === undefined) return localStorage.getItem(name); localStorage.setItem(name, value); } catch (e) { return null; } }
  function clock(s) {
    var d = new Date((s + number(rows, 'zone')) * 1000), h = d.getUTCHours(), m = ('0' + d.getUTCMinutes()).slice(-2);
    return board.hasAttribute('data-twelve') ? (h % 12 || 12) + ':' + m + (h < 12 ? ' am' : ' pm') : ('0' + h).slice(-2) + ':' + m;
  }

  // What the page says at this moment. Predictions that are older than three minutes give way to the timetable.
  function draw() {
    var t = now(), told = number(rows, 'told'), kind = number(rows, 'kind', 1), live = kind === 'live';
    var old = live && t - told > 180, cut = failed && t - heard > 60, shown = 0, first = '', most = number(board, 'shown'), walk = number(board, 'walk');
    var list = [].slice.call(rows.querySelectorAll('tbody tr'));
    if (old && !rows.dropped) drop(list);
    list = [].slice.call(rows.querySelectorAll('tbody tr'));
    list.forEach(function (r) {
      var at = number(r, 't'), left = at - t, gone = r.className === 'gone', over = !at || left < -20 || shown >= most;
      if (!over) shown++;
      r.hidden = over;
      if (over || gone) return;
      set(r.querySelector('.m'), paper || left > 3600 ? '' : left < 45 ? say.now : fill(say.min, Math.floor((left + 15) / 60)));
      if (walk) r.className = left < walk ? 'missed' : '';
      if (!first) first = r.querySelector('.l').textContent + ' ' + r.querySelector('.to').firstChild.textContent + ' ' + r.querySelector('.c').textContent;
    });
    set(document.getElementById('clock'), clock(t));
    var status = rows.querySelector('.status');
    if (old) set(status, fill(say.silent, clock(told)));
    else if (live) set(status, fill(say.live, age(t - told)));
    var off = document.getElementById('offline');
    off.hidden = !cut;
    if (cut) set(off, fill(say.offline, clock(heard)) + (shown || !list.length ? '' : ' ' + say.ended));
    board.className = board.className.replace(/ (cut|old)\b/g, '') + (cut ? ' cut' : '') + (old ? ' old' : '');
    var said = first ? fill(say.next, first) : (rows.querySelector('.quiet') || {}).textContent || '';
    if (cut) said = off.textContent;
    if (last && said !== last) set(document.getElementById('said'), said);
    last = said;
  }

  function age(s) { s = Math.max(0, Math.floor(s)); return s < 90 ? fill(say.seconds, s) : fill(say.min, Math.floor(s / 60)); }

  // The timetable in place of predictions.
  function drop(list) {
    var body = rows.querySelector('tbody');
    rows.dropped = true;
    list.forEach(function (r) {
      var s = r.getAttribute('data-s'), c = r.getAttribute('data-c');
      if (s !== null) r.setAttribute('data-t', s);
      if (c) set(r.querySelector('.c'), c);
      set(r.querySelector('.o'), say.timetable);
    });
    list.sort(function (a, b) { return number(a, 't') - number(b, 't'); }).forEach(function (r) { body.appendChild(r); });
  }

  function swap(html) {
    var box = document.createElement('div'), next;
    box.innerHTML = html;
    next = box.firstElementChild;
    if (!next || next.id !== 'rows') return false;
    rows.parentNode.replaceChild(next, rows);
    rows = next;
    return true;
  }

  function ask(url, done) {
    var x = new XMLHttpRequest(), access = /^#key=(.+)/.exec(location.hash);
    x.open('GET', url);
    x.timeout = 15000;
    if (access) x.setRequestHeader('X-Api-Key', decodeURIComponent(access[1]));
    if (url === from && tag) x.setRequestHeader('If-None-Match', tag);
    x.onload = function () { done(x); };
    x.onerror = x.ontimeout = function () { done(null); };
    x.send();
  }

  function poll() {
    plan();
    ask(from, function (x) {
      var ok = x && (x.status === 200 || x.status === 304), date = x && Date.parse(x.getResponseHeader('Date'));
      if (date) {
        skew = (date - Date.now()) / 1000 + (+x.getResponseHeader('Age') || 0);
        if (Math.abs(skew) < 2) skew = 0;
        store('skew', skew);
      }
      failed = !ok;
      if (ok) {
        heard = now();
        if (x.status === 200 && swap(x.responseText)) tag = x.getResponseHeader('ETag') || '';
        if (heard - saved > 300) { saved = heard; store(key, rows.outerHTML); store(key + ' at', heard); }
        var other = number(rows, 'build', 1) !== build;
        if (other || !phone && Date.now() - born > 864e5) renew();
      }
      draw();
    });
  }

  // Another build or another day: replace the page, once the next one is there.
  function renew() { ask(location.href.replace(/#.*/, ''), function (x) { if (x && x.status === 200) location.reload(); }); }

  function plan() {
    clearTimeout(timer);
    var grid = 20 - (Date.now() / 1000 - offset) % 20;
    timer = setTimeout(poll, (grid + (failed ? Math.random() * 10 : 0)) * 1000);
  }

  skew = +store('skew') || 0;
  heard = number(board, 'now');
  var kept = store(key), at = +store(key + ' at');
  if (kept && at > heard && now() - heard > 120 && swap(kept)) heard = at; // the page is from before the power went
  failed = now() - heard > 120;
  draw();
  if (!from) return;
  setInterval(draw, 1000);
  document.addEventListener('visibilitychange', function () { if (!document.hidden) poll(); });
  window.addEventListener('online', poll);
  setTimeout(poll, 700);
  if (navigator.serviceWorker) window.addEventListener('load', function () {
    navigator.serviceWorker.register(board.getAttribute('data-worker')).catch(function () {});
  });
})();
