import { describe, expect, it } from 'vitest';
import { Refused } from '../protocol/connection';
import type { Strip } from '../realtime/frames';
import { Answers, strip } from './answers';
import { decoded, ReportFile, type Place } from './numbers';

/** What vernier/run/desktop/report_file.cpp stores: bytes by place, as changes. */
function stored(values: number[]): Uint8Array {
  const n = values.length;
  const bytes = new Uint8Array(8 * n);
  const view = new DataView(new ArrayBuffer(8));
  const before = new Uint8Array(8);
  values.forEach((v, i) => {
    view.setFloat64(0, v, true);
    for (let b = 0; b < 8; ++b) {
      bytes[b * n + i] = view.getUint8(b) ^ before[b];
      before[b] = view.getUint8(b);
    }
  });
  return bytes;
}

function file(told: object, arrays: Uint8Array[]): ReportFile {
  const text = new TextEncoder().encode(JSON.stringify(told));
  const length = Math.ceil(text.length / 8) * 8;
  const numbers = arrays.reduce((sum, a) => sum + a.length, 0);
  const bytes = new Uint8Array(8 + length + numbers).fill(32, 8);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.fill(0, 4, 8);
  bytes.set(text, 8);
  let at = 8 + length;
  for (const a of arrays) {
    bytes.set(a, at);
    at += a.length;
  }
  return new ReportFile(bytes.buffer);
}

const times = [0, 0.1, 0.2, 0.30000000000000004];
const values = [1, -2.5, NaN, 1e300];
const steps = [0, 1e8, 1e8, 1e8]; // ns
const place = (offset: number, coding = 0): Place => [offset, 4, coding];
const event = (time: number, to: string) => ({ time, component: 'a', kind: 'mode', from: '', to, reason: '', transition: '', warning: false });
const told = {
  report: 1,
  title: 'two',
  date: '2030-01-01T00:00:00Z',
  version: '1.0.0',
  command: ['vernier', 'report'],
  left_out: ['nothing'],
  runs: [
    { run: 'a', answers: { open: { signals: [{ path: 'a.x', count: 1 }], manifest: {}, status: 'finished', complete: 0.3 }, events: [event(1, 'on'), event(2, 'off'), event(3, 'on')] }, columns: [[0, 0, true, place(0), place(32)]] },
    { run: 'b', answers: { open: { signals: [], manifest: {}, status: 'finished', complete: 0 }, events: [event(5, 'on')] }, columns: [] },
  ],
  compare: { reference: 'a', comparisons: [{ run: 'b', within: true }] },
  differences: [{ signal: 'a.x', element: 0, unit: 'm', curves: [['b', place(0), place(32)]] }],
};
const answers = () => new Answers(file(told, [stored(times), stored(values)]));

describe('numbers of a report', () => {
  it('are those that were stored, to the bit', () => {
    expect([...decoded(stored(values), 4, 0)]).toEqual(values);
    expect([...decoded(stored(steps), 4, 1)]).toEqual([0, 0.1, 0.2, 0.3]);
  });
});

describe('a report answers', () => {
  it('reads, rows and events', () => {
    const a = answers();
    const all = a.read('a', 0, 0, -1, 1, 100);
    expect([...all.t]).toEqual(times);
    expect([...all.v]).toEqual(values);
    expect(all.complete).toBe(true);
    expect(a.read('a', 5, 0, 0, 1, 100).t.length).toBe(0);
    expect(a.answer('row', { run: 'a', signals: [0], at: 0.15 })).toEqual({ values: { 0: [-2.5] } });
    expect(a.answer('row', { run: 'a', signals: [0], at: 0.25 })).toEqual({ values: { 0: [null] } });
    expect(a.answer('row', { run: 'a', signals: [0], at: -1 })).toEqual({ values: {} });
    expect(a.answer('events', { run: 'a', after: 1 })).toMatchObject({ total: 3, events: [{ time: 2 }, { time: 3 }] });
  });

  it('comparisons as they were made, and refuses others', () => {
    const a = answers();
    expect(a.answer('compare', { runs: ['a', 'b'], shifts: [0, 0] })).toMatchObject({ comparisons: [{ run: 'b', within: true }] });
    expect(a.answer('difference', { runs: ['a', 'b'], signal: 'a.x', element: 0 })).toMatchObject({ curves: [{ run: 'b', time: times, value: [1, -2.5, null, 1e300] }] });
    for (const q of [{ runs: ['b', 'a'] }, { runs: ['a', 'b'], shifts: [0, 1] }, { runs: ['a', 'c'] }, { runs: ['a', 'b'], between: true }])
      expect(() => a.answer('compare', q), JSON.stringify(q)).toThrow(Refused);
    expect(a.answer('align', { runs: ['a', 'b'], component: 'a', to: 'on', n: 1 })).toEqual({ times: [1, 5] });
    expect(a.answer('align', { runs: ['a', 'b'], to: 'on', n: 2 })).toEqual({ times: [3, null] });
  });

  it('what it does not have with a sentence', () => {
    const a = answers();
    expect(() => a.answer('open', { run: 'c' })).toThrow('this report has no run "c"');
    expect(() => a.answer('frames', { run: 'a' })).toThrow('it did not keep time');
    expect(() => a.answer('start', { run: 'a' })).toThrow(Refused);
    expect(a.answer('hello', {})).toMatchObject({ role: 'watch', report: { title: 'two', runs: ['a', 'b'] } });
  });
});

it('a strip keeps the frame that used most', () => {
  const rows = Array.from({ length: 1000 }, (_, k) => [k * 0.004, k, 0, k === 777 ? 0.003 : 0.001, 0.003, 0, false, false, 0, -1]);
  const all: Strip = { columns: [], rows, frames: 1000, whole: true };
  const few = strip(all, 0, 10, 40);
  expect(few.rows.length).toBeLessThanOrEqual(42);
  expect(few.rows.some((r) => r[1] === 777)).toBe(true);
  expect(strip(all, 0.4, 0.4, 40).rows.map((r) => r[1])).toEqual([100]);
  expect(() => strip(undefined, 0, 1, 2)).toThrow(Refused);
});
