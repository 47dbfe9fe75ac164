// The example's page in a browser. usage: openmct.mjs PART PAGE [ADDRESS]
//   live     a run at ADDRESS: prints what the page received and showed as JSON, then, once the run has ended, how it shows that
//   hostile  a server whose texts are HTML, and which sends many rows
import net from 'node:net';
import readline from 'node:readline';
import { chromium } from 'playwright-core';
import { WebSocketServer } from 'ws';

const [part, place, address] = process.argv.slice(2);
const patience = 300_000; // a busy machine is slow, and nothing else is concluded from it
const say = (what) => console.log(JSON.stringify(what));
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags });
const context = await browser.newContext({ viewport: { width: 1440, height: 2400 }, reducedMotion: 'reduce' }); // the tree has only items that can be seen
context.setDefaultTimeout(patience);
const page = await context.newPage();
const faults = [];
page.on('pageerror', (e) => e.message.startsWith('ResizeObserver loop') || faults.push(e.stack || e.message));
page.on('request', (r) => new URL(r.url()).hostname === '127.0.0.1' || r.url().startsWith('data:') || r.url().startsWith('blob:') || faults.push(`asks for ${r.url()}`));
const until = (condition, argument) => page.waitForFunction(condition, argument, { timeout: patience });
const state = page.getByRole('status').filter({ hasText: 'Vernier' });
const shown = (text) => page.getByRole('status').filter({ hasText: text }).first().waitFor();
const warned = (text) => page.getByRole('alert').filter({ hasText: text }).first().waitFor();

/** Opens all folders of the run in the tree; the names that it lists. */
async function expanded() {
  const items = page.getByRole('tree', { name: 'Main Tree' }).getByRole('treeitem');
  const closed = items.and(page.locator('[aria-expanded=false]')).locator('.c-disclosure-triangle[aria-label^="Expand"]:not([aria-label*="My Items"])');
  await closed.first().waitFor();
  while ((await closed.count()) > 0) {
    const open = await page.locator('[role=treeitem][aria-expanded=true]').count();
    await closed.first().click();
    await until((before) => {
      const depth = (item) => (item ? parseFloat(item.style.paddingLeft) : 0);
      const all = [...document.querySelectorAll('[role=treeitem]')];
      const opened = all.filter((item) => item.ariaExpanded === 'true');
      return opened.length > before && opened.every((item) => depth(all[all.indexOf(item) + 1]) > depth(item));
    }, open);
  }
  return items.locator('.c-tree__item__name').allTextContents();
}

/** Rows that a telemetry table shows: the texts of their cells. */
const table = () => page.locator('.js-telemetry-table__content tr').evaluateAll((rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));
const newest = () => document.querySelector('.js-telemetry-table__content tr td:last-child')?.textContent ?? '';

/** What Open MCT's telemetry API answers for all objects with these keys: what the page has received so far. */
const received = (keys) =>
  page.evaluate(async (all) => {
    const { objects, telemetry } = window.openmct;
    const found = {};
    for (const key of all) {
      const object = await objects.get({ namespace: 'vernier', key: encodeURIComponent(key) });
      const values = telemetry.getMetadata(object).valueMetadatas.map(({ key, name, units }) => ({ key, name, units }));
      found[key] = { notes: object.notes, values, rows: await telemetry.request(object, { start: 0, end: 1e15 }) };
    }
    return found;
  }, keys);

