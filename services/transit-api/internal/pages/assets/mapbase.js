// The base map of an operator's PMTiles file: images, or vector tiles of the Protomaps schema in muted colours. Labels use the reader's fonts.
// mapgl.js loads it.
export function open(gl, read, color, lang) {
  const file = new URL(read('tiles'), location.href).href;
  return script(read('pmtiles')).then(() => {
    const protocol = new window.pmtiles.Protocol(), archive = new window.pmtiles.PMTiles(file);
    protocol.add(archive);
    gl.addProtocol('pmtiles', protocol.tile);
    return read('base') || archive.getHeader().then(h => ({ version: 8, sources: { base: { type: h.tileType === 1 ? 'vector' : 'raster', url: 'pmtiles://' + file, tileSize: h.tileType === 1 ? 512 : 256 } },
      layers: h.tileType === 1 ? vector(color, lang) : [{ id: 'base', type: 'raster', source: 'base', paint: { 'raster-saturation': -.4 } }] }));
  });
}

function script(address) {
  return new Promise((done, failed) => {
    const e = document.createElement('script');
    e.src = address;
    e.onload = done;
    e.onerror = failed;
    document.head.appendChild(e);
  });
}

// Layers for orientation; roads are pale, so that the agency's lines stand out.
function vector(color, lang) {
  const dark = parseInt(color('--ground').slice(1, 3), 16) < 128, [land, green, water, road, edge] = dark ? ['#1b2026', '#1c2a22', '#16283a', '#343c45', '#4a545f'] : ['#f4f2ed', '#dfead7', '#c9dcea', '#ffffff', '#c9c2b6'];
  const from = layer => ({ source: 'base', 'source-layer': layer }), is = (...kinds) => ['in', ['get', 'kind'], ['literal', kinds]];
  const grow = (low, high) => ['interpolate', ['exponential', 1.5], ['zoom'], 8, low, 16, high];
  const way = (id, kinds, low, high, paint) => ({ id, type: 'line', ...from('roads'), filter: is(...kinds), layout: { 'line-cap': 'round', 'line-join': 'round' }, paint: { 'line-color': road, 'line-width': grow(low, high), ...paint } });
  return [
    { id: 'ground', type: 'background', paint: { 'background-color': water } },
    { id: 'earth', type: 'fill', ...from('earth'), paint: { 'fill-color': land } },
    { id: 'green', type: 'fill', ...from('landuse'), filter: is('park', 'forest', 'wood', 'nature_reserve', 'national_park', 'protected_area', 'grass', 'cemetery', 'golf_course'), paint: { 'fill-color': green } },
    { id: 'water', type: 'fill', ...from('water'), filter: ['==', ['geometry-type'], 'Polygon'], paint: { 'fill-color': water } },
    way('casing', ['highway', 'major_road'], 1, 9, { 'line-color': edge }),
    way('minor', ['minor_road'], .3, 5, {}),
    way('major', ['highway', 'major_road'], .6, 7, {}),
    way('rail', ['rail'], .5, 2, { 'line-color': edge, 'line-dasharray': [3, 2] }),
    { id: 'borders', type: 'line', ...from('boundaries'), paint: { 'line-color': edge, 'line-dasharray': [2, 2] } },
    { id: 'places', type: 'symbol', ...from('places'), layout: { 'text-field': ['coalesce', ['get', 'name:' + lang], ['get', 'name']], 'text-font': ['sans-serif'], 'text-size': ['match', ['get', 'kind'], ['locality'], 14, 12] },
      paint: { 'text-color': color('--soft'), 'text-halo-color': land, 'text-halo-width': 1.5 } },
  ];
}
