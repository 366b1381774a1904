// Updates a map of vehicles and its list by the API's event stream, else by polling. The page is complete without it.
const box = document.getElementById('map'), api = box && box.getAttribute('data-api');
const OLD = 90, GONE = 300, MOST = 150, NS = 'http://www.w3.org/2000/svg', PLAIN = '#4a78a8';
if (box) start();

function start() {
  const say = JSON.parse(box.getAttribute('data-words') || '{}'), full = JSON.parse(box.getAttribute('data-full') || '{}');
  const [west, north, across, down, width, height] = box.getAttribute('data-frame').split(',').map(Number);
  const rows = document.getElementById('vehicles'), spots = box.querySelector('.spots'), state = document.getElementById('state');
  const lines = box.hasAttribute('data-lines'), key = /^#key=(.+)/.exec(location.hash);
  let skew = +box.getAttribute('data-now') - Date.now() / 1000, told = null, stream = null, timer = 0, lost = 0, gl = null, last = '';

  const now = () => Date.now() / 1000 + skew;
  const fill = (text, a) => (text || '').replace('{0}', () => a);
  const set = (e, text) => { if (e.textContent !== text) e.textContent = text; };
  const age = s => { s = Math.max(0, Math.floor(s)); return s < 90 ? fill(say.seconds, s) : fill(say.min, Math.floor(s / 60)); };
  const name = v => v.route_short_name || v.route_long_name || v.route_id || '';
  const number = v => { const n = parseInt(name(v), 10); return isNaN(n) ? 1 << 30 : n; };
  const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;

  function where(v) {
    if (!v.stop_name) return say.nowhere;
    const how = full[v.occupancy_status];
    return fill(say[v.status], v.stop_name) + (how ? ', ' + how : '');
  }

  // The vehicles shown, each with a unique key.
  function shown() {
    const met = {}, t = now();
    const all = told.data.vehicles.filter(v => t - v.timestamp <= GONE);
    all.sort((a, b) => number(a) - number(b) || compare(name(a), name(b)) || compare(a.headsign || '', b.headsign || '') || compare(a.id, b.id));
    all.forEach(v => { v.key = v.id; while (met['$' + v.key]) v.key += '+'; met['$' + v.key] = 1; v.old = t - v.timestamp > OLD; });
    return all;
  }

  function draw() {
    if (!told || document.hidden) return;
    const all = shown(), some = all.slice(0, MOST), t = now();
    list(some, t);
    chart(some);
    if (gl) gl.draw(all.map(v => Object.assign({}, v, { color: shade(v.route_color), words: [name(v), v.headsign, where(v), fill(say.age, age(t - v.timestamp))].filter(Boolean).join(' · '), label: name(v) })));
    const kind = lost && t - lost > 60 ? 'cut' : told.data.realtime, fetched = told.meta.last_fetched;
    const words = kind === 'cut' ? fill(say.cut, age(t - lost)) : fill(say[kind], age(t - fetched));
    set(state, words);
    state.className = 'status ' + kind;
    state.setAttribute('data-state', kind !== 'live' ? 'timetable' : all.length ? 'live' : 'empty');
    const none = document.getElementById('none'), more = document.getElementById('more');
    none.hidden = all.length > 0 || kind !== 'live';
    set(none, say.nothing);
    more.hidden = all.length <= MOST;
    if (all.length > MOST) set(more, fill(say.more, all.length - MOST));
    if (last && last !== kind) set(document.getElementById('said'), words);
    last = kind;
  }

  function list(some, t) {
    const by = {};
    [].forEach.call(rows.children, r => { by['$' + r.getAttribute('data-id')] = r; });
    let at = rows.firstElementChild;
    some.forEach(v => {
      let r = by['$' + v.key];
      if (!r) {
        r = document.createElement('tr');
        r.setAttribute('data-id', v.key);
        r.innerHTML = (lines ? '<th scope="row" class="l"></th><td></td>' : '<th scope="row"></th>') + '<td></td><td class="a"></td>';
        if (lines) r.firstElementChild.appendChild(badge(v));
      }
      delete by['$' + v.key];
      if (r === at) at = at.nextElementSibling; else rows.insertBefore(r, at);
      const cells = r.children, n = cells.length;
      set(cells[n - 3], v.headsign || v.route_long_name || '');
      set(cells[n - 2], where(v));
      set(cells[n - 1], fill(say.age, age(t - v.timestamp)));
      r.className = v.old ? 'old' : '';
    });
    Object.keys(by).forEach(k => by[k].remove());
  }

  function badge(v) {
    const b = document.createElement('span'), text = document.createElement('b'), l = luminance(v.route_color);
    b.className = 'badge' + (l === null ? '' : 1.05 / (l + .05) >= (l + .05) / .05 ? ' light' : ' dark');
    if (l !== null) {
      const s = node('svg', { 'aria-hidden': 'true' });
      s.appendChild(node('rect', { width: '100%', height: '100%', fill: '#' + v.route_color }));
      b.appendChild(s);
    }
    text.textContent = name(v);
    b.appendChild(text);
    return b;
  }

  function chart(some) {
    const by = {};
    [].forEach.call(spots.children, g => { by['$' + g.getAttribute('data-id')] = g; });
    some.forEach(v => {
      const x = Math.round((v.lon - west) * across), y = Math.round((north - v.lat) * down);
      if (!(x >= 0 && x <= width && y >= 0 && y <= height)) return;
      const color = shade(v.route_color);
      let g = by['$' + v.key];
      if (!g) {
        g = spots.appendChild(node('g', { 'data-id': v.key, fill: color }));
        const inner = g.appendChild(node('g', {}));
        inner.appendChild(node('circle', { r: 12 }));
        if (name(v).length <= 4) inner.appendChild(node('text', { y: 4, fill: luminance(color.slice(1)) < .18 ? '#fff' : '#000' })).textContent = name(v);
      }
      delete by['$' + v.key];
      g.setAttribute('class', v.old ? 'spot old' : 'spot');
      g.setAttribute('transform', 'translate(' + x + ' ' + y + ')');
      let turn = g.querySelector('path');
      if (v.bearing === undefined) { if (turn) turn.remove(); return; }
      if (!turn) turn = g.firstElementChild.insertBefore(node('path', { d: 'M0-21l8 13h-16z' }), g.firstElementChild.firstChild);
      turn.setAttribute('transform', 'rotate(' + v.bearing + ')');
    });
    Object.keys(by).forEach(k => by[k].remove());
  }

  function take(answer) {
    told = answer;
    lost = 0;
    draw();
  }

  // Poll once: the answer's date is the server's clock.
  function ask() {
    clearTimeout(timer);
    return fetch(api, { headers: key ? { Accept: 'application/json', 'X-Api-Key': decodeURIComponent(key[1]) } : { Accept: 'application/json' } }).then(r => {
      if (!r.ok) throw new Error(r.status);
      const date = Date.parse(r.headers.get('Date'));
      if (date) skew = (date - Date.now()) / 1000 + (+r.headers.get('Age') || 0);
      return r.json().then(take);
    }).catch(() => { lost = lost || now(); });
  }

  function again(seconds) {
    clearTimeout(timer);
    timer = setTimeout(() => ask().then(() => again(15)), seconds * 1000);
  }

  function listen() {
    if (!window.EventSource || key) return again(10);
    if (stream) stream.close();
    stream = new EventSource(api);
    stream.onmessage = e => take(JSON.parse(e.data));
    stream.onopen = () => { lost = 0; clearTimeout(timer); };
    stream.onerror = () => {
      lost = lost || now();
      if (stream.readyState === 2) again(15); // refused: poll
    };
  }

  function shade(hex) {
    const l = luminance(hex);
    if (l === null) return PLAIN;
    const to = l > .29 ? .29 : l < .135 ? .135 : l;
    return '#' + [0, 2, 4].map(i => {
      const v = linear(hex, i), w = l > to ? v * to / l : l < to ? v + (1 - v) * (to - l) / (1 - l) : v;
      const s = w > .0031308 ? 1.055 * Math.pow(w, 1 / 2.4) - .055 : 12.92 * w;
      return ('0' + Math.round(Math.max(0, Math.min(1, s)) * 255).toString(16)).slice(-2);
    }).join('');
  }

  if (api) {
    ask().then(() => { timer = setTimeout(listen, 8000); }); // a stream starts with the data just polled
    setInterval(draw, 5000);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) { if (stream) stream.close(); clearTimeout(timer); } else ask().then(listen);
    });
  }

  // The interactive map, if the browser supports it and the reader does not save data.
  const saves = navigator.connection && navigator.connection.saveData || matchMedia('(prefers-reduced-data: reduce)').matches;
  let can = false;
  try { can = !saves && !!document.createElement('canvas').getContext('webgl2'); } catch (e) { /* none */ }
  if (can) import(box.getAttribute('data-gl')).then(m => m.open(box, { shade, say, frame: [west, north, across, down, width, height] })).then(m => { gl = m; draw(); }).catch(() => {});
}

function node(tag, attributes) {
  const e = document.createElementNS(NS, tag);
  Object.keys(attributes).forEach(k => e.setAttribute(k, attributes[k]));
  return e;
}

function linear(hex, i) {
  const v = parseInt(hex.substr(i, 2), 16) / 255;
  return v <= .04045 ? v / 12.92 : Math.pow((v + .055) / 1.055, 2.4);
}

function luminance(hex) {
  return /^[0-9a-f]{6}$/i.test(hex || '') ? .2126 * linear(hex, 0) + .7152 * linear(hex, 2) + .0722 * linear(hex, 4) : null;
}
