// Keeps stops on this device, and arranges and filters the departures of a stop in place. It runs
// before board.js.
(function () {
  'use strict';
  var board = document.getElementById('board'), star = document.getElementById('star'), here = location.pathname;
  if (!board || !star) return;

  function read(name) { try { return JSON.parse(localStorage.getItem(name)); } catch (e) { return null; } }
  function keep(name, value) { try { localStorage.setItem(name, JSON.stringify(value)); } catch (e) { return false; } return true; }
  function all(what, of) { return [].slice.call((of || board).querySelectorAll(what)); }

  // Stops are in the order of visits: those with a star, and a few others.
  function save(kept) {
    var recent = 0, list = read('stops') || [], mine = list.filter(function (s) { return s.path === here; })[0] || {};
    if (kept !== undefined) mine.kept = kept;
    mine.path = here;
    mine.name = star.getAttribute('data-name');
    mine.code = star.getAttribute('data-code') || '';
    list = [mine].concat(list.filter(function (s) { return s.path !== here; })).filter(function (s) { return s.kept || recent++ < 6; });
    if (!keep('stops', list.slice(0, 50))) return;
    star.className = '';
    star.setAttribute('aria-pressed', mine.kept === true);
    star.textContent = mine.kept ? '\u2605' : '\u2606';
  }

  function sift() { board.dispatchEvent(new Event('sift')); }

  // arrange puts the rows of the server into groups, or into the order of time.
  function arrange(link) {
    var by = link.getAttribute('data-by'), table = board.querySelector('#rows table'), groups = {};
    all('.sift [data-by]').forEach(function (a) { a.hidden = a === link; });
    board.setAttribute('data-rows', link.getAttribute('href').replace('?', '?part=rows&'));
    board.setAttribute('data-shown', by === 'line' ? 3 : 15);
    board.classList.toggle('byline', by === 'line');
    if (!table) return;
    var rows = all('tbody tr', table).sort(function (a, b) { return a.getAttribute('data-t') - b.getAttribute('data-t'); });
    all('tbody', table).forEach(function (body) { table.removeChild(body); });
    rows.forEach(function (r) {
      var g = by === 'line' ? r.getAttribute('data-g') : 0;
      if (!groups[g]) table.appendChild(groups[g] = document.createElement('tbody'));
      groups[g].appendChild(r);
      r.hidden = groups[g].children.length > +board.getAttribute('data-shown');
    });
  }

  star.addEventListener('click', function () { save(star.getAttribute('aria-pressed') !== 'true'); });
  save();
  all('.sift [data-by]').forEach(function (a) {
    a.addEventListener('click', function (e) {
      e.preventDefault();
      keep('by', a.getAttribute('data-by'));
      arrange(a);
      sift();
      all('.sift [data-by]').forEach(function (b) { if (!b.hidden) b.focus(); });
    });
    if (!/[?&](by|lines)=/.test(location.search) && !a.hidden && read('by') === a.getAttribute('data-by')) arrange(a);
  });
  // On a page for one line the server has filtered.
  if (!/[?&]route=/.test(location.search)) all('.chips a').forEach(function (a) {
    a.addEventListener('click', function (e) {
      e.preventDefault();
      all('.chips a').forEach(function (b) { if (a === b) b.setAttribute('aria-current', 'true'); else b.removeAttribute('aria-current'); });
      board.setAttribute('data-only', a.getAttribute('data-route') || '');
      sift();
    });
  });
})();
