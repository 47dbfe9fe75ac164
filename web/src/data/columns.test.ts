import { expect, it } from 'vitest';
import { Column } from './columns';

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
