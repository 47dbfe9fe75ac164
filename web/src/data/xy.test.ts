import { expect, it } from 'vitest';
import { paired } from './xy';

it('pairs rows of different times on the lines between them, where both are known', () => {
  const p = paired({ t: [0, 2, 4], v: [0, 2, 4] }, { t: [1, 3, 5], v: [10, 30, 50] }, false, false);
  expect(p).toEqual({ t: [1, 2, 3, 4], x: [1, 2, 3, 4], y: [10, 20, 30, 40] });
});

it('holds what is held', () => {
  expect(paired({ t: [0, 1, 2], v: [0, 1, 2] }, { t: [0, 2], v: [5, 7] }, false, true).y).toEqual([5, 5, 7]);
});
