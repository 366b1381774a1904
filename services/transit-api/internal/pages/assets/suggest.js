// Shows the first results of the stop search while the reader types. They are those of the page
// that the form opens.
(function () {
  'use strict';
  var input = document.getElementById('q'), form = input && input.form, panel, timer, asked = '', answers = {};
  if (!form || !window.DOMParser || !window.XMLHttpRequest) return;
  function address(q) {
    var lang = form.elements.lang;
    return form.getAttribute('action') + '?q=' + encodeURIComponent(q) + (lang ? '&lang=' + lang.value : '');
  }
  function show(found) {
    if (!panel) {
      panel = document.createElement('div');
      panel.className = 'suggest';
      input.insertAdjacentElement('afterend', panel);
    }
    panel.textContent = '';
    if (found) panel.appendChild(found);
    panel.hidden = !found;
  }
  function ask() {
    var q = input.value.trim(), request;
    if (q === asked) return;
    asked = q;
    if (q.length < 2) return show(null);
    if (answers[q]) return show(answers[q].cloneNode(true));
    request = new XMLHttpRequest();
    request.onload = function () {
      var found = request.status === 200 && new DOMParser().parseFromString(request.responseText, 'text/html').getElementById('found');
      if (!found) return;
      found.id = '';
      [].slice.call(found.querySelectorAll('.list>li')).slice(6).forEach(function (row) { row.parentNode.removeChild(row); });
      answers[q] = found;
      if (q === asked) show(document.importNode(found, true));
    };
    request.open('GET', address(q));
    request.send();
  }
  input.addEventListener('input', function () {
    clearTimeout(timer);
    timer = setTimeout(ask, 250);
  });
  document.addEventListener('keydown', function (e) {
    if (e.key === 'Escape' && panel && !panel.hidden) { show(null); input.focus(); }
  });
})();
