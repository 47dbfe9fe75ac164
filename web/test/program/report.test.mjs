// vernier report: one file that shows runs without a server and asks for nothing.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { barriers, begin, until } from './program.mjs';

const script = '</script><script>window.broken=1</script><img src=x onerror="window.broken=1">';
let s, address;
const asked = [];

before(async () => {
  s = await begin();
  s.vernier('examples', 'copy', 'realtime', 'balance');
  const document = join(s.folder, 'balance/balance.xml');
  writeFileSync(document, readFileSync(document, 'utf8').replace(/(<run )/, `<!-- ${script} -->$1`));
  for (const _ of [1, 2]) s.vernier('run', document, '--rt', '--until', '1s', '--quiet', '--record', '*');
  s.vernier('report', 'runs/balance-0001', 'runs/balance-0002', '-o', 'report.html', '--title', script);
  address = pathToFileURL(join(s.folder, 'report.html')).href;
});
after(async () => {
  await s.end();
  assert.deepEqual(s.faults, []);
});

async function opened(hash = '') {
  const page = await s.page('about:blank', { offline: true });
  page.on('request', (r) => !/^(file|blob|data):/.test(r.url()) && asked.push(r.url()));
  await page.goto(address + hash);
  return page;
}

test('it opens from a file, without a network, and asks for nothing', async () => {
  const page = await opened();
  await page.locator('[data-test=report][data-ready=true]').waitFor();
  const told = await page.evaluate(() => window.vernierTest.report());
  assert.equal(told.title, script);
  assert.deepEqual(told.runs, ['runs/balance-0001', 'runs/balance-0002']);
  assert.ok(told.files.some((f) => f.endsWith('balance.xml')), 'the documents are in it');
  assert.match(await page.locator('main').innerText(), /vernier report runs\/balance-0001 runs\/balance-0002 -o report.html/);
  await page.locator('[data-test=document] summary').first().click();
  assert.match(await page.locator('[data-test=document] pre').first().innerText(), /window\.broken=1/);
  assert.equal(await page.evaluate(() => window.broken), undefined, 'text of documents is text');
  assert.deepEqual(await barriers(page), []);
  assert.deepEqual(asked, []);
  await page.context().close();
});

test('its plots have every row of the results', async () => {
  const rows = s.rows('runs/balance-0001');
  const path = Object.keys(rows).find((p) => !Array.isArray(rows[p].values[0]) && rows[p].time.length > 100 && new Set(rows[p].values).size > 50);
  const page = await opened(`#/run/runs/balance-0001?plot=${encodeURIComponent(path)}`);
  await page.locator('[data-test=run-page]').waitFor();
  await until(page, () => window.vernierTest.plot0?.()?.rows[0]?.t.length > 0);
  const drawn = await page.evaluate(() => window.vernierTest.plot0().rows[0]);
  const known = new Map(rows[path].time.map((t, k) => [t, rows[path].values[k]]));
  for (let k = 0; k < drawn.t.length; ++k) if (drawn.v[k] !== null) assert.ok(rows[path].time.includes(drawn.t[k]) && (known.get(drawn.t[k]) === drawn.v[k] || rows[path].values.includes(drawn.v[k])));
  assert.deepEqual(asked, []);
  await page.context().close();
});

test('it shows how time was kept, with the numbers of frames.h5', async () => {
  const rows = s.rows('runs/balance-0001/frames.h5');
  const page = await opened('#/time/runs/balance-0001');
  await page.locator('[data-test=realtime-page][data-ready=true]').waitFor();
  await until(page, () => window.vernierTest.realtime().rows.length > 0);
  const told = await page.evaluate(() => window.vernierTest.realtime());
  assert.equal(told.frames, rows['frame.number'].values.length);
  assert.equal(told.rows.at(-1).margin, rows['frame.margin'].values.at(-1));
  assert.deepEqual(asked, []);
  await page.context().close();
});

test('it compares its runs with the numbers of vernier compare', async () => {
  const page = await opened('#/compare?run=runs/balance-0001&run=runs/balance-0002');
  await page.locator('[data-test=compare-page][data-ready=true]').waitFor();
  const told = await page.evaluate(() => window.vernierTest.compare().comparisons[0]);
  let said;
  try {
    said = s.vernier('compare', 'runs/balance-0001', 'runs/balance-0002', '--json');
  } catch (differ) {
    said = differ.stdout; // status 3
  }
  assert.deepEqual(told.signals, JSON.parse(said).signals);
  assert.deepEqual(asked, []);
  await page.context().close();
});
