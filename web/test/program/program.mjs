// The program itself and a browser: VERNIER_PROGRAM is its path.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { chromium } from 'playwright-core';
import { watchFaults } from '../faults.mjs';
import { waitUntil } from '../until.mjs';

const program = process.env.VERNIER_PROGRAM;
export const source = process.env.VERNIER_SOURCE;
if (!program || !source) throw new Error('VERNIER_PROGRAM and VERNIER_SOURCE name the program and its sources');
const patience = 300_000; // a busy machine is slow, and nothing else is concluded from it

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What axe-core finds wrong with a page that keeps people out: nothing, if all is well. */
export async function barriers(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.nodes[0].html}`);
}

const browserOptions = { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: ['--no-sandbox', '--disable-gpu'] };

/** A folder to run things in, with a browser. */
export async function begin() {
  const folder = mkdtempSync(join(tmpdir(), 'vernier_page_'));
  const browser = await chromium.launch(browserOptions);
  const faults = [];
  const vernier = (...words) => execFileSync(program, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  let desktop;
  return {
    folder,
    faults,
    vernier,
    /** All rows of a results file, by signal: {time, values}. */
    rows(file) {
      const { signals } = JSON.parse(vernier('export', file, '--format', 'json'));
      return Object.fromEntries(signals.map((s) => [s.path, s]));
    },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    /** A run in real time, once its folder is there: {folder, stop(), over}. */
    async start(document, ...more) {
      const run = spawn(program, ['run', document, '--rt', '--json', ...more], { cwd: folder, stdio: 'ignore' });
      const over = new Promise((done) => run.on('exit', done));
      const name = `runs/${basename(document, '.xml')}-0001`;
      while (run.exitCode === null && !existsSync(join(folder, name, 'live'))) await new Promise((next) => setTimeout(next, 20));
      return { folder: name, stop: () => run.kill('SIGTERM'), over };
    },
    /** The address of a desktop that serves this folder. */
    async serve() {
      desktop = spawn(program, ['desktop', '--no-browser', '--port', '0'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      for await (const chunk of desktop.stdout) {
        said += chunk;
        const found = /desktop\s+(http\S+)/.exec(said);
        if (found) return found[1];
      }
      throw new Error(`the desktop did not begin: ${said}`);
    },
    async page(address, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(patience);
      const page = await context.newPage();
      watchFaults(page, faults);
      await page.goto(address);
      return page;
    },
    /** A browser of its own that can be killed: {page, kill()}. */
    async mortal(address) {
      const server = await chromium.launchServer(browserOptions);
      const page = await (await chromium.connect(server.wsEndpoint())).newPage();
      await page.goto(address);
      const gone = new Promise((done) => server.process().on('exit', done));
      return { page, kill: () => (server.process().kill('SIGKILL'), gone) };
    },
    async end() {
      await browser.close();
      desktop?.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const until = (page, condition, argument) => waitUntil(page, condition, argument, patience);
