import { expect, it } from 'vitest';
import { lines, type Comparison, type Difference } from './table';

const difference = (signal: string, largest: number | null, rms: number, at: number | null): Difference => ({
  signal,
  unit: 'm',
  within: at === null,
  compared: 10,
  only_a: 0,
  only_b: 0,
  largest,
  largest_at_s: 1,
  largest_element: 0,
  rms,
  diverges_at_s: at,
});
const comparison = (run: string, signals: Difference[]): Comparison => ({ run, shift: 0, within: false, only_a: [], only_b: [], signals });
const two = [
  comparison('b', [difference('x', 1, 0.5, 3), difference('y', 4, 0.1, 7), difference('z', 0, 0, null)]),
  comparison('c', [difference('x', 9, 0.2, 2), difference('w', null, 1, 1)]),
];
const names = (sort: Parameters<typeof lines>[1]) => lines(two, sort).map((l) => l.signal);

it('sorts signals by what differs most in any run', () => {
  expect(names('largest')).toEqual(['w', 'x', 'y', 'z']);
  expect(names('rms')).toEqual(['w', 'x', 'y', 'z']);
  expect(names('first')).toEqual(['w', 'x', 'y', 'z']);
  expect(names('name')).toEqual(['w', 'x', 'y', 'z']);
  const swapped = [comparison('b', [difference('a', 1, 9, 3), difference('b', 2, 1, 1)])];
  expect(lines(swapped, 'largest').map((l) => l.signal)).toEqual(['b', 'a']);
  expect(lines(swapped, 'rms').map((l) => l.signal)).toEqual(['a', 'b']);
  expect(lines(swapped, 'first').map((l) => l.signal)).toEqual(['b', 'a']);
});

it('has a cell for each run, empty where a run lacks the signal', () => {
  const x = lines(two, 'largest').find((l) => l.signal === 'x')!;
  expect(x.cells.map((d) => d?.largest)).toEqual([1, 9]);
  const w = lines(two, 'largest').find((l) => l.signal === 'w')!;
  expect(w.cells[0]).toBeUndefined();
  expect(lines(two, 'largest').find((l) => l.signal === 'z')!.within).toBe(true);
});
