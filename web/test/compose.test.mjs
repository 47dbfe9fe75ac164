// The page for editing documents, in a browser, with the program's own checks.
//   node --test test/compose.test.mjs
// VERNIER_COMPOSE names the build's compose_requests, VERNIER_PACK another page than ../page.pack.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test as plain } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Composer } from '../mock/compose.mjs';
import { serve } from '../mock/server.mjs';
import { watchFaults } from './faults.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const source = process.env.VERNIER_SOURCE ?? fileURLToPath(new URL('../..', import.meta.url));
const program = process.env.VERNIER_COMPOSE ?? join(source, 'build/bin/compose_requests');
// with a real server the other tests suffice; without the program there is nothing to ask
const skip = process.env.VERNIER_SERVER ? 'of the mock server' : existsSync(program) ? false : `there is no ${program}: build compose_requests`;
const test = (name, f) => plain(name, { skip }, f);
const pack = process.env.VERNIER_PACK ?? new URL('../page.pack', import.meta.url);

const patience = Number(process.env.VERNIER_PATIENCE ?? 240_000); // a busy machine is slow, and nothing else is concluded from it

let browser, folder, server, context, page, failures;

before(async () => {
  if (skip) return;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] });
});
after(() => browser?.close());
afterEach(async () => {
  if (skip) return;
  await context.close();
  server.close();
  rmSync(folder, { recursive: true });
  assert.deepEqual(failures, [], 'the page had no errors');
});
beforeEach(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'vernier_compose_'));
  cpSync(join(source, 'missions/aausat2'), join(folder, 'aausat2'), { recursive: true });
  server = await serve(0, pack, new Composer(program, folder));
  context = await browser.newContext({ viewport: { width: 1500, height: 900 } });
  context.setDefaultTimeout(patience);
  page = await context.newPage();
  failures = [];
  watchFaults(page, failures, { console: true });
});

const part = (name) => page.evaluate((n) => window.vernierTest[n]?.(), name);

/** Waits until a part of the page is as wanted. */
async function until(name, wanted, ...values) {
  const end = Date.now() + patience;
  let now;
  do {
    now = await part(name);
    if (now && wanted(now, ...values)) return;
    await new Promise((resolve) => setTimeout(resolve, 30));
  } while (Date.now() < end);
  throw new Error(`${name} is not ${wanted}: ${JSON.stringify(now)}`);
}

async function open(document, address = server.address) {
  await page.goto(address);
  await page.evaluate((d) => (location.hash = `#/edit/${d}`), document);
  await page.waitForSelector('[data-test="editor"] .cm-content', { timeout: patience });
  await until('compose', (c) => c.checked && c.grammar && c.catalogue);
}

/** Puts the cursor behind a text that is there once. */
async function cursorBehind(text) {
  const at = (await part('editor')).text.indexOf(text);
  assert.ok(at >= 0, `"${text}" is in the document`);
  await page.evaluate(([offset]) => {
    const { view } = document.querySelector('.cm-content').cmTile;
    view.dispatch({ selection: { anchor: offset }, scrollIntoView: true });
    view.focus();
  }, [at + text.length]);
}

test('a typo shows the words of the checker, and its fix mends it', async () => {
  await open('aausat2/aausat2.xml');
  const original = (await part('editor')).text;
  await cursorBehind('from="body_field.rotated" to="coils.field');
  await page.keyboard.type('s');
  await until('compose', (c) => c.checked && c.problems.some((p) => p.code === 'V2112'));
  const shown = await page.locator('[data-test="problems"] li').first().innerText();
  assert.match(shown, /coils has no input "fields"/);
  assert.match(shown, /did you mean coils\.field\?/);
  assert.equal(await page.locator('.cm-lintRange-error').first().innerText(), 'coils.fields');
  await page.getByRole('button', { name: 'Replace by coils.field' }).click();
  await until('compose', (c) => c.checked && c.problems.every((p) => p.severity !== 'error'));
  assert.equal((await part('editor')).text, original);
});

test('a document that is not well-formed keeps its graph, which cannot be changed', async () => {
  await open('aausat2/aausat2.xml');
  await cursorBehind('<connect from="orbit.position" to="field.position"/>');
  await page.keyboard.type('<');
  await until('compose', (c) => c.checked && c.problems.some((p) => p.severity === 'error'));
  assert.ok((await part('graph')).nodes.length >= 7);
  await page.getByText('The text is not well-formed').waitFor();
});

