// Curves: by drag and drop and by keyboard, true at every zoom, the same view from a link.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { continuous, plot, real, ready, recorded, run, runHash, start, until } from './browser.mjs';

let s, ask, name, signal;
before(async () => {
  s = await start();
  ask = await s.rpc();
  name = await recorded(ask);
  signal = await continuous(ask, name);
});
after(async () => {
  ask.close();
  await s.close();
  assert.deepEqual(s.faults, []);
});

const drawn = (page, k) => until(page, (i) => window.vernierTest[`plot${i}`]?.()?.rows.some((r) => r.t.length > 1), k);

test('a signal dragged onto a plot, a new plot, a value and the table appears there', async () => {
  const page = await s.page(runHash(name, 'plot=none'));
  await ready(page);
  const row = page.locator(`[data-signal="${signal.path}"]`);
  await row.dragTo(page.locator('[data-test=new-plot]'));
  await drawn(page, 0);
  assert.deepEqual(
    (await plot(page, 0)).curves,
    Array.from({ length: signal.count }, (_, i) => `${signal.path}[${i}]`),
  );

  const { signals } = await ask('open', { run: name });
  const other = signals.find((x) => x.path !== signal.path && x.scalar === 'real' && x.count === 1);
  await page.locator(`[data-signal="${other.path}"]`).dragTo(page.locator('[data-test=plot] .canvas'));
  await until(
    page,
    (n) => window.vernierTest.plot0().rows.length === n && window.vernierTest.plot0().rows.every((r) => r.t.length > 1),
    signal.count + 1,
  );
  await row.dragTo(page.locator('[data-test=new-value]'));
  await row.dragTo(page.locator('[data-test=new-row]'));
  const k = signals.findIndex((x) => x.path === signal.path);
  await until(page, (i) => window.vernierTest.run().values[i]?.length > 0, k);
  assert.match(await page.locator('[data-test=tiles]').innerText(), /\d/);
  assert.match(await page.locator('[data-test=table]').innerText(), /\d/);
  await page.context().close();
});

test('the value at a time is the recorded one', async () => {
  const { signals, begin, complete } = await ask('open', { run: name });
  const at = begin + 0.37 * (complete - begin);
  const k = signals.findIndex((x) => x.path === signal.path);
  const page = await s.page(runHash(name, `table=${signal.path}&t=${at}`));
  await ready(page);
  await until(page, (i) => window.vernierTest.run().values[i]?.length > 0, k);
  const { values } = await ask('row', { run: name, signals: [k], at: (await run(page)).valuesAt });
  assert.deepEqual((await run(page)).values[k], values[k]);
  await page.context().close();
});

test('a spike of one sample is visible at every zoom', { skip: real && !process.env.VERNIER_SPIKE }, async () => {
  const [spiky, path, time] = (process.env.VERNIER_SPIKE ?? 'runs/long-0001 sensor.spike 172.84').split(' ');
  const at = Number(time);
  const opened = await ask('open', { run: spiky });
  const page = await s.page(runHash(spiky, `plot=${path}`));
  await ready(page);
  for (let width = opened.complete - opened.begin; width > 0.02; width /= 7) {
    const range = [at - 0.43 * width, at + 0.57 * width];
    await page.evaluate((h) => (location.hash = h), runHash(spiky, `plot=${path}&range=${range}`));
    await until(
      page,
      ([from, to, when]) => {
        const p = window.vernierTest.plot0();
        if (Math.abs(p.range[0] - from) > 1e-6 || Math.abs(p.range[1] - to) > 1e-6 || !p.rows[0]) return false;
        const { t, v } = p.rows[0];
        // fine: about two rows for each pixel, or all there are
        const shown = t.filter((x) => x >= from && x <= to).length;
        return shown >= Math.min(p.box.width, 1000 * (to - from)) * 0.9 && t[v.indexOf(Math.max(...v))] === when;
      },
      [...range, at],
    );
    // and it is painted: pixels of the curve's colour in the upper half, where only the spike can be
    await until(
      page,
      ([when]) => {
        const { range, box } = window.vernierTest.plot0();
        const canvas = document.querySelector('[data-test=plot] canvas');
        const ratio = canvas.width / canvas.clientWidth;
        const x = box.left + ((when - range[0]) / (range[1] - range[0])) * box.width;
        // the flanks of the spike are one sample wide
        const half = 3 + Math.ceil((box.width * 0.001) / (range[1] - range[0]));
        const { data } = canvas
          .getContext('2d')
          .getImageData(
            Math.round((x - half) * ratio),
            Math.round((box.top + 0.3 * box.height) * ratio),
            Math.round(2 * half * ratio),
            Math.round(0.2 * box.height * ratio),
          );
        const colour = getComputedStyle(document.documentElement).getPropertyValue('--curve-0').trim();
        const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
        let n = 0;
        for (let i = 0; i < data.length; i += 4)
          if (data[i + 3] > 100 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 90) ++n;
        return n > 10;
      },
      [at],
    );
  }
  await page.context().close();
});

