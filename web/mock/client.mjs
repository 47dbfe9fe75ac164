// One connection of the mock server: answers requests and sends live rows.
import { liveRows, readAnswer, reduce } from './rows.mjs';
import { automata, nasty, parameters, SyntheticRun } from './signals.mjs';

const refusal = (code, message, ...notes) => ({ problems: [{ severity: 'error', code, message, notes }] });

export class Client {
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
      tell: 'status',
      run: run.run,
      live: run.live,
      status: run.live ? 'running' : 'finished',
      frozen: run.frozen,
      time: run.time,
      factor: run.frozen ? 0 : run.rate,
      pulse: { frames: run.rows, late: 0 },
      events: run.events.length,
      lost: 0,
      overrides: [...run.overrides.keys()],
      nodes: run.nodes,
      ...(run.next ? { next: run.next } : {}),
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
    const refused = this.role !== 'control' && ['save', 'new'].includes(request.do);
    if (!refused && this.mock.compose?.knows(request.do)) return this.send({ id: request.id, ...(await this.mock.compose.answer(request)) });
    const answer = this.answer(request);
    if (Buffer.isBuffer(answer)) this.send(answer);
    else if (answer.problems) this.send({ id: request.id, ...answer });
    else this.send({ id: request.id, ok: answer });
  }

  answer(q) {
    const { mock } = this;
    if (['start', 'order', 'save', 'new'].includes(q.do) && this.role !== 'control') return refusal('V8104', 'this link only watches');
    if (q.do === 'hello')
      return { version: '0.1.0', protocol: 1, host: 'mock', folder: '/home/you/sat', role: this.role, start: {}, demo: false };
    if (q.do === 'home')
      return {
        missions: [
          {
            name: 'aausat2',
            title: 'AAUSAT-II stops tumbling with magnetic coils, then points with reaction wheels.',
            document: 'missions/aausat2/aausat2.xml',
          },
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
    if (['scene', 'automata', 'parameters'].includes(q.do) && !q.run)
      return q.do === 'scene' ? refusal('V8101', 'this document has no bodies to draw') : [];
    const run = mock.runs.get(q.run);
    if (q.run === 'runs/newer-0001')
      return refusal(
        'V7113',
        'runs/newer-0001 was written by a newer version of Vernier (manifest 2)',
        'this program reads up to manifest 1: update it',
      );
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
      new SyntheticRun(`aausat2-${String(++mock.counter + 1).padStart(4, '0')}`, {
        live,
        rate: q.rate ?? 1,
        hertz: live ? 50 : (base?.hertz ?? 10),
        span: q.until ?? base?.span ?? 900,
        settings,
      }),
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
    else if (word === 'move') {
      const node = rest.at(-1);
      const part = [path, ...rest.slice(0, -1)].join(' ');
      for (const n of run.nodes) n.parts = n.node === node ? [...n.parts, part] : n.parts.filter((p) => p !== part);
    }
    else if (word === 'send')
      run.extra.push({
        time: run.time,
        component: path.split('.')[0],
        kind: 'event',
        from: '',
        to: path,
        reason: 'sent',
        transition: '',
        warning: false,
      });
    else return refusal('V4121', `a run does not know "${word}"`);
    this.status(run);
    return { answer: `${word} at t = ${run.time.toFixed(3)} s` };
  }
}
