import { describe, expect, it } from 'vitest';
import { commandOf, compareQuery, parseCompare, type CompareLayout } from './layout';

const full: CompareLayout = {
  members: [
    { run: 'runs/a-0001', shift: 0 },
    { run: 'runs/b, with "signs" & more', shift: -2.5 },
    { run: 'runs/c-0003', shift: 1e-9 },
  ],
  align: { by: 'crossing', signal: 'body.omega', element: 2, level: -0.5, crossing: 'falling', n: 3 },
  between: true,
  tolerances: 'tests/tolerances.xml',
  absolute: 1e-6,
  relative: 0.01,
  sort: 'rms',
  signal: 'body.omega[2]',
  range: [10, 20.5],
};

describe('the address of a comparison', () => {
  it('comes back as it was', () => {
    expect(parseCompare(compareQuery(full))).toEqual(full);
    const event: CompareLayout = { ...full, align: { by: 'event', component: 'supervisor', kind: 'transition', to: 'pointing', n: 2 }, range: null };
    expect(parseCompare(compareQuery(event))).toEqual(event);
  });

  it('leaves out what it does not understand', () => {
    const layout = parseCompare('run=a&shift=much&align=moon&range=5,1&sort=colour&abs=-1&rel=x');
    expect(layout.members).toEqual([{ run: 'a', shift: 0 }]);
    expect(layout).toMatchObject({ align: null, range: null, sort: 'largest', absolute: 0, relative: 0 });
  });

  it('tells the command with the same numbers', () => {
    expect(commandOf({ ...full, members: full.members.slice(0, 1).concat({ run: 'runs/b-0002', shift: -2.5 }) }, 1)).toBe(
      'vernier compare runs/a-0001 runs/b-0002 --shift -2.5s --between --tolerances tests/tolerances.xml --absolute 0.000001 --relative 0.01',
    );
    expect(commandOf(full, 7)).toBe('');
  });
});
