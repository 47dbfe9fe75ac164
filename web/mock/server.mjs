// A server of the desktop's protocol with synthetic runs, for work on the page alone:
//   node mock/server.mjs [PORT] [PACK]
// VERNIER_COMPOSE names the program that answers requests for editing (the build's compose_requests), VERNIER_FOLDER the folder
// with the documents.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { WebSocketServer } from 'ws';
import { unpack } from '../pack.mjs';
import { Composer } from './compose.mjs';
import { liveRows, readAnswer, reduce } from './rows.mjs';
import { automata, nasty, parameters, SyntheticRun } from './signals.mjs';

const tokens = { control: 'control', watch: 'watch' };
const refusal = (code, message, ...notes) => ({ problems: [{ severity: 'error', code, message, notes }] });

export class Mock {
  constructor(compose) {
    this.compose = compose;
    this.runs = new Map();
    this.sockets = new Set();
    this.counter = 0;
    this.add(new SyntheticRun('aausat2-0001'));
    this.add(new SyntheticRun('long-0001', { span: 400, hertz: 1000 }));
    this.add(new SyntheticRun('script-0001', { script: true }));
    this.timer = setInterval(() => this.tick(), 20);
    this.last = Date.now();
  }

  add(run) {
    this.runs.set(run.run, run);
    return run;
  }

  tick() {
    const now = Date.now();
    const passed = (now - this.last) / 1000;
    this.last = now;
    for (const run of this.runs.values()) {
      if (!run.live || run.frozen) continue;
      run.time = Math.min(run.span, run.time + passed * run.rate);
      if (run.time >= run.span) this.end(run);
    }
    for (const client of this.sockets) client.tick(now);
  }

  end(run, next) {
    run.live = false;
    run.next = next;
    for (const client of this.sockets) client.status(run);
  }

  close() {
    clearInterval(this.timer);
    this.compose?.close();
    for (const client of this.sockets) client.socket.terminate();
  }
}

class Client {
  constructor(mock, socket, role) {
    this.mock = mock;
    this.socket = socket;
    this.role = role;
    this.opened = new Set();
    this.follows = new Map();
    this.next = 1;
    this.told = 0;
    socket.on('message', (data) => this.message(JSON.parse(data.toString())));
    socket.on('close', () => mock.sockets.delete(this));
    mock.sockets.add(this);
  }

