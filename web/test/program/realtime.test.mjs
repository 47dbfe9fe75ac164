// The real time page of the program's own server: every number is that of frames.h5.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { barriers, begin, source, until } from './program.mjs';

let s, address;
before(async () => {
  s = await begin();
  s.vernier('run', join(source, 'examples/realtime/balance.xml'), '--rt', '--until', '2s', '--quiet');
  address = await s.serve();
});
after(async () => {
  await s.end();
  assert.deepEqual(s.faults, []);
});

async function shown(hash) {
  const page = await s.page(address);
  await page.evaluate((h) => (location.hash = h), hash);
  await page.locator('[data-test=realtime-page][data-ready=true]').waitFor();
  await until(page, () => window.vernierTest.realtime().rows.length > 0);
  return page;
}

test('each frame has the numbers of frames.h5', async () => {
  const rows = s.rows('runs/balance-0001/frames.h5');
  const page = await shown('#/time/runs/balance-0001');
  // zoom until each single frame is there
  await page.evaluate(() => (location.hash = '#/time/runs/balance-0001?range=0.4,0.8'));
  await until(page, () => window.vernierTest.realtime().whole && window.vernierTest.realtime().rows[0].time >= 0.39);
  const told = await page.evaluate(() => window.vernierTest.realtime());
  assert.ok(told.rows.length >= 99);
  const parts = Object.keys(rows).filter((p) => p.startsWith('frame.cost_of.'));
  for (const f of told.rows) {
    const k = rows['frame.number'].values.indexOf(f.number);
    assert.equal(f.time, rows['frame.number'].time[k]);
    assert.equal(f.cost, rows['frame.cost'].values[k]);
    assert.equal(f.wakeUp, rows['frame.wake_up'].values[k]);
    assert.equal(f.margin, rows['frame.margin'].values[k]);
    assert.equal(f.held, rows['frame.held'].values[k]);
    assert.deepEqual([...f.parts].sort(), parts.map((p) => rows[p].values[k]).sort());
  }
  // of all frames
  const used = rows['frame.wake_up'].values.map((w, k) => w + rows['frame.cost'].values[k]);
  const figure = (name) => told.figures.find((f) => f.name === name);
  assert.equal(told.frames, used.length);
  assert.ok(Math.abs(figure('used').mean - used.reduce((a, b) => a + b, 0) / used.length) < 1e-12);
  assert.ok(Math.abs(figure('used').max - Math.max(...used)) < 1e-12);
  assert.equal(figure('cost').max, Math.max(...rows['frame.cost'].values));
  const sorted = [...rows['frame.cost'].values].sort((a, b) => a - b);
  const exact = sorted[Math.ceil(0.99 * sorted.length) - 1];
  assert.ok(figure('cost').p99 >= exact - 1e-9 && figure('cost').p99 <= exact * (1 + 1 / 32) + 1e-9);
  await page.context().close();
});

test('the keyboard chooses a single frame, and its numbers are shown', async () => {
  const rows = s.rows('runs/balance-0001/frames.h5');
  const page = await shown('#/time/runs/balance-0001?range=0.4,0.8');
  await page.locator('[data-test=strip]').focus();
  for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowRight');
  await until(page, () => window.vernierTest.realtime().chosen);
  const { number, margin } = await page.evaluate(() => window.vernierTest.realtime().chosen);
  assert.equal(margin, rows['frame.margin'].values[rows['frame.number'].values.indexOf(number)]);
  assert.match(await page.locator('[data-test=chosen]').innerText(), new RegExp(`frame ${number} `));
  await page.context().close();
});

test('a run that did not keep time is answered with a sentence', async () => {
  s.vernier('run', join(source, 'examples/oscillator/oscillator.xml'), '--until', '1s', '--quiet');
  const page = await s.page(address);
  await page.evaluate(() => (location.hash = '#/time/runs/oscillator-0001'));
  await page.getByText('it did not keep time').waitFor();
  await page.context().close();
});

test('a part of a run on two nodes is moved from the page', async () => {
  const run = spawn(process.env.VERNIER_PROGRAM, ['run', join(source, 'missions/aausat2/sampled.xml'), '--rt', '--on', 'local:2', '--until', '600s', '--quiet'], { cwd: s.folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => run.on('exit', resolve));
  const nodes = () => s.vernier('nodes', '--run', 'runs/aausat2-sampled-0001');
  try {
    let before;
    while (before === undefined && run.exitCode === null && run.signalCode === null) {
      try {
        before = nodes();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50)); // until it answers
      }
    }
    const [from] = before.split('\n').find((line) => line.includes('plant')).trim().split(/\s+/);
    const to = from === 'node1' ? 'node2' : 'node1';
    const page = await shown('#/time/runs/aausat2-sampled-0001');
    await page.locator(`[data-node=${from}]`).getByText('plant').waitFor();
    await page.getByLabel('Move plant to').selectOption(to);
    await page.locator(`[data-node=${to}]`).getByText('plant').waitFor();
    await page.getByText(`plant continues on ${to}`).waitFor();
    assert.match(nodes(), new RegExp(`${to}\\s.*plant`));
    await page.context().close();
  } finally {
    run.kill();
    await ended;
  }
});

test('a live run: its frames arrive while it goes on, and it is marked and stopped by keyboard', async () => {
  const run = spawn(process.env.VERNIER_PROGRAM, ['run', join(source, 'examples/realtime/balance.xml'), '--rt', '--until', '600s', '--quiet'], { cwd: s.folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => run.on('exit', resolve));
  try {
    const page = await s.page(address);
    // until its folder is there
    for (;;) {
      try {
        s.vernier('status', 'runs/balance-0002');
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await page.evaluate(() => (location.hash = '#/time/runs/balance-0002'));
    await until(page, () => window.vernierTest.realtime?.().frames > 100);
    const before = await page.evaluate(() => window.vernierTest.realtime().frames);
    await until(page, (n) => window.vernierTest.realtime().frames > n, before);
    await until(page, () => window.vernierTest.realtime().live);
    await page.locator('[data-test=realtime-control]').waitFor();
    await page.keyboard.press('m');
    await page.keyboard.type('the cable is "pulled", twice');
    await page.keyboard.press('Enter');
    await page.getByText('marked at').waitFor();
    await page.keyboard.press('Shift+S');
    await until(page, () => !window.vernierTest.realtime().live);
    await ended;
    const events = readFileSync(join(s.folder, 'runs/balance-0002/events.csv'), 'utf8');
    assert.match(events, /,user,mark,,,"the cable is ""pulled"", twice",/);
    await page.context().close();
  } finally {
    run.kill();
  }
});

for (const colorScheme of ['light', 'dark'])
  test(`it keeps nobody out, ${colorScheme}`, async () => {
    const page = await shown('#/time/runs/balance-0001');
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await barriers(page), []);
    await page.context().close();
  });
