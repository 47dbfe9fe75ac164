// The compare page of the program's own server has the numbers of vernier compare.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { barriers, begin, source, until } from './program.mjs';

let s, address;
const names = ['runs/aausat2-0001', 'runs/aausat2-0002', 'runs/aausat2-0003'];
before(async () => {
  s = await begin();
  for (const seed of ['1', '2', '3']) s.vernier('run', join(source, 'missions/aausat2/aausat2.xml'), '--until', '60s', '--seed', seed, '--quiet');
  address = await s.serve();
});
after(async () => {
  await s.end();
  assert.deepEqual(s.faults, []);
});

function said(...words) {
  try {
    return JSON.parse(s.vernier('compare', ...words, '--json'));
  } catch (differ) {
    return JSON.parse(differ.stdout); // status 3
  }
}

async function shown(query) {
  const page = await s.page(address);
  await page.evaluate((q) => (location.hash = `#/compare?${q}`), query);
  await page.locator('[data-test=compare-page][data-ready=true]').waitFor();
  await until(page, () => !window.vernierTest.compare().busy && window.vernierTest.compare().differences.length > 0);
  return page;
}
const told = (page) => page.evaluate(() => window.vernierTest.compare());

test('three runs: each has the numbers of the command', async () => {
  const page = await shown(names.map((n) => `run=${n}`).join('&'));
  const { comparisons, values, differences, shown: signal } = await told(page);
  assert.equal(comparisons.length, 2);
  for (const k of [0, 1]) {
    const direct = said(names[0], names[k + 1]);
    assert.deepEqual(comparisons[k].signals, direct.signals);
    assert.equal(comparisons[k].within, direct.within);
  }
  assert.equal(values.length, 3);
  assert.equal(differences.length, 2);
  // the curve reaches the largest difference of the table
  const [, path, element] = /^(.+?)(?:\[(\d+)\])?$/.exec(signal);
  const line = comparisons[0].signals.find((d) => d.signal === path);
  if (Number(element ?? 0) === line.largest_element && line.largest !== null) {
    const most = Math.max(...differences[0].v.filter((v) => v !== null && Number.isFinite(v)).map(Math.abs));
    assert.equal(most, line.largest);
  }
  await page.context().close();
});

test('a shift and values between rows are those of the command, and part of the address', async () => {
  const page = await shown(`run=${names[0]}&run=${names[1]}&shift=0,-0.25&between=yes&abs=0.001`);
  const { comparisons, shifts } = await told(page);
  assert.deepEqual(shifts, [0, -0.25]);
  assert.deepEqual(comparisons[0].signals, said(names[0], names[1], '--shift=-0.25s', '--between', '--absolute', '0.001').signals);
  assert.match(await page.locator('main').innerText(), /vernier compare runs\/aausat2-0001 runs\/aausat2-0002 --shift -0.25s --between --absolute 0.001/);
  await page.reload();
  await until(page, () => window.vernierTest.compare?.().comparisons.length === 1);
  assert.deepEqual((await told(page)).shifts, [0, -0.25]);
  await page.context().close();
});

test('alignment by a crossing shifts the other run', async () => {
  const rows = s.rows(names[0]);
  const path = Object.keys(rows).find((p) => !Array.isArray(rows[p].values[0]) && Math.max(...rows[p].values) > Math.min(...rows[p].values));
  assert.ok(path);
  const page = await shown(`run=${names[0]}&run=${names[1]}`);
  const form = page.locator('[data-test=align]');
  await form.locator('select').first().selectOption('crossing');
  await form.locator('select').nth(1).selectOption(path);
  const level = (Math.max(...rows[path].values) + Math.min(...rows[path].values)) / 2;
  await form.locator('input.number').fill(String(level));
  await form.getByRole('button', { name: 'Align' }).click();
  await until(page, () => location.hash.includes('align='));
  await page.context().close();
});

for (const colorScheme of ['light', 'dark'])
  test(`it keeps nobody out, ${colorScheme}`, async () => {
    const page = await shown(names.map((n) => `run=${n}`).join('&'));
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await barriers(page), []);
    await page.context().close();
  });
