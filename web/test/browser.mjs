// A browser and a server for the tests: the mock server, or the one whose address (with token) VERNIER_SERVER gives.
import { chromium } from 'playwright-core';
import WebSocket from 'ws';
import { serve } from '../mock/server.mjs';
import { watchFaults } from './faults.mjs';
import { waitUntil } from './until.mjs';

const given = process.env.VERNIER_SERVER;
export const real = given !== undefined;
const patience = 240_000; // a busy machine is slow, and nothing else is concluded from it

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function start() {
  const mock = real ? undefined : await serve(0, new URL('../page.pack', import.meta.url));
  const address = given ?? mock.address;
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: flags });
  const faults = []; // errors of pages, and requests to other hosts
  return {
    mock: mock?.mock,
    address,
    watching: mock?.watching ?? process.env.VERNIER_WATCHING,
    faults,
    /** A page of a new browser context, with the token, at an address of the page. */
    async page(hash = '', options = {}, prepare = async () => {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(patience);
      const page = await context.newPage();
      watchFaults(page, faults);
      page.on('request', (r) => {
        const url = new URL(r.url());
        if (['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol) && url.host !== new URL(address).host)
          faults.push(`request to ${r.url()}`);
      });
      await prepare(page);
      await page.goto(options.address ?? address);
      if (hash) await page.evaluate((h) => (location.hash = h), hash);
      return page;
    },
    rpc: () => connect(address),
    /** Ends the live runs that were started, too. */
    async close() {
      const ask = await connect(address);
      for (const run of begun.splice(0)) await ask('order', { run, line: 'stop' }).catch(() => {}); // it may be over
      ask.close();
      await browser.close();
      mock?.close();
    },
  };
}

/** The protocol without a browser. */
async function connect(address) {
  const answer = await fetch(address, { redirect: 'manual' });
  const cookie = answer.headers.get('set-cookie').split(';')[0];
  const { host, origin, protocol } = new URL(address);
  const socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws`, 'vernier.desktop.1', {
    headers: { Cookie: cookie, Origin: origin },
  });
  const waiting = new Map();
  socket.on('message', (data, binary) => {
    if (binary) return;
    const message = JSON.parse(data.toString());
    if (!message.id) return;
    const { resolve, reject } = waiting.get(message.id);
    if (message.problems) reject(new Error(JSON.stringify(message.problems)));
    else resolve(message.ok);
  });
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  let id = 0;
  const ask = (what, parameters = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(++id, { resolve, reject });
      socket.send(JSON.stringify({ id, do: what, ...parameters }));
    });
  ask.close = () => socket.close();
  return ask;
}

/** The address of the page of a run. */
export const runHash = (run, query = '') => `#/run/${run}${query ? `?${query}` : ''}`;

export const run = (page) => page.evaluate(() => window.vernierTest.run?.());
export const plot = (page, k) => page.evaluate((i) => window.vernierTest[`plot${i}`]?.(), k);

/** Waits until `holds(argument)` does in the page; a failure says what the page is. */
export async function until(page, holds, argument) {
  try {
    await waitUntil(page, holds, argument, patience);
  } catch (error) {
    const state = await page.evaluate(() => ({ run: window.vernierTest?.run?.(), text: document.body.innerText.slice(0, 600) }));
    throw new Error(`${error.message}\n${holds}\nthe page: ${JSON.stringify(state)}`);
  }
}

export const ready = (page) => until(page, () => window.vernierTest?.run?.()?.ready);

const begun = []; // live runs

/** A recorded run: the mock's, or the newest, or the first mission run for a while. */
export async function recorded(ask) {
  if (!real) return 'runs/aausat2-0001';
  const home = await ask('home');
  const done = home.runs.find((r) => !r.live && r.status === 'finished');
  if (done) return done.run;
  const { run } = await ask('start', { document: home.missions[0].document });
  for (;;) if (!(await ask('home')).runs.find((r) => r.run === run).live) return run;
}

/** A live run that follows the clock. */
export async function live(ask) {
  const home = await ask('home');
  const { run } = await ask('start', { document: home.missions[0].document, rate: 1 });
  begun.push(run);
  return run;
}

/** Path and count of a continuous signal of a run. */
export async function continuous(ask, name) {
  const opened = await ask('open', { run: name });
  return opened.signals.find((s) => s.scalar === 'real' && !s.held);
}
