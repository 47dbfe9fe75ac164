// What the page costs in a browser, with the program: first paint, a recorded run of 10^7 samples, 200 signals at 1 kHz live. Prints
// each figure with what is required; fails when one is missed. Plots a second have no requirement: software draws them here.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { begin, source, until } from './program.mjs';

const s = await begin();
let missed = 0;
function line(name, value, unit, limit) {
  const bad = limit !== undefined && !(value < limit);
  if (bad) ++missed;
  const required = limit === undefined ? '' : `   required < ${limit} ${unit}   ${bad ? 'NOT' : 'ok'}`;
  process.stdout.write(`${name.padEnd(66)} ${value.toFixed(value < 10 ? 2 : 0).padStart(8)} ${unit}${required}\n`);
}
const median = (v) => v.sort((a, b) => a - b)[Math.floor(v.length / 2)];

/** Parts with outputs sin(k x), recorded every `step`. */
function document(name, parts, outputs, step, stop) {
  const folder = join(s.folder, name);
  mkdirSync(folder);
  const list = (f) => Array.from({ length: outputs }, (_, k) => f(k)).join('');
  writeFileSync(
    join(folder, 'part.xml'),
    `<hybridsystem name="P" version="1"><states><state name="x" initial="0"/></states><outputs>${list((k) => `<output name="y${k}"/>`)}</outputs><initial location="L"/>` +
      `<location><name>L</name><diffequation state="x">1</diffequation>${list((k) => `<outputmap output="y${k}">sin(${k + 1}*x)</outputmap>`)}</location></hybridsystem>`,
  );
  const systems = Array.from({ length: parts }, (_, k) => `<system id="p${k}" file="part.xml"/>`).join('');
  const file = join(folder, `${name}.xml`);
  writeFileSync(file, `<interconnection name="${name}">${systems}<record signals="p*.y*" every="${step}"/><run stop="${stop}" step="${step}"/></interconnection>`);
  return file;
}

process.stdout.write(`load of the machine: ${loadavg()[0].toFixed(2)} on ${cpus().length} processors\n`);
s.vernier('run', join(source, 'missions/aausat2/aausat2.xml'), '--quiet');
s.vernier('run', document('long', 1, 1, '0.1 ms', '1000 s'), '--quiet');
const address = await s.serve();

const paints = [], opened = [], zooms = [];
for (let i = 0; i < 7; ++i) {
  const page = await s.page(address);
  await page.locator('[data-test=home][data-ready=true]').waitFor();
  paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
  await page.context().close();
}
line('first paint, median of 7', median(paints), 'ms', 1000);

/** ms until a plot has been drawn with rows that satisfy `holds`, measured in the page. */
const measured = (page, hash, from, to) =>
  page.evaluate(
    async ({ hash, from, to }) => {
      const begin = performance.now();
      location.hash = hash;
      for (;;) {
        await new Promise((next) => requestAnimationFrame(next));
        const t = window.vernierTest.plot0?.()?.rows[0]?.t;
        // reduced rows of the interval itself: many, and reaching over its ends
        const inside = t?.filter((x) => x >= from && x <= to).length;
        if (inside > 500 && t[0] <= from + (to - from) / 100 && t.at(-1) >= to - (to - from) / 100) return performance.now() - begin;
      }
    },
    { hash, from, to },
  );
for (let i = 0; i < 5; ++i) {
  const page = await s.page(address);
  await page.locator('[data-test=home][data-ready=true]').waitFor();
  opened.push(await measured(page, '#/run/runs/long-0001?plot=p0.y0', 0, 1000));
  for (let k = 0; k < 10; ++k) {
    const from = 37 + 90 * k, to = from + 10 ** (k % 3) * 0.2;
    zooms.push(await measured(page, `#/run/runs/long-0001?plot=p0.y0&range=${from},${to}`, from, to));
  }
  await page.context().close();
}
line('a recorded run of 10^7 samples, to its first plot, median of 5', median(opened), 'ms', 1000);
line('a zoom into it, median of 50', median(zooms), 'ms', 100);

// 10 plots of 20 curves
const seconds = 30;
const page = await s.page(address);
await page.addInitScript(() => {
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  window.drawn = 0; // uPlot clears its canvas once for each drawing
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    ++window.drawn;
    return clear.apply(this, box);
  };
});
await page.reload();
const many = document('many', 10, 20, '1 ms', '3600 s');
const run = await s.start(many);
const plots = Array.from({ length: 10 }, (_, p) => `plot=${Array.from({ length: 20 }, (_, k) => `p${p}.y${k}`).join(',')}`).join('&');
await page.evaluate((h) => (location.hash = h), `#/run/${run.folder}?hide=scene&window=10&${plots}`);
await until(page, () => window.vernierTest.plot9?.()?.rows[19]?.t.length > 100);
const before = await page.evaluate(() => window.drawn);
await page.waitForTimeout(1000 * seconds);
const after = await page.evaluate(() => window.drawn);
line(`200 signals at 1 kHz live in 10 plots, each drawn, for ${seconds} s`, (after - before) / seconds / 10, 'times a second');
run.stop();
await run.over;
const { statistics } = JSON.parse(s.read(`${run.folder}/manifest.json`));
line('late frames by work meanwhile', statistics.late_by_work, 'frames', 1);
await s.end();
if (s.faults.length > 0) throw new Error(s.faults.join('\n'));
process.exit(missed > 0 ? 1 : 0);
