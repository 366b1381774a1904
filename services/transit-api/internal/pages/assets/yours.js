// Shows the stops that this device keeps, with the next departures of those with a star.
(function () {
  'use strict';
  var box = document.getElementById('yours'), lang = document.querySelector('form.ask input[name=lang]'), list;
  try { list = JSON.parse(localStorage.getItem('stops')) || []; } catch (e) { list = []; }
  if (!box || !Array.isArray(list)) return;

  function add(to, name, text, kind) {
    var e = document.createElement(name);
    if (text) e.textContent = text;
    if (kind) e.className = kind;
    return to.appendChild(e);
  }

  // next adds the first departure of the first groups of a board.
  function next(item, path) {
    var x = new XMLHttpRequest();
    x.open('GET', path + '?part=rows' + (lang ? '&lang=' + lang.value : ''));
    x.onload = function () {
      var rows = x.status === 200 && new DOMParser().parseFromString(x.responseText, 'text/html').getElementById('rows'), now = Date.parse(x.getResponseHeader('Date')) / 1000, words;
      if (!rows) return;
      words = JSON.parse(rows.getAttribute('data-words'));
      [].slice.call(rows.querySelectorAll('tbody')).slice(0, 3).forEach(function (group) {
        var row = group.querySelector('tr:not(.gone)'), line, left;
        if (!row) return;
        left = row.getAttribute('data-t') - now;
        line = add(item, 'p');
        line.appendChild(document.importNode(row.querySelector('.badge'), true));
        add(line, 'span', row.querySelector('.dest').textContent, 'to');
        add(line, 'b', left > 3600 ? row.querySelector('.c').textContent : left < 45 ? words.now : words.min.replace('{0}', Math.floor((left + 15) / 60)), 'at');
      });
    };
    x.send();
  }

  [true, false].forEach(function (kept) {
    var some = list.filter(function (s) { return !!s.kept === kept && /^\/[^/]/.test(s.path); }), ul;
    if (!some.length) return;
    add(box, 'h2', box.getAttribute(kept ? 'data-kept' : 'data-recent'));
    ul = add(box, 'ul', '', 'yours');
    some.forEach(function (s, i) {
      var item = add(ul, 'li', '', kept ? '' : 'recent'), a = add(item, 'a', s.name);
      a.href = s.path + (lang ? '?lang=' + lang.value : '');
      if (s.code) add(item, 'span', ' ' + s.code, 'soft');
      if (kept && i < 6) next(item, s.path);
    });
  });
})();
