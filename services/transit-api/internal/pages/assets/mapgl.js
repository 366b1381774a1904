// The interactive map, by MapLibre GL. map.js loads it if the browser supports it; the page's drawing stays below.
export function open(box, o) {
  const read = name => box.getAttribute('data-' + name), style = document.createElement('link'), css = getComputedStyle(document.documentElement);
  const color = name => css.getPropertyValue(name).trim();
  style.rel = 'stylesheet';
  style.href = read('css');
  document.head.appendChild(style);
  const lib = import(read('lib'));
  // Without readable tiles the background stays plain.
  const base = read('tiles') ? Promise.all([lib, import(read('below'))]).then(all => all[1].open(all[0], read, color, document.documentElement.lang)).catch(() => null) : read('base');
  return Promise.all([lib, base, new Promise(done => { style.onload = style.onerror = done; })]).then(all => show(all[0], all[1], box, read, color, o));
}

function show(gl, base, box, read, color, o) {
  gl.setWorkerUrl(new URL(read('worker'), location.href).href);
  const host = document.createElement('div'), say = o.say;
  const [west, north, across, down, width, height] = o.frame;
  host.id = 'gl';
  box.appendChild(host);
  const blank = { version: 8, sources: {}, layers: [{ id: 'ground', type: 'background', paint: { 'background-color': color('--tint') } }] };
  let map;
  try {
    map = new gl.Map({ container: host, style: base || blank, bounds: [[west, north - height / down], [west + width / across, north]], fitBoundsOptions: { padding: { top: 10, bottom: 10, left: 60, right: 60 } }, cooperativeGestures: true,
      attributionControl: false, dragRotate: false, pitchWithRotate: false, touchPitch: false, maxZoom: 18, fadeDuration: 0,
      locale: { 'Map.Title': say.title, 'NavigationControl.ZoomIn': say.closer, 'NavigationControl.ZoomOut': say.further, 'AttributionControl.ToggleAttribution': say.credit, 'Popup.Close': say.close, 'GeolocateControl.FindMyLocation': say.me, 'GeolocateControl.LocationNotAvailable': say.lost,
        'CooperativeGesturesHandler.WindowsHelpText': say.ctrl, 'CooperativeGesturesHandler.MacHelpText': say.cmd, 'CooperativeGesturesHandler.MobileHelpText': say.fingers } });
  } catch (e) {
    host.remove();
    throw e;
  }
  map.touchZoomRotate.disableRotation();
  map.addControl(new gl.NavigationControl({ showCompass: false }), 'top-right');
  if (navigator.geolocation && window.isSecureContext) map.addControl(new gl.GeolocateControl({ positionOptions: { enableHighAccuracy: true } }), 'top-right');
  if (base) map.addControl(new gl.AttributionControl({ compact: false, customAttribution: escape(read('credit') || '') }));
  map.on('webglcontextlost', () => box.classList.remove('gl'));
  return new Promise((done, failed) => {
    let ready = false, seen = false;
    // Without a style or without the lines, the drawing stays.
    map.on('error', e => { if (ready ? !seen && e.sourceId === 'net' : !map.isStyleLoaded()) { map.remove(); host.remove(); failed(e.error); } });
    map.on('load', () => {
      ready = true;
      layers(map, o, color, read, [].map.call(box.querySelectorAll('svg .name'), g => {
        const at = /([-\d]+) ([-\d]+)/.exec(g.getAttribute('transform'));
        return { at: [west + at[1] / across, north - at[2] / down], p: { name: g.textContent } };
      }));
      clicks(map, gl, read);
      map.once('idle', () => { seen = true; box.classList.add('gl'); }); // the drawing stays until the map is visible
      done({ draw: list => map.getSource('vehicles').setData(points(list.map(v => ({ at: [v.lon, v.lat], p: { label: v.label.length > 4 ? '' : v.label, words: v.words, color: v.color, route_id: v.route_id, old: v.old, turn: v.bearing === undefined ? -1 : v.bearing } })))) });
    });
  });
}

// Old vehicles are faint.
const FAINT = ['case', ['get', 'old'], .5, 1];

const points = list => ({ type: 'FeatureCollection', features: list.map(f => ({ type: 'Feature', properties: f.p, geometry: { type: 'Point', coordinates: f.at } })) });

const escape = text => { const e = document.createElement('p'); e.textContent = text; return e.innerHTML; };

