// What the page shows first, what it shows when something is wrong, and that text stays text.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { real, ready, recorded, runHash, start, until } from './browser.mjs';

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

test('home lists missions and runs, with verdicts in words', async () => {
  const name = (await recorded(ask)).split('/').pop();
  const page = await s.page();
  await page.locator('[data-test=home][data-ready=true]').waitFor();
  const home = await ask('home');
  assert.ok((await page.getByRole('button', { name: /^Run / }).count()) >= home.missions.length);
  const row = page.getByRole('row').filter({ hasText: name });
  assert.match(await row.innerText(), /finished|failed|late|warning|interrupted|killed/);
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  console.log(`# first paint after ${Math.round(paint)} ms`);
  await page.context().close();
});

test('a mission started from home is shown, and a link leads back', async () => {
  const page = await s.page();
  await page.getByRole('button', { name: /^Run / }).first().click();
  await ready(page);
  assert.match(await page.evaluate(() => location.hash), /^#\/run\//);
  assert.ok((await page.evaluate(() => window.vernierTest.run().plots)) > 0);
  await page.goBack();
  await page.locator('[data-test=home]').waitFor();
  await page.goForward();
  await ready(page);
  await page.context().close();
});

test('a run is opened by its path', async () => {
  const page = await s.page();
  await page.getByLabel('Open').fill(await recorded(ask));
  await page.keyboard.press('Enter');
  await ready(page);
  await page.context().close();
});

test('what does not exist is said in a sentence, never an empty page', async () => {
  for (const [hash, says] of [
    [runHash('runs/does-not-exist'), /runs\/does-not-exist/],
    ...(real ? [] : [[runHash('runs/newer-0001'), /newer version/]]),
    ['#/nonsense', /no such view/i],
  ]) {
    const page = await s.page(hash);
    await page.getByRole('link', { name: /Home/ }).waitFor();
    assert.match(await page.locator('body').innerText(), says);
    await page.context().close();
  }
});

test('without a token the page says what to open', async () => {
  const page = await s.page();
  await page.context().clearCookies();
  const response = await page.goto(new URL('/', s.address).href);
  assert.equal(response.status(), 403);
  assert.match(await page.locator('body').innerText(), /\S/);
  await page.context().close();
});

test('a link that only watches changes nothing', { skip: real && !process.env.VERNIER_WATCHING }, async () => {
  const page = await s.page(runHash(await recorded(ask)), { address: s.watching });
  await ready(page);
  assert.ok(await page.getByRole('button', { name: 'Run again' }).isDisabled());
  assert.match(await page.locator('header').first().innerText(), /watching/);
  await page.context().close();
});

test('script in every text of a document is shown as text', { skip: real && !process.env.VERNIER_SCRIPT_RUN }, async () => {
  const name = process.env.VERNIER_SCRIPT_RUN ?? 'runs/script-0001';
  const page = await s.page(runHash(name));
  await ready(page);
  await page.locator('[data-test=events] li').first().waitFor();
  const seen = await page.locator('body').innerText();
  assert.ok(seen.includes('<script>'), 'the text is visible as it was written');
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  assert.equal(await page.locator('script:not([src]), img[src=x]').count(), 0);
  await page.goto(new URL('/', s.address).href + '#/');
  await page.locator('[data-test=home][data-ready=true]').waitFor();
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await page.context().close();
});

test('inline script is refused by the content security policy', async () => {
  const page = await s.page();
  await page.locator('[data-test=home]').waitFor();
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.attacked = 1';
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await page.context().close();
});

test('the page is usable on a phone', async () => {
  const page = await s.page(runHash(await recorded(ask)), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await ready(page);
  await until(page, () => window.vernierTest.plot0?.()?.rows[0]?.t.length > 0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `nothing is wider than the screen (${wide} px)`);
  await page.context().close();
});
