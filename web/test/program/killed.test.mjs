// A browser that is killed beside a live run: nobody else notices.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { begin, source, until } from './program.mjs';

let s, address;
before(async () => {
  s = await begin();
  address = await s.serve();
});
after(async () => {
  await s.end();
  assert.deepEqual(s.faults, []);
});

const open = async (page, run) => {
  await page.evaluate((h) => (location.hash = h), `#/run/${run}`);
  await until(page, () => window.vernierTest.run?.().live && window.vernierTest.run().latest > 0);
};
const told = (page) => page.evaluate(() => window.vernierTest.run());

test('the run, the server and other pages go on without a lost sample', async () => {
  const run = await s.start(join(source, 'examples/realtime/balance.xml'), '--until', '600s');
  try {
    const page = await s.page(address);
    await open(page, run.folder);
    const other = await s.mortal(address);
    await open(other.page, run.folder);
    await other.kill();
    const { latest } = await told(page);
    await until(page, (t) => window.vernierTest.run().latest > t + 1, latest);
    assert.equal((await told(page)).dropped, 0);
    // and a third one is served
    const third = await s.page(address);
    await open(third, run.folder);
    assert.equal((await told(third)).dropped, 0);
    run.stop();
    await run.over;
    await until(page, () => !window.vernierTest.run().live);
    const manifest = JSON.parse(s.read(`${run.folder}/manifest.json`));
    assert.equal(manifest.status, 'interrupted');
    assert.equal(manifest.statistics.dropped, 0);
    for (const p of [page, third]) await p.context().close();
  } finally {
    run.stop();
  }
});