// The lines are those of the vector tiles. The map of a feed also has their stops; the map of a line has its own.
function layers(map, o, color, read, mains) {
  const route = read('route'), shades = read('colors').split(' ').filter(Boolean).flatMap(hex => ['#' + hex.toUpperCase(), o.shade(hex)]), plain = o.shade('');
  const dot = { 'circle-color': '#fff', 'circle-stroke-color': '#5b6670', 'circle-stroke-width': 2 };
  const stops = route ? JSON.parse(read('stops')).map(s => ({ at: [s[2], s[3]], p: { stop_id: s[0], label: s[1] } })) : [];
  const from = route ? { source: 'stops' } : { source: 'net', 'source-layer': 'stops' };
  map.addSource('net', { type: 'vector', tiles: [location.origin + read('net')], maxzoom: 14 });
  map.addSource('stops', { type: 'geojson', data: points(stops) });
  map.addSource('vehicles', { type: 'geojson', data: points([]) });
  map.addLayer({ id: 'ways', type: 'line', source: 'net', 'source-layer': 'routes', ...(route ? { filter: ['==', ['get', 'route_id'], route] } : {}), layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': shades.length ? ['match', ['get', 'color'], ...shades, plain] : plain, 'line-width': ['interpolate', ['linear'], ['zoom'], 4, 1, 9, 2, 14, 5] } });
  map.addLayer({ id: 'stops', type: 'circle', ...from, minzoom: route ? 0 : 12, paint: { ...dot, 'circle-radius': ['interpolate', ['linear'], ['zoom'], 9, 2, 14, 5] } });
  map.addLayer({ id: 'names', type: 'symbol', ...from, minzoom: route ? 13 : 15, layout: { 'text-field': ['get', 'label'], 'text-font': ['sans-serif'], 'text-size': 12, 'text-offset': [.8, 0], 'text-anchor': 'left', 'text-optional': true },
    paint: { 'text-color': color('--ink'), 'text-halo-color': color('--ground'), 'text-halo-width': 1.5 } });
  map.addSource('mains', { type: 'geojson', data: points(mains) });
  map.addLayer({ id: 'dots', type: 'circle', source: 'mains', paint: { ...dot, 'circle-radius': 4 } });
  map.addLayer({ id: 'mains', type: 'symbol', source: 'mains', layout: { 'text-field': ['get', 'name'], 'text-font': ['sans-serif'], 'text-size': 13, 'text-variable-anchor': ['left', 'right', 'top', 'bottom'], 'text-radial-offset': .7 },
    paint: { 'text-color': color('--ink'), 'text-halo-color': color('--ground'), 'text-halo-width': 2 } });
  map.addImage('turn', arrow(), { sdf: true });
  const old = ['case', ['get', 'old'], '#6b7782', ['get', 'color']];
  map.addLayer({ id: 'turns', type: 'symbol', source: 'vehicles', filter: ['>=', ['get', 'turn'], 0],
    layout: { 'icon-image': 'turn', 'icon-size': ['interpolate', ['linear'], ['zoom'], 9, .5, 12, 1], 'icon-rotate': ['get', 'turn'], 'icon-rotation-alignment': 'map', 'icon-allow-overlap': true, 'icon-ignore-placement': true }, paint: { 'icon-color': old, 'icon-opacity': FAINT } });
  map.addLayer({ id: 'vehicles', type: 'circle', source: 'vehicles', paint: { 'circle-radius': ['interpolate', ['linear'], ['zoom'], 9, 5, 12, 11], 'circle-color': old, 'circle-opacity': FAINT, 'circle-stroke-color': '#fff', 'circle-stroke-width': 1.5 } });
  map.addLayer({ id: 'labels', type: 'symbol', source: 'vehicles', minzoom: 10.5, layout: { 'text-field': ['get', 'label'], 'text-font': ['sans-serif'], 'text-size': 11, 'text-allow-overlap': true, 'text-ignore-placement': true }, paint: { 'text-color': '#fff', 'text-halo-color': 'rgba(0,0,0,.55)', 'text-halo-width': 1 } });
}

// An arrow beyond the vehicle's circle, to the north.
function arrow() {
  const c = document.createElement('canvas'), g = c.getContext('2d'), s = 48;
  c.width = c.height = s;
  g.beginPath();
  g.moveTo(s / 2, 1);
  g.lineTo(s / 2 + 9, 16);
  g.lineTo(s / 2 - 9, 16);
  g.fill();
  return g.getImageData(0, 0, s, s);
}

// next adds the next three departures of a stop.
function next(box, address, done) {
  fetch(address).then(r => r.ok ? Promise.all([r.text(), Date.parse(r.headers.get('Date')) / 1000]) : Promise.reject(r.status)).then(([html, now]) => {
    const rows = new DOMParser().parseFromString(html, 'text/html').getElementById('rows'), words = JSON.parse(rows.getAttribute('data-words'));
    [].slice.call(rows.querySelectorAll('tbody tr:not(.gone)')).sort((a, b) => a.getAttribute('data-t') - b.getAttribute('data-t')).slice(0, 3).forEach(row => {
      const p = document.createElement('p'), left = row.getAttribute('data-t') - now;
      p.appendChild(document.importNode(row.querySelector('.badge'), true));
      p.append(' ' + row.querySelector('.dest').textContent + ' ');
      p.appendChild(document.createElement('b')).textContent = left > 3600 ? row.querySelector('.c').textContent : left < 45 ? words.now : words.min.replace('{0}', Math.floor((left + 15) / 60));
      box.appendChild(p);
    });
    if (!rows.querySelector('tbody') && rows.querySelector('.quiet')) box.appendChild(document.importNode(rows.querySelector('.quiet'), true));
    done();
  }).catch(() => {}); // the link to the stop stays
}

// follow makes all lines but some faint, with their vehicles; null shows all lines again.
function follow(map, ids) {
  map.getContainer().parentNode.setAttribute('data-followed', ids ? ids.join(' ') : '');
  const faint = (others, usual) => ids ? ['case', ['in', ['get', 'route_id'], ['literal', ids]], usual, others] : usual;
  map.setPaintProperty('ways', 'line-opacity', faint(.15, 1));
  map.setPaintProperty('vehicles', 'circle-opacity', faint(.1, FAINT));
  map.setPaintProperty('vehicles', 'circle-stroke-opacity', faint(.1, 1));
  map.setPaintProperty('turns', 'icon-opacity', faint(.1, FAINT));
  map.setPaintProperty('labels', 'text-opacity', faint(.1, 1));
}

function clicks(map, gl, read) {
  const parts = read('stop').split('?'), lang = parts[1] ? '?' + parts[1] : '';
  const popup = (at, node) => new gl.Popup({ maxWidth: '18rem' }).setLngLat(at).setDOMContent(node).addTo(map);
  const link = (text, address) => { const a = document.createElement('a'); a.textContent = text; a.href = address; return a; };
  const layers = ['vehicles', 'stops', 'ways'];
  map.on('click', e => {
    const found = map.queryRenderedFeatures([[e.point.x - 6, e.point.y - 6], [e.point.x + 6, e.point.y + 6]], { layers });
    const of = layers.map(id => found.filter(f => f.layer.id === id)).filter(list => list.length)[0], box = document.createElement('div');
    if (!of) return;
    const f = of[0], p = f.properties;
    if (f.layer.id === 'vehicles') {
      box.appendChild(document.createElement('p')).textContent = p.words;
    } else if (f.layer.id === 'ways') {
      const met = {};
      of.forEach(l => { met[l.properties.route_id] = l.properties; });
      follow(map, Object.keys(met));
      Object.keys(met).slice(0, 8).forEach(id => box.appendChild(document.createElement('p')).appendChild(link(met[id].label, read('line').split('?')[0] + encodeURIComponent(met[id].agency_id) + '/' + encodeURIComponent(id) + lang)));
    } else {
      const address = parts[0] + encodeURIComponent(p.stop_id);
      box.appendChild(link(p.label, address + lang));
      next(box, address + '?part=rows&by=time' + (parts[1] ? '&' + parts[1] : ''), () => shown && shown.setDOMContent(box));
    }
    const shown = popup(f.geometry.type === 'Point' ? f.geometry.coordinates : e.lngLat, box);
    if (f.layer.id === 'ways') shown.on('close', () => follow(map, null));
  });
  layers.forEach(id => {
    map.on('mouseenter', id, () => { map.getCanvas().style.cursor = 'pointer'; });
    map.on('mouseleave', id, () => { map.getCanvas().style.cursor = ''; });
  });
}
