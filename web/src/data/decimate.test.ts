import { describe, expect, it } from 'vitest';
import { after, extremes, notBefore, valueAt, visible } from './decimate';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

describe('search', () => {
  const t = [0, 1, 1, 2, 5];
  it('finds rows around equal times', () => {
    expect([after(t, 1), notBefore(t, 1), after(t, -1), notBefore(t, 9), after(t, 5)]).toEqual([3, 1, 0, 5, 5]);
  });
  it('includes one row on each side of a range', () => {
    expect(visible(t, 1.5, 1.8)).toEqual([2, 4]);
    expect(visible(t, -3, 9)).toEqual([0, 5]);
  });
});

describe('extremes', () => {
  it('keeps a spike of one row at its true time, whatever the number of intervals', () => {
    const t = range(100_000).map((i) => i / 1000);
    const v = t.map(() => 0);
    v[43_217] = 1;
    v[71_003] = -2;
    for (const intervals of [1, 2, 7, 100, 1920]) {
      const out = extremes(t, v, 0, t.length, intervals);
      expect(out.t.length).toBeLessThanOrEqual(5 * (intervals + 1));
      expect(out.t[out.v.indexOf(1)]).toBe(43.217);
      expect(out.t[out.v.indexOf(-2)]).toBe(71.003);
    }
  });
  it('has the smallest and largest value of every interval, as a search of all rows finds them', () => {
    const t = range(5000).map((i) => i + 0.5 * Math.sin(i));
    const v = t.map((x) => Math.sin(12.9898 * x) * Math.cos(0.01 * x));
    const intervals = 40;
    const out = extremes(t, v, 0, t.length, intervals);
    const width = (t[4999] - t[0]) / intervals;
    for (let k = 0; k < intervals; ++k) {
      const inside = (x: number) => Math.floor((x - t[0]) / width) === k;
      const all = v.filter((_, i) => inside(t[i]));
      const kept = out.v.filter((_, i) => inside(out.t[i]));
      expect([Math.min(...kept), Math.max(...kept)]).toEqual([Math.min(...all), Math.max(...all)]);
    }
    expect(out.t).toEqual([...out.t].sort((a, b) => a - b));
  });
  it('keeps gaps, both rows of an event, and few rows as they are', () => {
    const t = range(1000);
    const v = t.map((x) => (x === 500 ? NaN : 1));
    expect(extremes(t, v, 0, 1000, 10).v.some(Number.isNaN)).toBe(true);
    expect(extremes([0, 1, 1, 2], [1, 2, 7, 8], 0, 4, 10)).toEqual({ t: [0, 1, 1, 2], v: [1, 2, 7, 8] });
  });
});

describe('valueAt', () => {
  it('is on the line between rows, or held, and the last row of equal times', () => {
    const t = [0, 2, 2, 4];
    const v = [0, 4, 10, 20];
    expect([1, 2, 3, 9].map((x) => valueAt(t, v, x, false))).toEqual([2, 10, 15, 20]);
    expect([1, 2, 3].map((x) => valueAt(t, v, x, true))).toEqual([0, 10, 10]);
    expect(valueAt(t, v, -1, false)).toBeUndefined();
  });
});
