// Updates a board, in browsers of 2016.
(function () {
  'use strict';
  var board = document.getElementById('board'), rows = document.getElementById('rows');
  if (!board || !rows) return;
  var say, from = get(board, 'rows'), languages = (get(board, 'languages') || '').split(' '), turn = 0, answers = {};
  var phone = board.hasAttribute('data-phone'), paper = /\beink\b/.test(board.className), synth = window.speechSynthesis;
  var build = get(rows, 'build'), born = Date.now(), offset = Math.random() * 20, skew = 0, heard = 0, failed = false, last = '', saved = 0, timer;

  function get(e, name) { return e.getAttribute('data-' + name); }
  function number(e, name) { return +get(e, name); }
  function one(e, name) { return e.querySelector(name); }
  function text(e) { return e ? e.textContent.trim() : ''; }
  function fill(words, a, b, c) { return words.replace('{0}', a).replace('{1}', b).replace('{2}', c); }
  function now() { return Date.now() / 1000 + skew; }
  function set(e, words) { if (e && e.textContent !== words) e.textContent = words; }
  function each(what) { return [].slice.call(rows.querySelectorAll(what)); }
  function list() { return each('tbody tr'); }
  function store(name, value) { try { if (value === undefined) return localStorage.getItem(name); localStorage.setItem(name, value); } catch (e) { return null; } }
  function age(s) { s = Math.max(0, Math.floor(s)); return s < 90 ? fill(say.seconds, s) : fill(say.min, Math.floor(s / 60)); }
  function clock(s) {
    var d = new Date((s + number(rows, 'zone')) * 1000), h = d.getUTCHours(), m = ('0' + d.getUTCMinutes()).slice(-2);
    return board.hasAttribute('data-twelve') && rows.lang === 'en' ? (h % 12 || 12) + ':' + m + (h < 12 ? ' am' : ' pm') : ('0' + h).slice(-2) + ':' + m;
  }

  // The timetable replaces predictions older than three minutes.
  function draw() {
    var t = now(), told = number(rows, 'told'), live = get(rows, 'kind') === 'live', old = live && t - told > 180, cut = failed && t - heard > 60;
    var shown = 0, first = '', only = get(board, 'only'), group, most = number(board, 'shown'), walk = number(board, 'walk'), status = one(rows, '.status'), lost;
    if (old && !rows.dropped) drop();
    list().forEach(function (r) {
      var at = number(r, 't'), left = at - t, gone = r.className === 'gone';
      if (group !== (group = r.parentNode)) shown = 0;
      r.hidden = !at || left < -20 || shown >= most || only && get(r, 'r') !== only;
      if (r.hidden) return;
      shown++;
      if (gone) return;
      set(one(r, '.m'), paper || left > 3600 ? '' : left < 45 ? say.now : fill(say.min, Math.floor((left + 15) / 60)));
      if (walk) r.className = left < walk ? 'missed' : '';
      if (!first) first = line(r, '.c');
    });
    set(document.getElementById('clock'), clock(t));
    if (phone) status.style.top = board.firstElementChild.offsetHeight + 'px';
    lost = cut && fill(say.offline, clock(heard)) + (first || !one(rows, 'table') ? '' : ' ' + say.ended);
    if (!rows.status) rows.status = text(status);
    set(status, (lost ? lost + ' ' : '') + (old ? fill(say.silent, clock(told)) : live && !paper ? fill(say.live, age(t - told)) : rows.status));
    each('p.notice').forEach(function (n, i, all) { n.hidden = Math.floor(t / (paper ? 60 : 10)) % all.length !== i; });
    board.className = board.className.replace(/ (cut|old)\b/g, '') + (cut ? ' cut' : '') + (old ? ' old' : '');
    var said = cut ? lost : first ? fill(say.next, first) : text(one(rows, '.quiet'));
    if (last && said !== last) set(document.getElementById('said'), said);
    last = said;
  }

  function line(r, when) { return fill(say.row, text(one(r, '.l')), text(one(r, '.dest')), text(one(r, when)) || text(one(r, '.c'))); }

  function drop() {
    rows.dropped = true;
    list().map(function (r) {
      var s = get(r, 's'), c = get(r, 'c');
      if (s) r.setAttribute('data-t', s);
      if (c) set(one(r, '.c'), c);
      set(one(r, '.o'), say.timetable);
      return r;
    }).sort(function (a, b) { return number(a, 't') - number(b, 't'); }).forEach(function (r) { r.parentNode.appendChild(r); });
  }

  function swap(html) {
    var box = document.createElement('div'), next;
    box.innerHTML = html;
    next = box.firstElementChild;
    if (!next || next.id !== 'rows') return;
    var open = one(rows, 'details[open]'), focus = each('summary,a').indexOf(document.activeElement);
    rows.parentNode.replaceChild(next, rows);
    rows = next;
    say = JSON.parse(get(rows, 'words'));
    if (open && (open = one(rows, 'details'))) open.open = true;
    if ((next = each('summary,a')[focus])) next.focus({ preventScroll: true });
    return true;
  }

  function ask(url, done) {
    var x = new XMLHttpRequest(), access = /^#key=(.+)/.exec(location.hash), had = answers[url];
    x.open('GET', url);
    x.timeout = 15000;
    if (access) x.setRequestHeader('X-Api-Key', decodeURIComponent(access[1]));
    if (had) x.setRequestHeader('If-None-Match', had.tag);
    x.onload = function () { done(x); };
    x.onerror = x.ontimeout = function () { done(null); };
    x.send();
  }

  function poll() {
    plan();
    var lang = languages[turn++ % languages.length], url = (from = get(board, 'rows')) + (lang && (from.indexOf('?') < 0 ? '?' : '&') + 'lang=' + lang);
    ask(url, function (x) {
      var good = x && (x.status === 200 || x.status === 304), date = x && Date.parse(x.getResponseHeader('Date'));
      if (date) {
        skew = (date - Date.now()) / 1000 + (+x.getResponseHeader('Age') || 0);
        if (Math.abs(skew) < 2) skew = 0;
        store('skew', skew);
      }
      failed = !good;
      if (good) {
        heard = now();
        if (x.status === 200) answers[url] = { tag: x.getResponseHeader('ETag') || '', html: x.responseText };
        if (x.status === 200 || lang && lang !== rows.lang) swap(answers[url].html);
        if (heard - saved > 300) { saved = heard; store('board ' + from, rows.outerHTML); store('at ' + from, heard); }
        if (get(rows, 'build') !== build || !phone && Date.now() - born > 864e5) renew();
      }
      draw();
    });
  }

  // for a new build or day
  function renew() { ask(location.href.replace(/#.*/, ''), function (x) { if (x && x.status === 200) location.reload(); }); }

  function plan() {
    clearTimeout(timer);
    timer = setTimeout(poll, (20 - (Date.now() / 1000 - offset) % 20 + (failed ? Math.random() * 10 : 0)) * 1000);
  }

  function speak() {
    var all = [fill(say.from, get(rows, 'spoken'))].concat(list().filter(function (r) { return !r.hidden; }).slice(0, 4).map(function (r) { return line(r, '.m') + ' ' + text(one(r, '.note')); }), text(one(rows, '.quiet')));
    var u = new SpeechSynthesisUtterance(all.join('. '));
    u.lang = rows.lang;
    synth.cancel();
    synth.speak(u);
  }

  say = JSON.parse(get(rows, 'words'));
  skew = +store('skew') || 0;
  heard = number(board, 'now');
  var kept = store('board ' + from), at = +store('at ' + from);
  if (kept && at > heard && now() - heard > 120 && swap(kept)) heard = at; // the page is older
  failed = now() - heard > 120;
  draw();
  if (synth) {
    var button = document.getElementById('speak'), every = number(board, 'speak');
    if (button) { button.className = ''; button.onclick = speak; }
    if (every) setInterval(speak, every * 1000);
  }
  setInterval(draw, 1000);
  board.addEventListener('sift', draw);
  document.addEventListener('visibilitychange', function () { if (!document.hidden) poll(); });
  window.addEventListener('online', poll);
  setTimeout(poll, 700);
  if (get(board, 'worker') && navigator.serviceWorker) window.addEventListener('load', function () { navigator.serviceWorker.register(get(board, 'worker')).catch(function () {}); });
})();