test('a connection is drawn from port to port, and undo in the text takes it back', async () => {
  await open('aausat2/aausat2.xml');
  await until('compose', (c) => c.described.length === 7);
  const before = (await part('editor')).text;
  // first a connection is removed, so that an input is free
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  const wanted = (e) => e.source === 'body' && e.target === 'supervisor' && e.targetHandle === 'omega';
  await until('graph', (g) => g.edges.some(wanted));
  const { edges } = await part('graph');
  const edge = edges.find(wanted);
  await page.locator(`[data-id="${edge.id}"]`).first().focus();
  await page.keyboard.press('Enter');
  await until('compose', (c) => c.selected?.kind === 'connection');
  await page.locator('[data-test="graph"]').press('Delete');
  await until('graph', (g, n) => g.edges.length === n - 1, edges.length);
  const removed = (await part('editor')).text;
  assert.equal(removed, before.replace('  <connect from="body.omega" to="supervisor.omega"/>\n', ''));
  await until('compose', (c) => c.checked && c.problems.some((p) => p.severity === 'error'));

  // the graph may move while it is drawn on, once its parts are described
  const isDrawn = async () => (await part('graph')).edges.length === edges.length;
  for (const end = Date.now() + patience; !(await isDrawn()) && Date.now() < end; ) {
    const from = await page.locator('[data-port="body.omega"][data-side="out"]').boundingBox();
    const to = await page.locator('[data-port="supervisor.omega"][data-side="in"]').boundingBox();
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 8 });
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
    await page.mouse.up();
    for (let k = 0; k < 50 && !(await isDrawn()); ++k) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const drawn = (await part('editor')).text;
  assert.ok(drawn.includes('\n  <connect from="body.omega" to="supervisor.omega"/>\n'));
  assert.equal(drawn.length, before.length);
  await until('compose', (c) => c.checked && c.problems.every((p) => p.severity !== 'error'));

  // one history: in the text, then in the graph
  await page.getByRole('button', { name: 'Both', exact: true }).click();
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+z');
  await until('editor', (e, text) => e.text === text, removed);
  await page.locator('[data-test="graph"]').press('Control+z');
  await until('editor', (e, text) => e.text === text, before);
  await page.locator('[data-test="graph"]').press('Control+Shift+z');
  await until('editor', (e, text) => e.text === text, removed);
});

test('an instance is renamed with its connections, and text and graph select the same', async () => {
  await open('aausat2/aausat2.xml');
  await cursorBehind('<system id="wheels"');
  await page.keyboard.press('ArrowRight');
  await until('graph', (g) => g.nodes.some((n) => n.id === 'wheels' && n.selected));
  const name = page.locator('[data-test="inspector"]').getByLabel('name', { exact: true });
  await name.fill('body');
  await page.getByText('there is a "body" already').waitFor();
  await name.fill('rotors');
  await name.press('Enter');
  await until('graph', (g) => g.nodes.some((n) => n.id === 'rotors' && n.selected) && !g.nodes.some((n) => n.id === 'wheels'));
  const { text } = await part('editor');
  assert.equal(text.replaceAll('rotors', 'wheels'), readFileSync(join(folder, 'aausat2/aausat2.xml'), 'utf8'));
  await page.locator('[data-instance="orbit"] header').click();
  assert.match(await page.locator('.cm-selected-element').first().innerText(), /<system id="orbit"/);
});

test('what is added from the catalogue by keyboard is a line of the document', async () => {
  await open('aausat2/aausat2.xml');
  await page.locator('[data-test="graph"]').press('a');
  await page.locator('dialog input').fill('magnetorquers');
  await page.keyboard.press('Enter');
  await until('graph', (g) => g.nodes.some((n) => n.id === 'magnetorquers' && n.selected));
  const added = (await part('editor')).text;
  assert.match(added, /\n  <system id="magnetorquers" type="magnetorquers"\/?>\n/);
  // its parameters can be set
  await until('compose', (c) => c.described.includes('magnetorquers'));
  const field = page.locator('[data-test="inspector"]').getByLabel('max_voltage', { exact: true });
  await field.fill('2 V');
  await field.press('Enter');
  await until('editor', (e) => e.text.includes('<parameter name="max_voltage" value="2 V"/>'));
});