  send(message) {
    this.socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  status(run) {
    if (!this.opened.has(run.run)) return;
    this.send({
      tell: 'status', run: run.run, live: run.live, status: run.live ? 'running' : 'finished', frozen: run.frozen, time: run.time, factor: run.frozen ? 0 : run.rate,
      pulse: { frames: run.rows, late: 0 }, events: run.events.length, lost: 0, overrides: [...run.overrides.keys()], ...(run.next ? { next: run.next } : {}),
    });
  }

  tick(now) {
    for (const [number, f] of this.follows) {
      const blocks = f.columns.flatMap(([signal, element], column) => {
        const c = f.run.column(signal, element);
        const first = f.sent[column];
        f.sent[column] = c.t.length;
        return c.t.length > first ? [{ column, t: c.t.slice(first), v: c.v.slice(first) }] : [];
      });
      if (blocks.length > 0) this.send(liveRows(number, 0, blocks));
    }
    if (now - this.told < 200) return;
    this.told = now;
    for (const name of this.opened) {
      const run = this.mock.runs.get(name);
      if (run.live) this.status(run);
    }
  }

  async message(request) {
    const refused = this.role !== 'control' && ['start', 'order', 'save', 'new'].includes(request.do);
    if (!refused && this.mock.compose?.knows(request.do)) return this.send({ id: request.id, ...(await this.mock.compose.answer(request)) });
    const answer = this.answer(request);
    if (Buffer.isBuffer(answer)) this.send(answer);
    else if (answer.problems) this.send({ id: request.id, ...answer });
    else this.send({ id: request.id, ok: answer });
  }

  answer(q) {
    const { mock } = this;
    if (['start', 'order', 'save', 'new'].includes(q.do) && this.role !== 'control') return refusal('V8104', 'this link only watches');
    if (q.do === 'hello') return { version: '0.1.0', protocol: 1, host: 'mock', folder: '/home/you/sat', role: this.role, start: {}, demo: false };
    if (q.do === 'home')
      return {
        missions: [
          { name: 'aausat2', title: 'AAUSAT-II stops tumbling with magnetic coils, then points with reaction wheels.', document: 'missions/aausat2/aausat2.xml' },
          { name: 'cassini', title: 'A flexible spacecraft with ten appendages.', document: 'missions/cassini/cassini.xml' },
        ],
        examples: [
          { name: 'heater', title: 'A room with a thermostat: the smallest automaton.', document: 'examples/heater/heater.xml' },
          { name: nasty, title: nasty, document: nasty },
        ],
        runs: [...mock.runs.values()].reverse().map((r) => r.entry()),
        nodes: [],
      };
    if (q.do === 'start') return this.start(q);
    if (['scene', 'automata', 'parameters'].includes(q.do) && !q.run) return q.do === 'scene' ? refusal('V8101', 'this document has no bodies to draw') : [];
    const run = mock.runs.get(q.run);
    if (q.run === 'runs/newer-0001') return refusal('V7113', 'runs/newer-0001 was written by a newer version of Vernier (manifest 2)', 'this program reads up to manifest 1: update it');
    if (!run) return refusal('V8102', `there is no run in "${q.run}"`, 'vernier runs   lists the runs');
    switch (q.do) {
      case 'open':
        this.opened.add(q.run);
        return run.open();
      case 'close':
        this.opened.delete(q.run);
        return {};
      case 'read': {
        const c = run.column(q.signal, q.element);
        return readAnswer(q.id, reduce(c.t, c.v, q.from, q.to, q.points));
      }
      case 'row': {
        const values = {};
        for (const s of q.signals) {
          const row = run.sources[s].count;
          values[s] = Array.from({ length: row }, (_, e) => {
            const c = run.column(s, e);
            const k = Math.min(c.t.length - 1, Math.max(0, Math.floor(q.at * run.hertz + 1e-6)));
            return Number.isFinite(c.v[k]) ? c.v[k] : null;
          });
        }
        return { values };
      }
      case 'events':
        return { events: run.events.slice(q.after), total: run.events.length };
      case 'follow': {
        const follow = this.next++;
        this.follows.set(follow, { run, columns: q.columns, sent: q.columns.map(([s, e]) => run.column(s, e).t.length) });
        return { follow };
      }
      case 'unfollow':
        this.follows.delete(q.follow);
        return {};
      case 'automata':
        return automata;
      case 'parameters':
        return parameters(run.settings);
      case 'scene':
        return refusal('V8101', 'this run has no bodies to draw');
      case 'order':
        return this.order(run, q.line);
    }
    return refusal('V8103', `the server does not know the request "${q.do}"`);
  }

  start(q) {
    const { mock } = this;
    const base = q.run ? mock.runs.get(q.run) : undefined;
    if (q.run && !base) return refusal('V8102', `there is no run in "${q.run}"`);
    if (q.document && !q.document.endsWith('.xml')) return refusal('V1200', `there is no file ${q.document}`);
    const settings = { ...base?.settings };
    for (const set of q.set ?? []) {
      const match = /^(body\.rate|supervisor\.switch)=([-\d.e]+)/.exec(set);
      if (!match) return refusal('V2107', `nothing can be set with "${set}"`);
      settings[match[1].split('.')[1]] = Number(match[2]);
    }
    const live = q.real_time === true || q.rate !== undefined;
    const run = mock.add(
      new SyntheticRun(`aausat2-${String(++mock.counter + 1).padStart(4, '0')}`, { live, rate: q.rate ?? 1, hertz: live ? 50 : (base?.hertz ?? 10), span: q.until ?? base?.span ?? 900, settings }),
    );
    return { run: run.run };
  }

  order(run, line) {
    const [word, path, ...rest] = line.split(' ');
    if (!run.live) return refusal('V4121', 'the run is over');
    if (word === 'freeze') run.frozen = true;
    else if (word === 'resume') run.frozen = false;
    else if (word === 'step') {
      run.frozen = true;
      run.time += (Number(path) || 1) / run.hertz;
    } else if (word === 'rate') run.rate = Number(path);
    else if (word === 'checkpoint') {
      run.checkpoints.push(run.time);
      return { answer: `${run.run}/checkpoints/t=${run.time.toFixed(3)}.vchk` };
    } else if (word === 'stop') this.mock.end(run);
    else if (word === 'rewind') {
      const next = this.start({ run: run.run, rate: run.rate });
      this.mock.end(run, next.run);
    } else if (word === 'set') run.overrides.set(path, rest.map(Number));
    else if (word === 'release') run.overrides.delete(path);
    else if (word === 'send') run.extra.push({ time: run.time, component: path.split('.')[0], kind: 'event', from: '', to: path, reason: 'sent', transition: '', warning: false });
    else return refusal('V4121', `a run does not know "${word}"`);
    this.status(run);
    return { answer: `${word} at t = ${run.time.toFixed(3)} s` };
  }
}

const headers = {
  'Content-Security-Policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

/** Serves the page and the protocol; the answer has the address with its token. */
export async function serve(port, file, compose) {
  const page = unpack(readFileSync(file));
  const mock = new Mock(compose);
  const roleOf = (request) => Object.keys(tokens).find((r) => (request.headers.cookie ?? '').split(/; */).includes(`vernier_${http.address().port}=${tokens[r]}`));
  const http = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const token = url.searchParams.get('token');
    if (token && Object.values(tokens).includes(token)) {
      response.writeHead(303, { Location: '/', 'Set-Cookie': `vernier_${http.address().port}=${token}; HttpOnly; SameSite=Strict; Path=/`, ...headers }).end();
      return;
    }
    if (!roleOf(request)) {
      response.writeHead(403, { 'Content-Type': 'text/plain', ...headers }).end('Open the address that vernier desktop printed.\n');
      return;
    }
    const entry = page.get(url.pathname === '/' ? 'index.html' : url.pathname.slice(1));
    if (!entry) response.writeHead(404, headers).end('not found\n');
    else response.writeHead(200, { 'Content-Type': entry.type, 'Content-Encoding': 'gzip', 'Content-Length': entry.content.length, ...headers }).end(request.method === 'HEAD' ? undefined : entry.content);
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'vernier.desktop.1' });
  http.on('upgrade', (request, socket, head) => {
    const role = roleOf(request);
    if (!role || request.url !== '/ws') return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (ws) => new Client(mock, ws, role));
  });
  await new Promise((resolve) => http.listen(port, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${http.address().port}/`;
  return {
    mock,
    address: `${base}?token=${tokens.control}`,
    watching: `${base}?token=${tokens.watch}`,
    close() {
      mock.close();
      http.closeAllConnections();
      http.close();
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { VERNIER_COMPOSE: program, VERNIER_FOLDER: folder } = process.env;
  const compose = program && new Composer(program, folder ?? '.');
  const { address } = await serve(Number(process.argv[2] ?? 7411), process.argv[3] ?? new URL('../page.pack', import.meta.url), compose);
  console.log(address);
}
