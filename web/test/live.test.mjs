// A live run: it goes on whatever the view does; the page controls it, loses it, and catches up.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { continuous, live, plot, real, ready, recorded, run, runHash, start, until } from './browser.mjs';

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

const later = (page, than) => until(page, (t) => window.vernierTest.run().latest > t, than);

test('the plots follow a live run; holding the view does not pause the run', async () => {
  const name = await live(ask);
  const signal = await continuous(ask, name);
  const page = await s.page(runHash(name, `plot=${signal.path}`));
  await ready(page);
  assert.equal((await run(page)).mode, 'follow');
  await until(page, () => window.vernierTest.plot0()?.rows[0]?.t.at(-1) > 0.5);

  await page.getByRole('button', { name: 'Hold the view' }).click();
  const held = await run(page);
  await later(page, held.latest + 1);
  const now = await run(page);
  assert.equal(now.time, held.time, 'the view stays');
  assert.equal(now.mode, 'hold');
  assert.equal(now.frozen, false, 'the run goes on');
  assert.match(await page.locator('[data-test=view-state]').innerText(), /behind the run/);
  assert.match(await page.locator('[data-test=run-state]').innerText(), /running/);

  await page.getByRole('button', { name: 'Latest' }).click();
  await until(page, (t) => window.vernierTest.run().time > t, now.latest);
  await ask('order', { run: name, line: 'stop' });
  await until(page, () => !window.vernierTest.run().live);
  await until(page, () => window.vernierTest.plot0()?.rows[0]?.t.length > 1);
  await page.context().close();
});

test('pause, step, resume, checkpoint and stop act on the run, for every browser', async () => {
  const name = await live(ask);
  const [page, other] = await Promise.all([s.page(runHash(name)), s.page(runHash(name))]);
  await Promise.all([ready(page), ready(other)]);
  await page.getByRole('button', { name: 'Pause run' }).click();
  for (const p of [page, other]) {
    await until(p, () => window.vernierTest.run().frozen);
    assert.match(await p.locator('[data-test=run-state]').innerText(), /run paused/);
  }
  const frozen = (await run(page)).latest;
  await page.getByRole('button', { name: 'Step' }).click();
  await later(page, frozen);
  await page.keyboard.press('p');
  await until(other, () => !window.vernierTest.run().frozen);
  await page.getByRole('button', { name: 'Checkpoint' }).click();
  await page.getByText(/\.vchk/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  for (const p of [page, other]) await until(p, () => !window.vernierTest.run().live);
  await page.context().close();
  await other.context().close();
});

test('a value that is set is shown as overridden, and released', { skip: real }, async () => {
  const name = await live(ask);
  const page = await s.page(runHash(name));
  await ready(page);
  await ask('order', { run: name, line: 'set body.rate 0.3' });
  const parameters = page.locator('[data-test=parameters]');
  await parameters.getByText('overridden').waitFor();
  await parameters.getByRole('button', { name: 'release' }).click();
  await parameters.getByText('overridden').waitFor({ state: 'detached' });
  await ask('order', { run: name, line: 'stop' });
  await page.context().close();
});

test('nodes show their parts, and a part is moved', { skip: real }, async () => {
  const name = await live(ask);
  const page = await s.page(runHash(name));
  await ready(page);
  const rack = page.locator('[data-node=rack]');
  await rack.getByText('nothing').waitFor();
  await page.getByLabel('Move island body to').selectOption('rack');
  await rack.getByText('island body').waitFor();
  assert.match(await page.locator('[data-node=desk]').innerText(), /supervisor/);
  assert.doesNotMatch(await page.locator('[data-node=desk]').innerText(), /island body/);
  await ask('order', { run: name, line: 'stop' });
  await page.locator('[data-test=nodes]').waitFor({ state: 'detached' }); // of a run that is over nothing moves
  await page.context().close();
});

test('rewinding shows the run that continues', async () => {
  const name = await live(ask);
  const page = await s.page(runHash(name));
  await ready(page);
  await page.getByRole('button', { name: 'Rewind to' }).click();
  await until(
    page,
    (old) => window.vernierTest.run?.()?.ready && window.vernierTest.run().run !== old && window.vernierTest.run().live,
    name,
  );
  const next = (await run(page)).run;
  await ask('order', { run: next, line: 'stop' });
  await page.context().close();
});

test('a lost connection is said, reopened, and the missing rows are read', async () => {
  const name = await live(ask);
  const signal = await continuous(ask, name);
  const routes = [];
  let refuse = false;
  const page = await s.page(runHash(name, `plot=${signal.path}&window=all`), {}, (p) =>
    p.routeWebSocket(/\/ws$/, (route) => {
      if (refuse) return route.close();
      route.connectToServer();
      routes.push(route);
    }),
  );
  await ready(page);
  await until(page, () => window.vernierTest.plot0()?.rows[0]?.t.at(-1) > 0.3);
  refuse = true;
  await routes[0].close();
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').innerText(), /does not answer.*vernier desktop/s);
  // the run goes on meanwhile
  const lostAt = (await run(page)).latest;
  await ask('open', { run: name });
  for (;;) {
    const { complete } = await ask('open', { run: name });
    if (complete > lostAt + 1) break;
  }
  refuse = false;
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await later(page, lostAt + 1.2);
  await until(
    page,
    ([from]) => {
      const { t } = window.vernierTest.plot0?.()?.rows[0] ?? { t: [] };
      const end = t.at(-1);
      return end > from + 1 && t.every((x, i) => i === 0 || x - t[i - 1] < 0.25);
    },
    [lostAt],
  );
  await ask('order', { run: name, line: 'stop' });
  await page.context().close();
});

test('a changed parameter runs it again; the old curve stays in grey', async () => {
  const name = await recorded(ask);
  const signal = await continuous(ask, name);
  const page = await s.page(runHash(name, `plot=${signal.path}`));
  await ready(page);
  const slider = page.getByRole('slider', { name: /, slider$/ }).first();
  const path = (await slider.getAttribute('aria-label')).replace(', slider', '');
  const value = async (run) => parseFloat((await ask('parameters', { run })).find((p) => p.path === path).value);
  await slider.focus();
  await page.keyboard.press('PageUp');
  await until(page, (old) => window.vernierTest.run?.()?.ready && window.vernierTest.run().run !== old, name);
  await until(
    page,
    () => window.vernierTest.plot0?.()?.previous[0]?.t.length > 1 && window.vernierTest.plot0().rows[0]?.t.length > 1,
  );
  assert.ok((await value((await run(page)).run)) > (await value(name)));
  if (!real) {
    const { rows, previous } = await plot(page, 0);
    assert.ok(rows[0].v[0] > previous[0].v[0], 'the rate at the start');
  }
  await page.getByRole('button', { name: /previous run/ }).click();
  await until(page, () => window.vernierTest.plot0().previous.length === 0);
  await page.goBack();
  await until(page, (old) => window.vernierTest.run?.()?.run === old, name);
  await page.context().close();
});

test('a recorded run is replayed, in about half a minute', async () => {
  const page = await s.page(runHash(await recorded(ask)));
  await ready(page);
  await page.getByRole('button', { name: 'Replay the view' }).click();
  const { range } = await run(page);
  await until(
    page,
    ([from, to]) => window.vernierTest.run().mode === 'play' && window.vernierTest.run().time > from + 0.01 * (to - from),
    range,
  );
  await page.keyboard.press('Space');
  const { time, mode } = await run(page);
  assert.equal(mode, 'hold');
  assert.ok(time < range[1]);
  await until(page, () => /[?&]t=/.test(location.hash)); // the time that stands is part of the link
  await page.context().close();
});