test('an automaton is a graph as well', async () => {
  await open('aausat2/supervisor.xml');
  const { nodes, edges } = await part('graph');
  await page.locator('[data-test="graph"]').press('a');
  await until('graph', (g, n) => g.nodes.length === n + 1, nodes.length);
  await page.locator('[data-test="inspector"] select').selectOption(nodes[0].id);
  await until('graph', (g, n) => g.edges.length === n + 1, edges.length);
  const guard = page.locator('[data-test="inspector"]').getByLabel('guard', { exact: true });
  await guard.fill('t > 5 & t < 7');
  await guard.press('Enter');
  await until('editor', (e) => e.text.includes('<domain>t &gt; 5 &amp; t &lt; 7</domain>'));
});

test('completion offers ports that fit', async () => {
  await open('aausat2/aausat2.xml');
  await until('compose', (c) => c.described.length === 7);
  await cursorBehind('<connect from="body.omega" to="');
  await page.keyboard.press('Control+Space');
  await page.waitForSelector('.cm-tooltip-autocomplete li');
  const first = await page.locator('.cm-tooltip-autocomplete li').first().innerText();
  assert.match(first, /3 × rad\/s/);
  await page.keyboard.press('Escape');
});

test('a file that somebody else changed is not written over, unless one says so', async () => {
  await open('aausat2/aausat2.xml');
  const file = join(folder, 'aausat2/aausat2.xml');
  const original = readFileSync(file, 'utf8');
  await cursorBehind('altitude" value="6');
  await page.keyboard.type('0');
  await until('compose', (c) => c.documents[0].modified);
  await page.keyboard.press('Control+s');
  await until('compose', (c) => !c.documents[0].modified);
  assert.equal(readFileSync(file, 'utf8'), original.replace('600 km', '6000 km'));

  writeFileSync(file, original.replace('600 km', '700 km'));
  await page.keyboard.type('1');
  await until('compose', (c) => c.documents[0].modified);
  await page.keyboard.press('Control+s');
  await page.locator('[data-test="conflict"]').waitFor();
  assert.match(await page.locator('[data-test="conflict"]').innerText(), /was changed since it was opened/);
  assert.ok(readFileSync(file, 'utf8').includes('700 km'));
  await page.getByRole('button', { name: 'Write over it' }).click();
  await until('compose', (c) => !c.documents[0].modified && !c.documents[0].conflict);
  assert.ok(readFileSync(file, 'utf8').includes('60100 km'));
});

test('unsaved changes outlive the page', async () => {
  await open('aausat2/aausat2.xml');
  await cursorBehind('altitude" value="6');
  await page.keyboard.type('5');
  await until('compose', (c) => c.documents[0].modified);
  page.on('dialog', (d) => void d.accept());
  await page.waitForFunction(() => localStorage.getItem('vernier.draft.aausat2/aausat2.xml') !== null);
  await page.reload();
  await page.locator('[data-test="draft"]').waitFor();
  await page.getByRole('button', { name: 'Restore them' }).click();
  await until('editor', (e) => e.text.includes('6500 km'));
});

for (const colorScheme of ['light', 'dark'])
  test(`axe-core finds no serious violation (${colorScheme})`, async () => {
    await page.emulateMedia({ colorScheme });
    await open('aausat2/aausat2.xml');
    await page.getByRole('button', { name: 'Catalogue' }).click();
    await page.locator('[data-instance="orbit"] header').click();
    await cursorBehind('<connect from="body.omega" to="');
    await page.keyboard.type('x');
    await until('compose', (c) => c.checked && c.problems.length > 0);
    await page.keyboard.press('Escape');
    for (const document of ['', 'aausat2/supervisor.xml']) {
      if (document) await open(document);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`), []);
    }
  });

test('a link that only watches changes nothing', async () => {
  await open('aausat2/aausat2.xml', server.watching);
  const before = (await part('editor')).text;
  await page.locator('.cm-content').focus();
  await page.keyboard.type('x');
  await page.locator('[data-test="graph"]').press('a');
  assert.equal((await part('editor')).text, before);
  assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
});
