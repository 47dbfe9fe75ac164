// Pictures of the desktop, from the program and its missions. docs/how-to/use-the-desktop.md shows the screens, the home page the
// moving pictures: pictures.mjs screens|moving FOLDER.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { begin, source, until } from './program.mjs';

const [what, given = '.'] = process.argv.slice(2);
const folder = resolve(given);
mkdirSync(folder, { recursive: true });
const s = await begin();

const mission = (name) => join(source, 'missions', name);
const drawn = (page) => until(page, () => window.vernierTest?.scene?.().frames > 0);

async function screens() {
  s.vernier('run', mission('aausat2/aausat2.xml'), '--quiet');
  s.vernier('run', mission('aausat2/aausat2.xml'), '--set', 'supervisor.slow=0.02 rad/s', '--quiet');
  s.vernier('run', mission('flexible-robot/sampled.xml'), '--quiet');
  s.vernier('run', mission('boom/deploy.xml'), '--quiet');
  s.vernier('run', mission('cassini/cassini.xml'), '--until', '400s', '--quiet');
  s.vernier('run', join(source, 'examples/realtime/balance.xml'), '--rt', '--until', '5s', '--quiet');
  s.vernier('report', 'runs/aausat2-0001', 'runs/aausat2-0002', '-o', 'report.html', '--title', 'AAUSAT-II detumbles');
  const address = await s.serve();

  async function shot(name, { at = address, hash = '', ready, prepare = async () => {}, ...options }) {
    const page = await s.page(at, options);
    if (hash) await page.evaluate((h) => (location.hash = h), hash);
    await page.locator(ready).first().waitFor();
    await prepare(page);
    await page.waitForTimeout(500); // transitions of colours end; a picture is not a test
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.context().close();
    process.stdout.write(`${join(folder, `${name}.png`)}\n`);
  }

  const plotted = async (page) => {
    await drawn(page);
    await until(page, () => window.vernierTest.plot0?.()?.rows[0]?.t.length > 0);
  };

  await shot('home', { ready: '[data-test=home][data-ready=true]' });
  await shot('run', {
    hash: '#/run/runs/aausat2-0002?prev=runs/aausat2-0001&t=238&arrows=body.momentum',
    ready: '[data-test=run-page]',
    prepare: plotted,
  });
  await shot('run-dark', { hash: '#/run/runs/flexible-robot-sampled-0001?t=4', ready: '[data-test=run-page]', prepare: plotted, colorScheme: 'dark' });
  await shot('bench', { hash: '#/run/runs/aausat2-0001?t=238&tiles=body.omega&bench=yes', ready: '[data-test=run-page]', prepare: (page) => page.waitForTimeout(1000) });
  await shot('phone', { hash: '#/run/runs/aausat2-0001?t=120', ready: '[data-test=run-page]', viewport: { width: 390, height: 844 }, prepare: drawn });
  await shot('compose', { hash: `#/edit/${mission('aausat2/aausat2.xml')}`, ready: '.svelte-flow__node' });
  await shot('automaton', { hash: `#/edit/${mission('aausat2/supervisor.xml')}`, ready: '.svelte-flow__node' });
  await shot('real-time', { hash: '#/time/runs/balance-0001', ready: '[data-test=realtime-page][data-ready=true]', prepare: (page) => until(page, () => window.vernierTest.realtime().rows.length > 0) });
  await shot('compare', { hash: '#/compare?run=runs/aausat2-0001&run=runs/aausat2-0002&signal=body.omega', ready: '[data-test=compare-page]' });
  await shot('report', { at: pathToFileURL(join(s.folder, 'report.html')).href, ready: '[data-test=report][data-ready=true]' });
}

const [width, height, count] = [240, 150, 24]; // of a picture, and how many are in a strip

/** What each mission shows: from when, to when; when the camera takes it in, and how much farther off it then goes. */
const shows = {
  aausat2: ['aausat2/aausat2.xml', 0, 120, 0, 0],
  boom: ['boom/deploy.xml', 0, 20, 20, 0],
  cassini: ['cassini/cassini.xml', 0, 360, 0, 100],
  'flexible-robot': ['flexible-robot/continuous.xml', 0, 5, 5, 500],
  pendulum: ['pendulum/pendulum.xml', 0, 1.5, 0, 450],
  'space-robot': ['space-robot/detumble.xml', 0, 60, 0, 150],
};

/** FOLDER/missions/NAME/picture.webp: pictures side by side, of times at equal distances. */
async function moving() {
  const address = await s.serve();
  const page = await s.page(address, { colorScheme: 'dark', viewport: { width: 1000, height: 800 } });
  await page.addStyleTag({ content: '[data-test=scene-panel] :not(canvas):not(:has(canvas)) { visibility: hidden }' });
  for (const [name, [document, from, to, seen, farther]] of Object.entries(shows)) {
    const run = s.vernier('run', mission(document), '--quiet').trim();
    const at = (t) => `#/run/${run}?plot=none&hide=signals,plots,tiles,table,events,modes,parameters,checks&t=${t}`;
    const seek = async (t, wait) => {
      await page.evaluate((h) => (location.hash = h), at(t));
      await drawn(page);
      await page.waitForTimeout(wait); // rows arrive; a picture is not a test
    };
    await seek(seen, 1500);
    await page.locator('[data-test=scene-home]').dispatchEvent('click');
    await page.locator('[data-test=scene-panel] canvas').hover();
    await page.mouse.wheel(0, farther);
    const pictures = [];
    for (let i = 0; i < count; ++i) {
      await seek(from + ((to - from) * i) / count, 300);
      pictures.push((await page.locator('[data-test=scene-panel] canvas').screenshot()).toString('base64'));
    }
    const strip = await page.evaluate(
      async ({ pictures, width, height }) => {
        const canvas = new OffscreenCanvas(width * pictures.length, height);
        const context = canvas.getContext('2d');
        for (const [i, text] of pictures.entries()) {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
          const wide = Math.min(image.width, (image.height * width) / height), high = (wide * height) / width;
          context.drawImage(image, (image.width - wide) / 2, (image.height - high) / 2, wide, high, i * width, 0, width, height);
        }
        const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.6 });
        return Array.from(new Uint8Array(await blob.arrayBuffer()));
      },
      { pictures, width, height },
    );
    const file = join(folder, 'missions', name, 'picture.webp');
    mkdirSync(join(folder, 'missions', name), { recursive: true });
    writeFileSync(file, Uint8Array.from(strip));
    process.stdout.write(`${file} ${strip.length}\n`);
  }
}

await { screens, moving }[what]();
await s.end();
if (s.faults.length > 0) throw new Error(s.faults.join('\n'));
