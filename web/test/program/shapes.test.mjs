// Bodies drawn from files, through the program: /file/KEY of a run whose sources are gone, and a report without a server.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { begin, until } from './program.mjs';

let s, address;
const run = 'runs/shapes-0001';
const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const seat = 1.3; // m, of the antenna above the origin of the bus

/** A triangle with a picture on it. */
function painted() {
  const floats = [0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1];
  const data = Buffer.alloc(4 * floats.length);
  floats.forEach((x, i) => data.writeFloatLE(x, 4 * i));
  return JSON.stringify({
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    textures: [{ source: 0 }],
    images: [{ uri: pixel }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 0, 1] },
      { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' },
    ],
    bufferViews: [{ buffer: 0, byteLength: 36 }, { buffer: 0, byteOffset: 36, byteLength: 24 }],
    buffers: [{ byteLength: 60, uri: `data:application/octet-stream;base64,${data.toString('base64')}` }],
  });
}

before(async () => {
  s = await begin();
  s.vernier('examples', 'copy', 'shapes');
  const folder = join(s.folder, 'shapes');
  writeFileSync(join(folder, 'bus.gltf'), painted());
  renameSync(join(folder, 'panel.stl'), join(folder, 'Panel.STL'));
  const craft = join(folder, 'craft.xml');
  writeFileSync(craft, readFileSync(craft, 'utf8').replace('"bus.glb"', '"bus.gltf"').replace('"panel.stl"', '"Panel.STL"'));
  s.vernier('run', join(folder, 'shapes.xml'), '--until', '1s', '--quiet');
  rmSync(folder, { recursive: true });
  s.vernier('report', run, '-o', 'report.html');
  address = await s.serve();
});
after(async () => {
  await s.end();
  assert.deepEqual(s.faults, []);
});

async function drawn(page) {
  await until(page, () => Object.keys(window.vernierTest?.scene?.().vertices() ?? {}).length === 3);
  const { antenna, textures, covered } = await page.evaluate(() => {
    const scene = window.vernierTest.scene();
    return { antenna: scene.vertices()['craft.antenna'], covered: scene.coverage(), textures: scene.memory().textures };
  });
  assert.ok(textures >= 1, 'the picture on the bus is drawn');
  assert.ok(covered > 0.002);
  // the vertex of the dish is 0.3 m above its seat; the bus is at the origin and turns by less than 0.04 rad
  assert.ok(Math.abs(Math.hypot(...antenna) - (seat + 0.3)) < 0.01, `${antenna}`);
  assert.equal(await page.getByText('cannot be drawn').count(), 0);
}

test('a recorded run shows the files that were kept with it', async () => {
  const page = await s.page(address);
  const asked = [];
  page.on('response', (r) => r.url().includes('/file/') && asked.push([r.status(), r.headers()['content-type']]));
  await page.evaluate((h) => (location.hash = h), `#/run/${run}`);
  await drawn(page);
  assert.deepEqual(asked.sort(), [[200, 'model/gltf+json'], [200, 'model/obj'], [200, 'model/stl']]);
  await page.context().close();
});

test('a report has the files inside and asks for nothing', async () => {
  const page = await s.page('about:blank', { offline: true });
  const asked = [];
  page.on('request', (r) => !/^(file|blob|data):/.test(r.url()) && asked.push(r.url()));
  await page.goto(`${pathToFileURL(join(s.folder, 'report.html')).href}#/run/${run}`);
  await drawn(page);
  assert.deepEqual(asked, []);
  await page.context().close();
});
