// Starts Townline, fetches its zip and its GTFS-Realtime messages, reads them with third-party programs, and compares their
// counts with each other, with the JSON and with the source. ../consumers.sh describes the arguments.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { importGtfs, openDb } from 'gtfs';
import bindings from 'gtfs-realtime-bindings';
import readCsv from 'gtfs-utils/read-csv.js';
import StreamZip from 'node-stream-zip';

import { readApps } from './onebusaway.mjs';

const realtime = bindings.transit_realtime;
const kinds = ['trip_updates', 'vehicle_positions', 'alerts'];
const [feed, ...given] = process.argv.slice(2);
const sources = Object.fromEntries(given.map((arg) => arg.split('=', 2)));
const alias = feed ? 'given' : 'alderbay';
const work = mkdtempSync(path.join(tmpdir(), 'consumers-'));
let failed = 0;
let stop = async () => {};

function line(what, counts) {
  const values = Object.values(counts);
  const same = values.every((n) => n === values[0]);
  if (!same) failed++;
  console.log(`${same ? 'same  ' : 'DIFFER'} ${what.padEnd(34)} ${Object.entries(counts).map(([who, n]) => `${who} ${n}`).join(', ')}`);
}

// up starts Townline and returns the address of its API.
async function up(agency) {
  const args = ['up', '--data', path.join(work, 'data'), '--only', 'transit', '--transit-addr', '127.0.0.1:0', '--demo-addr', '127.0.0.1:0'];
  if (feed) {
    const config = path.join(work, 'transit.yaml');
    const polled = Object.keys(sources).map((kind) => `\n  - {kind: ${kind}, url: "${agency}/${kind}", stale_after: 1h}`);
    writeFileSync(config, `access: {roles: {anonymous: [discovery, static, realtime, display]}}\nfeeds:\n- alias: ${alias}\n  url: ${JSON.stringify(path.resolve(feed))}\n`
      + (polled.length ? `  realtime:${polled.join('')}\n` : ''));
    args.push('--transit-config', config, '--allow-private');
  }
  const env = { ...process.env, ONEBUSAWAY: 'on' };
  delete env.DATABASE_URL;
  delete env.NATS_URL;
  const child = spawn('bin/townline', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => { child.on('exit', resolve); });
  stop = () => { child.kill('SIGINT'); return ended; };
  const address = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const found = /transit-api +(http:\/\/[^/]+)\//.exec(text);
      if (found) resolve(found[1]);
    });
    ended.then(() => reject(new Error(`townline has ended:\n${text}`)));
  });
  return `${address}/gtfs/api/v2`;
}

async function json(url) {
  const answer = await fetch(url, { headers: { Accept: 'application/json' } });
  return answer.ok ? answer.json() : null;
}

// until repeats a request until it succeeds.
async function until(what, ask) {
  for (let i = 0; i < 600; i++) {
    const answer = await ask();
    if (answer) return answer;
    await sleep(500);
  }
  throw new Error(`${what}: no answer for five minutes`);
}

// rows counts the rows of each table of a zip with gtfs-utils.
async function rows(file) {
  const zip = new StreamZip.async({ file });
  const counts = {};
  for (const entry of Object.values(await zip.entries())) {
    const name = path.basename(entry.name).toLowerCase();
    if (entry.isDirectory || !name.endsWith('.txt') || entry.name.includes('__MACOSX')) continue;
    counts[name] = 0;
    for await (const row of await readCsv(await zip.stream(entry))) {
      if (Object.values(row).some((cell) => cell !== '')) counts[name]++;
    }
  }
  await zip.close();
  return counts;
}

// database reads the exported zip with node-gtfs. It returns null if node-gtfs refuses the source for the same reason:
// 4.18 requires a stop in each stop time, which flexible trips do not have.
async function database(file) {
  const config = { agencies: [{ path: file }], sqlitePath: path.join(work, 'gtfs.sqlite'), verbose: false };
  const refused = (c) => importGtfs(c).then(() => '', (err) => err.message);
  const why = await refused(config);
  if (!why) return openDb(config);
  if (!feed || why !== await refused({ ...config, agencies: [{ path: path.resolve(feed) }], sqlitePath: path.join(work, 'source.sqlite') })) throw new Error(why);
  console.log(`       node-gtfs reads neither the source nor the export: ${why}`);
  return null;
}

