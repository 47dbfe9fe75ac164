// For everyone: axe-core's rules in light, dark and bench mode, and a walk by keyboard alone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { continuous, ready, recorded, run, runHash, start, until } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let s, ask;
before(async () => {
  s = await start();
  ask = await s.rpc();
});
after(async () => {
  ask.close();
  await s.close();
  assert.deepEqual(s.faults, []);
});

async function violations(page) {
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found
    .filter((v) => ['serious', 'critical'].includes(v.impact))
    .map(
      (v) =>
        `${v.id}: ${v.help}: ${v.nodes
          .slice(0, 3)
          .map((n) => n.html.slice(0, 160))
          .join(' | ')}`,
    );
}

for (const colorScheme of ['light', 'dark'])
  test(`axe-core finds no serious violation (${colorScheme})`, async () => {
    const name = await recorded(ask);
    const signal = await continuous(ask, name);
    const home = await s.page('', { colorScheme });
    await home.locator('[data-test=home][data-ready=true]').waitFor();
    assert.equal(await home.evaluate(() => document.documentElement.dataset.theme), colorScheme);
    assert.deepEqual(await violations(home), []);
    await home.context().close();
    for (const query of [
      `plot=${signal.path}&plot=xy:${signal.path}&tiles=${signal.path}&table=${signal.path}&a=1&b=2`,
      `tiles=${signal.path}&bench=yes`,
    ]) {
      const page = await s.page(runHash(name, query), { colorScheme });
      await ready(page);
      await until(page, () => window.vernierTest.plot0?.()?.rows.length > 0);
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await violations(page), []);
      await page.context().close();
    }
  });

test('everything can be done by keyboard', async () => {
  const name = await recorded(ask);
  const signal = await continuous(ask, name);
  const page = await s.page();
  await page.locator('[data-test=home][data-ready=true]').waitFor();

  // from home to the run, by Tab and Enter alone
  const link = name.split('/').pop();
  for (let k = 0; k < 200; ++k) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === link) break;
  }
  await page.keyboard.press('Enter');
  await ready(page);

  const before = (await run(page)).plots;
  await page.keyboard.press('/');
  await page.keyboard.type(signal.path);
  for (let k = 0; k < 20; ++k) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.getAttribute('data-signal'))) === signal.path) break;
  }
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  await page.keyboard.press('Enter'); // the first item: a new plot
  await until(page, (n) => window.vernierTest.run().plots === n + 1, before);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-signal')), signal.path, 'the focus returns');

  await page.keyboard.press('Home');
  await until(page, () => window.vernierTest.run().time === window.vernierTest.run().range[0]);
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('a');
  await page.keyboard.press('End');
  await page.keyboard.press('b');
  await page.locator('[data-test=delta-t]').waitFor();
  const { range } = await run(page);
  await page.keyboard.press('+');
  await until(page, ([from, to]) => window.vernierTest.run().range[1] - window.vernierTest.run().range[0] < to - from, range);
  await page.keyboard.press('0');
  await until(page, ([from, to]) => window.vernierTest.run().range[0] === from && window.vernierTest.run().range[1] === to, range);
  await page.keyboard.press('m');
  await until(page, () => document.documentElement.hasAttribute('data-bench'));
  await page.keyboard.press('m');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.keyboard.press('t');
  await until(page, (old) => document.documentElement.dataset.theme !== old, theme);
  await page.keyboard.press('h');
  await page.locator('[data-test=home]').waitFor();
  await page.context().close();
});
