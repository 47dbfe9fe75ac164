// The 3D view with the scenes of missions, in a browser: every body is where another computation says, pictures are not
// empty, and time moves them. The scenes come from the program (VERNIER, default ../build/bin/vernier).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { chromium } from 'playwright-core';
import { Matrix4, Quaternion, Vector3 } from 'three';
import { build } from 'vite';
import { sampler } from './scene/signals.mjs';
import { watchFaults } from './faults.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const repository = process.env.VERNIER_SOURCE ?? join(here, '../..');
const program = process.env.VERNIER ?? join(repository, 'build/bin/vernier');
const pictures = process.env.VERNIER_PICTURES; // a folder for screenshots, for people
const patience = 240_000;
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

let folder, server, browser, address;
let files = new Map(); // by the key in /file/KEY: bytes
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scene-'));
  await build({ root: join(here, 'scene'), configFile: false, logLevel: 'error', base: './', plugins: [svelte({ configFile: false })], build: { outDir: folder, emptyOutDir: true, target: 'es2022' } });
  server = createServer((request, response) => {
    try {
      if (request.url.startsWith('/file/')) {
        const content = files.get(request.url.slice(6));
        response.statusCode = content ? 200 : 404;
        return response.end(content);
      }
      const name = request.url === '/' ? '/index.html' : new URL(request.url, 'http://x').pathname;
      const content = readFileSync(join(folder, name));
      response.setHeader('Content-Type', types[extname(name)] ?? 'application/octet-stream');
      response.end(content);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const sceneOf = (document) => JSON.parse(execFileSync(program, ['info', join(repository, document), '--scene'], { encoding: 'utf8', maxBuffer: 1 << 26 }));

async function opened(options = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 600 }, reducedMotion: 'reduce', colorScheme: 'light', ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  page.faults = [];
  watchFaults(page, page.faults, { console: true });
  await page.goto(address);
  await page.waitForFunction(() => window.show !== undefined);
  return page;
}

const state = (page) => page.evaluate(() => ({ ...window.vernierTest.scene(), coverage: undefined, memory: undefined }));
const coverage = (page) => page.evaluate(() => window.vernierTest.scene().coverage());

/** Poses by 4 × 4 matrices of three: another way than the view's. */
function expected(scene, sample, time, exaggeration = 1) {
  const value = (b) => {
    const n = b.count ?? 1;
    if (b.sum) return b.sum.map(value).reduce((a, v) => a.map((x, i) => x + v[i]));
    if (b.signal === undefined) return b.start.map((x) => x + (b.rate ?? 0) * time);
    if (b.recorded === false) return b.start ?? new Array(n).fill(0);
    return Array.from({ length: n }, (_, i) => sample(b.signal, (b.element ?? 0) + i, time) * (b.gain ?? 1));
  };
  const move = (v) => new Matrix4().makeTranslation(...v);
  const turn = (q) => new Matrix4().makeRotationFromQuaternion(new Quaternion(...q).normalize());
  const all = new Map();
  for (const body of scene.bodies) {
    const m = body.parent === undefined ? new Matrix4() : all.get(body.parent).clone();
    for (const s of body.pose) {
      if (s.offset) m.multiply(move(s.offset));
      if (s.rotation) m.multiply(turn(s.rotation));
      if (s.position) m.multiply(move(value(s.position)));
      if (s.attitude) m.multiply(turn(value(s.attitude)));
      if (s.along) m.multiply(move(s.along.map((x) => x * value(s.by)[0])));
      if (s.about && s.by) m.multiply(new Matrix4().makeRotationAxis(new Vector3(...s.about), value(s.by)[0]));
      if (s.modes) {
        const eta = value(s.modes).map((x) => x * exaggeration);
        const sum = (list) => (list ?? []).reduce((a, v, i) => a.addScaledVector(new Vector3(...v), eta[i]), new Vector3());
        const d = sum(s.shape);
        let k = 0;
        for (let i = 0; s.pairs && i < eta.length; ++i) for (let l = 0; l <= i; ++l, ++k) d.addScaledVector(new Vector3(...s.pairs[k]), (i === l ? 0.5 : 1) * eta[i] * eta[l]);
        m.multiply(move(d.toArray()));
        const t = sum(s.turn);
        if (t.length() > 0) m.multiply(new Matrix4().makeRotationAxis(t.clone().normalize(), t.length()));
      }
    }
    all.set(body.name, m);
  }
  return all;
}

function assertPoses(shown, scene, sample, time, exaggeration) {
  for (const [name, m] of expected(scene, sample, time, exaggeration)) {
    const p = new Vector3(), q = new Quaternion();
    m.decompose(p, q, new Vector3());
    const pose = shown.bodies[name];
    assert.ok(pose, `${name} is drawn`);
    const far = p.distanceTo(new Vector3(...pose.p));
    assert.ok(far <= 1e-9 * (1 + p.length()), `${name} is ${far} m from where it should be`);
    // rounding of the cosine near zero: an angle of 1e-7
    assert.ok(q.angleTo(new Quaternion(...pose.q)) < 1e-6, `${name} is turned as it should be`);
  }
}

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

const missions = {
  aausat2: 'missions/aausat2/aausat2.xml',
  cassini: 'missions/cassini/cassini.xml',
  'flexible-robot': 'missions/flexible-robot/sampled.xml',
  boom: 'missions/boom/deploy.xml',
  'space-robot': 'missions/space-robot/detumble.xml',
  pendulum: 'missions/pendulum/pendulum.xml',
  'epos-facility': 'missions/epos/facility.xml',
  'epos-simulator': 'missions/epos/simulator.xml',
  'spacefom-earth': 'missions/spacefom/earth.xml',
  'spacefom-vehicle': 'missions/spacefom/vehicle.xml',
  multibody: 'examples/multibody/burn.xml',
};

for (const [name, document] of Object.entries(missions))
  test(`${name}: bodies are where they should be, and move`, async () => {
    const scene = sceneOf(document);
    const sample = sampler(scene);
    const page = await opened();
    await page.evaluate((s) => window.show(s), scene);
    await page.waitForFunction(() => window.vernierTest.scene?.().frames > 0);
    assert.deepEqual(scene.missing ?? [], [], 'the mission records everything that its picture needs');
    const covered = await coverage(page);
    assert.ok(covered > 0.002, `${covered} of the picture is not background`);
    assertPoses(await state(page), scene, sample, 0);
    await picture(page, name);
    for (const time of [3, 11]) {
      const { frames } = await state(page);
      await page.evaluate((t) => window.seek(t), time);
      await page.waitForFunction((n) => window.vernierTest.scene().frames > n, frames);
      assertPoses(await state(page), scene, sample, time);
    }
    assert.ok((await coverage(page)) > 0.002);
    await picture(page, `${name}-later`);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

const shapes = 'examples/shapes/shapes.xml';

/** A scene whose files have keys, as the desktop gives them, and the bytes of each file by the body. */
function withFiles(document) {
  const scene = sceneOf(document);
  const bytes = new Map();
  files = new Map();
  for (const body of scene.bodies)
    for (const s of body.shapes ?? []) {
      if (s.shape !== 'file') continue;
      bytes.set(body.name, readFileSync(s.file));
      files.set(body.name, bytes.get(body.name));
      s.file = body.name;
    }
  return { scene, bytes };
}

/** The first vertex of a file, read here. */
const firstVertex = {
  gltf(bytes) {
    const json = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
    const view = json.bufferViews[json.accessors[json.meshes[0].primitives[0].attributes.POSITION].bufferView];
    const at = 28 + bytes.readUInt32LE(12) + (view.byteOffset ?? 0);
    return [0, 4, 8].map((i) => bytes.readFloatLE(at + i));
  },
  stl: (bytes) => [0, 4, 8].map((i) => bytes.readFloatLE(84 + 12 + i)),
  obj(bytes) {
    const lines = bytes.toString().split('\n');
    const corner = Number(lines.find((l) => l.startsWith('f ')).split(' ')[1]);
    return lines.filter((l) => l.startsWith('v '))[corner - 1].split(' ').slice(1).map(Number);
  },
};

function assertVertices(found, scene, bytes, sample, time) {
  const poses = expected(scene, sample, time);
  for (const [name, content] of bytes) {
    const shape = scene.bodies.find((b) => b.name === name).shapes[0];
    const place = new Matrix4().compose(new Vector3(...(shape.at ?? [0, 0, 0])), new Quaternion(...(shape.rotation ?? [0, 0, 0, 1])), new Vector3(...(shape.scale ?? [1, 1, 1])));
    const wanted = new Vector3(...firstVertex[shape.format](content)).applyMatrix4(place).applyMatrix4(poses.get(name));
    assert.ok(found[name], `${name} is drawn from its file`);
    const far = wanted.distanceTo(new Vector3(...found[name]));
    assert.ok(far < 1e-5, `the first vertex of ${name} is ${far} m from where it should be`);
  }
}

test('shapes: files are drawn where their bodies are', async () => {
  const { scene, bytes } = withFiles(shapes);
  assert.equal(bytes.size, 3);
  assert.deepEqual(new Set(scene.bodies.flatMap((b) => (b.shapes ?? []).map((s) => s.format ?? ''))), new Set(['gltf', 'stl', 'obj']));
  const sample = sampler(scene);
  const page = await opened();
  await page.evaluate((s) => window.show(s), scene);
  const vertices = () => page.evaluate(() => window.vernierTest.scene().vertices());
  const memory = () => page.evaluate(() => window.vernierTest.scene().memory());
  const loaded = () => page.waitForFunction((n) => Object.keys(window.vernierTest.scene?.().vertices() ?? {}).length === n, bytes.size);
  await loaded();
  assert.ok((await coverage(page)) > 0.002);
  assertVertices(await vertices(), scene, bytes, sample, 0);
  await picture(page, 'shapes');
  for (const time of [3, 11]) {
    const { frames } = await state(page);
    await page.evaluate((t) => window.seek(t), time);
    await page.waitForFunction((n) => window.vernierTest.scene().frames > n, frames);
    assertVertices(await vertices(), scene, bytes, sample, time);
  }
  // other colours: everything is drawn anew, and the old is freed
  const held = await memory();
  const { frames } = await state(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForFunction((n) => window.vernierTest.scene().frames > n, frames);
  await loaded();
  assert.ok((await coverage(page)) > 0.002);
  assert.deepEqual(await memory(), held);
  assert.equal(await page.getByText('cannot be drawn').count(), 0);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

const hostile = {
  'cut off': (bytes) => bytes.subarray(0, bytes.length / 2),
  'of noise': (bytes) => Buffer.from(bytes.map((_, i) => (i * i * 31 + 7 * i) % 251)),
  'without a number': (bytes) => Buffer.from(bytes.toString('latin1').replaceAll(/v [-.0-9]+/g, 'v x').replaceAll('"count":', '"count":-'), 'latin1').fill(0xff, 84, 200),
  empty: () => Buffer.alloc(0),
};
for (const [how, change] of Object.entries(hostile))
  test(`shapes: files ${how} leave the page alive, and a sentence says so`, async () => {
    const { scene, bytes } = withFiles(shapes);
    const sample = sampler(scene);
    for (const [name, content] of bytes) files.set(name, change(content));
    const page = await opened();
    await page.evaluate((s) => window.show(s), scene);
    for (const name of bytes.keys()) await page.getByText(`The file of ${name} cannot be drawn`).waitFor();
    assert.deepEqual(await page.evaluate(() => window.vernierTest.scene().vertices()), {});
    assert.ok((await coverage(page)) > 0.002, 'boxes by the inertia stand for them');
    assertPoses(await state(page), scene, sample, 0);
    const { frames } = await state(page);
    await page.evaluate(() => window.seek(3));
    await page.waitForFunction((n) => window.vernierTest.scene().frames > n, frames);
    assertPoses(await state(page), scene, sample, 3);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

test('shapes: a file that is gone, and one that asks for another', async () => {
  const { scene } = withFiles(shapes);
  const [bus, panel] = scene.bodies.filter((b) => b.shapes?.[0]?.shape === 'file').map((b) => b.name);
  files.delete(panel);
  const json = { asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }], accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }], bufferViews: [{ buffer: 0, byteLength: 36 }], buffers: [{ byteLength: 36, uri: '/elsewhere.bin' }] };
  files.set(bus, Buffer.from(JSON.stringify(json)));
  const page = await opened();
  const asked = [];
  page.on('request', (r) => asked.push(new URL(r.url()).pathname));
  await page.evaluate((s) => window.show(s), scene);
  await page.getByText(`The file of ${bus} cannot be drawn: it needs another file.`).waitFor();
  await page.getByText(`The file of ${panel} cannot be drawn: the server does not have it any more.`).waitFor();
  await page.waitForFunction(() => Object.keys(window.vernierTest.scene().vertices()).length === 1);
  assert.ok(!asked.includes('/elsewhere.bin'), asked.join(' '));
  assert.ok((await coverage(page)) > 0.002);
  await page.context().close();
});