/** Between the page and the server, so that the connection can be lost. */
async function proxy(to) {
  const open = new Set();
  let broken = false;
  const server = net.createServer((client) => {
    if (broken) return client.destroy();
    const onward = net.connect(Number(to.port), to.hostname);
    for (const [a, b] of [[client, onward], [onward, client]]) {
      open.add(a);
      a.pipe(b);
      a.on('error', () => b.destroy());
      a.on('close', () => (open.delete(a), b.end()));
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const interrupt = (now) => {
    broken = now;
    if (now) for (const s of open) s.destroy();
  };
  return { port: server.address().port, interrupt, close: () => (interrupt(true), server.close()) };
}

async function live() {
  const between = await proxy(new URL(address));
  const there = new URL(address);
  there.port = between.port;
  await page.goto(place);
  await page.getByRole('textbox').fill(there.href);
  await page.getByRole('button', { name: 'Connect' }).click();
  await shown('Vernier: connected to');
  const tree = await expanded();

  await page.getByText('body.omega', { exact: true }).first().click(); // a plot
  await page.locator('.gl-plot-chart-area').first().waitFor();
  const end = await page.evaluate(() => window.openmct.time.getBounds().end);
  await until((before) => window.openmct.time.getBounds().end > before, end);

  await page.evaluate(() => window.openmct.router.updateParams({ view: 'table' }));
  await until(newest);
  const first = await table();
  await page.waitForFunction(`(${newest})() > ${JSON.stringify(first[0].at(-1))}`, undefined, { timeout: patience });
  const later = await table();

  between.interrupt(true);
  await shown('not connected to');
  await warned('not connected to');
  const lost = await state.first().textContent();
  const before = await table();
  between.interrupt(false);
  await shown('Vernier: connected to');
  await page.waitForFunction(`(${newest})() > ${JSON.stringify(before[0].at(-1))}`, undefined, { timeout: patience });

  say({ tree, shown: [...first, ...later, ...(await table())], lost, received: await received(tree.filter((name) => name.includes('.'))) });
  await new Promise((over) => readline.createInterface({ input: process.stdin }).once('line', over)); // the run is ended now
  await shown('not connected to');
  const over = await state.first().textContent();
  between.close();
  say({ over, faults });
}

async function hostile() {
  const html = '<img src=x onerror=hurt=1>';
  const name = `ω ${html}`;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: (names) => [...names][0] });
  await new Promise((done) => server.once('listening', done));
  const rows = 20_100;
  let stranger = true; // at first another program is there
  server.on('connection', (socket) => {
    const channel = (id, path, value) => ({ id, topic: `/${path}`, encoding: 'cdr', schemaName: 'x', schema: `# ${path}: ${html}\n${value}\n`, schemaEncoding: 'ros2msg' });
    if (stranger) {
      socket.send(JSON.stringify({ op: 'advertise', channels: [{ id: 1, topic: '/x', encoding: 'json', schemaName: 'x', schema: '{}' }] }));
      return;
    }
    socket.send(JSON.stringify({ op: 'serverInfo', name: html, capabilities: ['time'], sessionId: html }));
    socket.send(JSON.stringify({ op: 'advertise', channels: [channel(7, `a.${name}`, `float64 value  # ${html}, axes ${html}`), channel(8, 'a.count', 'int64[2] value  # 1'), channel(9, 'a.on', 'uint8 value  # 1')] }));
    socket.on('message', (text) => {
      for (const { id, channelId } of JSON.parse(text).subscriptions) {
        for (let n = 0; n < (channelId === 7 ? rows : 1); ++n) {
          const message = Buffer.alloc(17 + (channelId === 9 ? 1 : channelId === 8 ? 16 : 8));
          message.writeUInt8(1, 0);
          message.writeUInt32LE(id, 1);
          message.writeBigUInt64LE(BigInt(n + 1) * 1_000_000n, 5);
          message.writeUInt8(1, 14); // CDR, little-endian
          if (channelId === 7) message.writeDoubleLE(n === rows - 1 ? NaN : n, 17);
          else if (channelId === 8) (message.writeBigInt64LE(-5n, 17), message.writeBigInt64LE(1n << 40n, 25));
          else message.writeUInt8(1, 17);
          socket.send(message);
        }
      }
      const time = Buffer.alloc(9, 2);
      time.writeBigUInt64LE(BigInt(rows) * 1_000_000n, 1);
      socket.send(time);
      socket.send(JSON.stringify({ op: 'status', level: 1, message: html }));
    });
  });
  await page.goto(`${place}?ws=${encodeURIComponent(`ws://127.0.0.1:${server.address().port}/`)}`);
  await shown('this server does not show a run of Vernier; trying again');
  stranger = false;
  await warned(html);
  const tree = await expanded();
  await page.getByText(`a.${name}`, { exact: true }).first().click();
  await page.locator('.gl-plot-chart-area').first().waitFor();
  await page.getByText(`${html}, ${html}, axes ${html}`).first().waitFor(); // the properties of the signal
  await page.evaluate(() => window.openmct.router.updateParams({ view: 'table' }));
  await until(newest);
  const { 'a.count': count, 'a.on': on, [`a.${name}`]: many } = await received(['a.count', 'a.on', `a.${name}`]);
  const kept = [many.rows.length, many.rows[0], many.rows.at(-2), Number.isNaN(many.rows.at(-1).value0)];
  for (const socket of server.clients) socket.close(1001, html);
  await shown(`not connected to 127.0.0.1:${server.address().port}: ${html}`);
  const images = await page.locator('img[src=x]').count();
  say({ tree, count: count.rows, on: on.rows, kept, images, hurt: await page.evaluate(() => window.hurt ?? 0), faults });
  server.close();
}

try {
  await { live, hostile }[part]();
} finally {
  await browser.close();
  process.stdin.destroy();
}
