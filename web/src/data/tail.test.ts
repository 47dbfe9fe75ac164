import { expect, it } from 'vitest';
import { Tail } from './tail';

it('keeps the extremes of what it reduces, and the newest rows as they are', () => {
  const tail = new Tail();
  const block = 1000;
  for (let b = 0; b < 500; ++b) {
    const t = Float64Array.from({ length: block }, (_, i) => b * block + i);
    const v = t.map((x) => (x === 12_345 ? 9 : x === 23_456 ? -9 : 0));
    tail.append(t, v);
  }
  expect(tail.n).toBeLessThan(250_000);
  const v = tail.v.subarray(0, tail.n);
  expect(tail.t[v.indexOf(9)]).toBe(12_345);
  expect(tail.t[v.indexOf(-9)]).toBe(23_456);
  expect(tail.t[tail.n - 1]).toBe(499_999);
  for (let i = 1; i < tail.n; ++i) if (tail.t[i] <= tail.t[i - 1]) throw new Error(`out of order at ${i}`);
});
