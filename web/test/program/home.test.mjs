// The home page of the program: its missions move, as pictures and when they are run.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { begin, until } from './program.mjs';

let s, address;
before(async () => {
  s = await begin();
  address = await s.serve();
});
after(async () => {
  await s.end();
  assert.deepEqual(s.faults, []);
});

const offset = () => getComputedStyle(document.querySelector('[data-test=picture]')).backgroundPositionX;

test('the pictures of missions move, unless one asks for less motion', async () => {
  const page = await s.page(address, { reducedMotion: 'no-preference' });
  await page.locator('[data-test=picture]').first().waitFor();
  const sizes = await page.evaluate(() =>
    Promise.all(
      [...document.querySelectorAll('[data-test=picture]')].map(async (e) => {
        const image = new Image();
        image.src = /url\("(.*)"\)/.exec(getComputedStyle(e).backgroundImage)[1];
        await image.decode();
        return `${image.naturalWidth} × ${image.naturalHeight}`;
      }),
    ),
  );
  assert.ok(sizes.length >= 6);
  assert.deepEqual([...new Set(sizes)], ['5760 × 150']);
  const first = await page.evaluate(offset);
  await until(page, ({ first }) => getComputedStyle(document.querySelector('[data-test=picture]')).backgroundPositionX !== first, { first });
  await page.context().close();

  const still = await s.page(address, { reducedMotion: 'reduce' });
  await still.locator('[data-test=picture]').first().waitFor();
  assert.equal(await still.evaluate(() => getComputedStyle(document.querySelector('[data-test=picture]')).animationName), 'none');
  await still.context().close();
});

test('a mission that is run from it tumbles and comes to rest', async () => {
  const page = await s.page(address);
  await page.getByRole('button', { name: 'Run aausat2' }).click();
  await until(page, () => window.vernierTest?.scene?.().frames > 0);
  const attitudes = [];
  for (const t of [0, 60, 800, 860]) {
    await page.evaluate((t) => (location.hash = `${location.hash.split('?')[0]}?t=${t}`), t);
    const { frames } = await page.evaluate(() => ({ frames: window.vernierTest.scene().frames }));
    await until(page, (n) => window.vernierTest.scene().frames > n, frames - 1);
    const at = () => window.vernierTest.scene().bodies.body.q;
    // the recorded attitude at that time, when it has arrived
    const row = s.rows('runs/aausat2-0001')['body.attitude'];
    const q = row.values[row.time.findLastIndex((x) => x <= t)];
    await until(page, (q) => Math.abs(window.vernierTest.scene().bodies.body.q.reduce((a, x, i) => a + x * q[i], 0)) > 1 - 1e-9, q);
    attitudes.push(await page.evaluate(at));
  }
  const turned = (a, b) => 2 * Math.acos(Math.min(1, Math.abs(attitudes[a].reduce((sum, x, i) => sum + x * attitudes[b][i], 0))));
  assert.ok(turned(0, 1) > 0.5, 'it tumbles');
  assert.ok(turned(2, 3) < 1e-3, 'it is at rest');
  await page.context().close();
});