async function schedule(api) {
  const listed = await until('the import', async () => {
    const files = await json(`${api}/feeds/${alias}/files?limit=500`);
    return files && files.meta.totalCount > 0 ? files.data : null;
  });
  const file = path.join(work, 'gtfs.zip');
  writeFileSync(file, Buffer.from(await (await fetch(`${api}/feeds/${alias}/gtfs.zip`)).arrayBuffer()));
  const exported = await rows(file);
  const source = feed ? await rows(feed) : exported;
  const db = await database(file);
  const tables = new Set(db ? db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all().map((t) => t.name) : []);
  for (const [name, n] of Object.entries(exported)) {
    const counts = { 'gtfs-utils': n };
    const table = name.replace('.txt', '');
    if (tables.has(table)) counts['node-gtfs'] = db.prepare(`SELECT count(*) AS n FROM ${table}`).get().n;
    const at = listed.find((f) => f.file === name);
    if (at && at.rows !== null && at.further_columns.length === 0) counts.files = at.rows;
    const resource = { stops: 'stops', agency: 'agencies' }[table];
    if (resource) counts.JSON = (await json(`${api}/feeds/${alias}/${resource}?limit=1`)).meta.totalCount;
    line(name, counts);
    if (source[name] !== n) console.log(`       ${name}: the source has ${source[name]} rows; the audit says why`);
  }
  for (const name of Object.keys(source)) if (!(name in exported)) console.log(`       ${name} of the source is not exported; the audit says why`);
}

// entities counts entities with the official JavaScript bindings.
function entities(data) {
  const m = realtime.FeedMessage.decode(data);
  const counts = { entities: m.entity.length, 'trip updates': 0, calls: 0, vehicles: 0, alerts: 0 };
  for (const e of m.entity) {
    if (e.tripUpdate) counts['trip updates']++;
    counts.calls += e.tripUpdate?.stopTimeUpdate?.length ?? 0;
    if (e.vehicle) counts.vehicles++;
    if (e.alert) counts.alerts++;
  }
  return counts;
}

async function messages(api) {
  for (const kind of kinds) {
    const from = sources[kind] ? entities(readFileSync(sources[kind])) : null;
    const wanted = feed ? from?.entities > 0 : kind !== 'alerts';
    const get = async () => Buffer.from(await (await fetch(`${api}/rt/feeds/${alias}/${kind}.pb`)).arrayBuffer());
    const data = await until(kind, async () => { // the first read causes a poll of the source
      const got = await get();
      return !wanted || entities(got).entities > 0 ? got : null;
    });
    const file = path.join(work, `${kind}.pb`);
    writeFileSync(file, data);
    const script = entities(data);
    const go = JSON.parse(execFileSync(process.env.GO ?? 'go', ['run', '-C', 'services', path.resolve('scripts/consumers/entities.go'), file]));
    for (const what of Object.keys(script)) {
      if (script[what] + go[what] === 0) continue;
      line(`${kind}.pb: ${what}`, { 'bindings for JavaScript': script[what], 'for Go': go[what], ...(from ? { source: from[what] } : {}) });
    }
  }
}

const agency = createServer((request, response) => {
  const file = sources[request.url.slice(1)];
  response.writeHead(file ? 200 : 404, { 'Content-Type': 'application/x-protobuf' });
  response.end(file ? readFileSync(file) : '');
});
await new Promise((resolve) => { agency.listen(0, '127.0.0.1', resolve); });
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    await stop();
    rmSync(work, { recursive: true, force: true });
    process.exit(1);
  });
}
try {
  const api = await up(`http://127.0.0.1:${agency.address().port}`);
  await schedule(api);
  await messages(api);
  await readApps(api.replace('/gtfs/api/v2', `/oba/${alias}`), line);
} finally {
  await stop();
  agency.close();
  rmSync(work, { recursive: true, force: true });
}
console.log(failed ? `${failed} counts differ` : 'all counts agree');
process.exitCode = failed ? 1 : 0;