test('values that are not a number are gaps, held signals are steps', { skip: real }, async () => {
  const page = await s.page(runHash(name, 'plot=sensor.gap,supervisor.mode'));
  await ready(page);
  await drawn(page, 0);
  await until(page, () => window.vernierTest.plot0().rows[0].v.some(Number.isNaN));
  const mode = (await plot(page, 0)).rows[1];
  assert.deepEqual([...new Set(mode.v)], [0, 1, 2]);
  await page.context().close();
});

test('a drag zooms all plots, a double click shows everything again', async () => {
  const page = await s.page(runHash(name, `plot=${signal.path}&plot=${signal.path}[0]`));
  await ready(page);
  await drawn(page, 1);
  const before = (await run(page)).range;
  const over = await page.locator('[data-test=plot] .u-over').first().boundingBox();
  await page.mouse.move(over.x + 0.25 * over.width, over.y + 30);
  await page.mouse.down();
  await page.mouse.move(over.x + 0.5 * over.width, over.y + 40, { steps: 5 });
  await page.mouse.up();
  await until(
    page,
    ([from, to]) => Math.abs(window.vernierTest.plot1().range[0] - (from + 0.25 * (to - from))) < 0.02 * (to - from),
    before,
  );
  const zoomed = (await run(page)).range;
  assert.ok(Math.abs(zoomed[1] - (before[0] + 0.5 * (before[1] - before[0]))) < 0.02 * (before[1] - before[0]));
  // the address follows, and a reload shows the same
  await until(page, () => location.hash.includes('range='));
  await page.reload();
  await ready(page);
  assert.ok((await run(page)).range.every((x, i) => Math.abs(x - zoomed[i]) < 1e-6));
  await drawn(page, 0);
  await page.locator('[data-test=plot] .u-over').first().dblclick();
  await until(page, ([from, to]) => window.vernierTest.run().range[0] === from && window.vernierTest.run().range[1] === to, before);
  await page.context().close();
});

test('a link shows the same view; back and forward work', async () => {
  const query = `plot=${signal.path}&plot=spectrum:${signal.path}[0]&tiles=${signal.path}&hide=events`;
  const page = await s.page(runHash(name, query));
  await ready(page);
  assert.equal((await run(page)).plots, 2);
  assert.equal(await page.locator('[data-test=events]').count(), 0);
  await page.locator('[data-test=plot]').first().getByRole('button', { name: 'Close plot 1' }).click();
  await until(page, () => window.vernierTest.run().plots === 1);
  await page.goBack();
  await until(page, () => window.vernierTest.run().plots === 2);
  await page.goForward();
  await until(page, () => window.vernierTest.run().plots === 1);
  const link = await page.evaluate(() => location.hash);
  const colleague = await s.page(link);
  await ready(colleague);
  assert.equal((await run(colleague)).plots, 1);
  assert.equal((await plot(colleague, 0)).kind, 'spectrum');
  await page.context().close();
  await colleague.context().close();
});

test('the spectrum of a sine is its amplitude at its frequency', { skip: real }, async () => {
  const page = await s.page(runHash(name, 'plot=spectrum:sensor.sine'));
  await ready(page);
  await until(page, () => window.vernierTest.spectrum?.()[0]?.f.length > 100);
  const [{ f, amplitude }] = await page.evaluate(() => window.vernierTest.spectrum());
  const peak = amplitude.reduce((best, a, k) => ((a ?? 0) > (amplitude[best] ?? 0) ? k : best), 0);
  assert.ok(Math.abs(f[peak] - 0.5) < 0.002 && Math.abs(amplitude[peak] - 2) < 0.05, `${f[peak]} Hz, ${amplitude[peak]} m`);
  await page.context().close();
});

test('an x–y plot pairs its signals', { skip: real }, async () => {
  const page = await s.page(runHash(name, 'plot=xy:body.attitude[0],body.attitude[1]'));
  await ready(page);
  await until(page, () => window.vernierTest.xy?.()[0]?.x.length > 100);
  const [{ x, y }] = await page.evaluate(() => window.vernierTest.xy());
  for (let i = 0; i < x.length; ++i) assert.ok(Math.abs(Math.hypot(x[i], y[i]) - 0.5) < 0.01, 'the circle of the mock: (sin, cos)/2');
  await page.context().close();
});

test('two cursors show the differences of time and values', async () => {
  const { signals, begin, complete } = await ask('open', { run: name });
  const [a, b] = [begin + 0.2 * (complete - begin), begin + 0.6 * (complete - begin)];
  const k = signals.findIndex((x) => x.path === signal.path);
  const page = await s.page(runHash(name, `plot=${signal.path}[0]&a=${a}&b=${b}`));
  await ready(page);
  await until(page, () => /\d/.test(document.querySelector('[data-test=delta]')?.textContent ?? ''));
  const value = async (at) => (await ask('row', { run: name, signals: [k], at })).values[k][0];
  const delta = Number((await page.locator('[data-test=delta]').innerText()).replace('Δ', '').replace(/−/g, '-'));
  const expected = (await value(b)) - (await value(a));
  assert.ok(Math.abs(delta - expected) <= 1e-4 * Math.abs(expected), `${delta} is ${expected} to five digits`);
  assert.match(await page.locator('[data-test=delta-t]').innerText(), new RegExp(`Δt ${Math.floor(b - a)}`));
  await page.context().close();
});
