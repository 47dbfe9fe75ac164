// Signals as arrows in the 3D view, against the values of the results turned by the recorded attitude.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Quaternion, Vector3 } from 'three';
import { begin, source, until } from './program.mjs';

let s, address, rows;
const run = 'runs/aausat2-0001';
before(async () => {
  s = await begin();
  s.vernier('run', join(source, 'missions/aausat2/aausat2.xml'), '--until', '60s', '--quiet', '--record', '*');
  rows = s.rows(run);
  address = await s.serve();
});
after(async () => {
  await s.end();
  assert.deepEqual(s.faults, []);
});

async function opened(query) {
  const page = await s.page(address);
  await page.evaluate((h) => (location.hash = h), `#/run/${run}?${query}`);
  await until(page, () => window.vernierTest?.scene?.().frames > 0);
  return page;
}
const arrows = (page) => page.evaluate(() => window.vernierTest.scene().arrows());
const near = (drawn, expected) => {
  const d = new Vector3(...drawn).normalize();
  assert.ok(d.distanceTo(expected.clone().normalize()) < 1e-3, `${drawn} is not along ${expected.toArray()}`);
};
/** The value of a signal in its last row up to a time. */
const at = (path, t) => rows[path].values[rows[path].time.findLastIndex((x) => x <= t)];

test('a signal in axes of the body turns with it, one in inertial axes does not', async () => {
  const t = 30;
  const page = await opened(`t=${t}&arrows=body_field.rotated,orbit.velocity`);
  await until(page, () => ['body_field.rotated', 'orbit.velocity'].every((name) => name in window.vernierTest.scene().arrows()));
  const drawn = await arrows(page);
  const attitude = new Quaternion(...at('body.attitude', t));
  near(drawn['body_field.rotated'], new Vector3(...at('body_field.rotated', t)).applyQuaternion(attitude));
  near(drawn['body_field.rotated'], new Vector3(...at('field.field', t))); // the same field, before it was rotated into the body's axes
  near(drawn['orbit.velocity'], new Vector3(...at('orbit.velocity', t)));
  await page.context().close();
});

test('an arrow comes by the menu, stands in the address and goes again; a single value is refused', async () => {
  const page = await opened('t=30');
  const arrow = 'orbit.velocity';
  await page.locator(`[data-signal="${arrow}"]`).click();
  await page.getByRole('menuitem', { name: 'Arrow in the 3D view' }).click();
  await until(page, (name) => name in window.vernierTest.scene().arrows(), arrow);
  assert.match(await page.evaluate(() => location.hash), /arrows=orbit\.velocity/);
  await page.locator('[data-test=scene-options]').click();
  await page.locator('[data-test=scene-panel]').getByRole('button', { name: `Remove the arrow ${arrow}` }).click();
  await until(page, (name) => !(name in window.vernierTest.scene().arrows()), arrow);
  assert.doesNotMatch(await page.evaluate(() => location.hash), /arrows=/);
  const single = Object.keys(rows).find((p) => !Array.isArray(rows[p].values[0]));
  await page.locator(`[data-signal="${single}"]`).dragTo(page.locator('[data-test=scene-panel]'));
  await page.getByText(`${single} cannot be an arrow`).waitFor();
  await page.context().close();
});
