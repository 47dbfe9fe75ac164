import { expect, it } from 'vitest';
import { merge } from './merge';

it('keeps every row of curves with times of their own', () => {
  const [t, a, b] = merge([
    { t: [0, 1, 2], v: [1, 2, 3] },
    { t: [0.5, 1, 1, 3], v: [5, 6, 7, 8] },
  ]);
  expect(t).toEqual([0, 0.5, 1, 1, 2, 3]);
  expect(a).toEqual([1, undefined, 2, undefined, 3, undefined]);
  expect(b).toEqual([undefined, 5, 6, 7, undefined, 8]);
});

it('turns values that are not finite into gaps', () => {
  expect(merge([{ t: [0, 1, 2], v: [1, NaN, Infinity] }])).toEqual([
    [0, 1, 2],
    [1, null, null],
  ]);
});
