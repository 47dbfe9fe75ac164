import { expect, it, vi } from 'vitest';
import type { LiveRows } from '../protocol/binary';
import type { Connection } from '../protocol/connection';
import type { Rows, Signal } from '../protocol/messages';
import { Column } from './column';
import { Columns } from './columns';

const rows = (t: number[], complete = true) => ({ t: Float64Array.from(t), v: Float64Array.from(t, (x) => 10 * x), complete });

it('draws the overview up to the first live row, and live rows after it', () => {
  const c = new Column(0, 0, false);
  c.take(rows([0, 1, 2, 3]), false);
  c.tail.append(Float64Array.of(2, 2.5, 4), Float64Array.of(20, 25, 40));
  expect(c.slice(0, 5, 100).t).toEqual([0, 1, 2, 2.5, 4]);
  expect([0.5, 2.25, 9].map((t) => c.at(t))).toEqual([5, 22.5, 40]);
});

it('repairs lost live rows from a newer overview', () => {
  const c = new Column(0, 0, false);
  c.tail.append(Float64Array.of(2, 4, 5), Float64Array.of(20, 40, 50)); // 3 was lost
  c.take(rows([0, 1, 2, 3, 4]), true);
  expect(c.slice(0, 9, 100).t).toEqual([0, 1, 2, 3, 4, 5]);
});

// a server with one signal: rows at 10 Hz up to its time, one live message at a time
class FakeServer {
  time = 1;
  reads: number[] = [];
  take: ((rows: LiveRows) => void)[] = [];
  ended = 0;

  rowsTo(to: number): number[] {
    return Array.from({ length: Math.floor(to * 10 + 1e-9) + 1 }, (_, k) => k / 10);
  }
  async read(_run: string, _s: number, _e: number, _from: number, to: number): Promise<Rows> {
    this.reads.push(to);
    await Promise.resolve();
    return rows(this.rowsTo(Math.min(to, this.time)));
  }
  async follow(_run: string, _c: [number, number][], _r: number, take: (rows: LiveRows) => void) {
    this.take.push(take);
    return () => ++this.ended;
  }
  live(t: number[], dropped = 0) {
    this.time = Math.max(this.time, ...t);
    this.take.at(-1)!({
      kind: 'live',
      follow: 1,
      dropped,
      blocks: [{ column: 0, t: Float64Array.from(t), v: Float64Array.from(t, (x) => 10 * x) }],
    });
  }
}

function liveColumns(server: FakeServer): Columns {
  const signal: Signal = { path: 'a.b', unit: '1', count: 1, scalar: 'real', held: false, rows: 10 };
  const source = { run: 'r', signals: [signal], begin: 0, latest: () => server.time, live: () => true };
  return new Columns(server as unknown as Connection, source);
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

it('reads what lies between the overview and the first live row', async () => {
  const server = new FakeServer();
  const columns = liveColumns(server);
  const column = columns.use(0, 0);
  await settled();
  expect(server.reads).toEqual([1]);
  server.live([1.5, 1.6]); // rows from 1.1 to 1.4 came before the server knew of the follower
  await settled();
  expect(column.slice(0, 9, 1000).t).toEqual(server.rowsTo(1.6));
  server.live([1.7]);
  await settled();
  expect(server.reads).toHaveLength(2); // and not again
  expect(column.slice(0, 9, 1000).t).toEqual(server.rowsTo(1.7));
});

it('asks again for what was asked while it was loading', async () => {
  const server = new FakeServer();
  const columns = liveColumns(server);
  const column = columns.use(0, 0);
  await Promise.resolve(); // the first read is on its way
  await Promise.resolve();
  server.live([1.5]);
  await settled();
  expect(column.slice(0, 9, 1000).t).toEqual(server.rowsTo(1.5));
});

it('counts what was dropped, and reads it again', async () => {
  vi.useFakeTimers();
  const server = new FakeServer();
  const columns = liveColumns(server);
  const column = columns.use(0, 0);
  await vi.runAllTimersAsync();
  server.live([1.1]);
  server.live([1.5], 3);
  expect(columns.dropped).toBe(3);
  await vi.advanceTimersByTimeAsync(1500);
  expect(column.slice(0, 9, 1000).t).toEqual(server.rowsTo(1.5));
  vi.useRealTimers();
});

it('catches up after a lost connection, with a new follower', async () => {
  const server = new FakeServer();
  const columns = liveColumns(server);
  const column = columns.use(0, 0);
  await settled();
  server.live([1.1, 1.2]);
  await settled();
  server.time = 3; // meanwhile
  columns.reload();
  await settled();
  expect(server.take).toHaveLength(2);
  server.live([3.1]);
  await settled();
  expect(column.slice(0, 9, 1000).t).toEqual(server.rowsTo(3.1));
  columns.close();
  expect(server.ended).toBe(1); // the follower of the lost connection needs no end
});

it('samples what a view needs, and knows nothing before it is there', async () => {
  const server = new FakeServer();
  const columns = liveColumns(server);
  expect(columns.sample('a.b', 0, 0.55)).toBeUndefined();
  await settled();
  expect(columns.sample('a.b', 0, 0.55)).toBeCloseTo(5.5, 12);
  expect(columns.sample('a.b', 1, 0.5)).toBeUndefined();
  expect(columns.sample('else', 0, 0.5)).toBeUndefined();
});
