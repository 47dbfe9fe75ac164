import { describe, expect, it } from 'vitest';
import { defaultPlots } from './default';
import { emptyLayout, layoutQuery, parseLayout, parseRoute, runAddress, type Layout } from './layout';
import type { Signal } from '../protocol/messages';

const signal = (path: string, more: Partial<Signal> = {}): Signal => ({
  path,
  unit: '1',
  count: 1,
  scalar: 'real',
  held: false,
  rows: 10,
  ...more,
});

describe('the address of a view', () => {
  const full: Layout = {
    plots: [
      { kind: 'time', curves: [{ path: 'body.omega' }, { path: 'a.b', element: 2 }], title: 'A title: with, signs & =' },
      { kind: 'xy', curves: [{ path: 'x' }, { path: 'y' }] },
      { kind: 'spectrum', curves: [] },
    ],
    tiles: [{ path: 'a.b', element: 0 }],
    table: [{ path: 'c' }, { path: 'd' }],
    arrows: [{ path: 'body.momentum' }],
    hidden: ['events', 'modes'],
    range: [1.25, 1e-3 + 2],
    window: null,
    time: -0.5,
    a: 0,
    b: 1 / 3,
    previous: 'runs/x 1',
    overlay: false,
    bench: true,
  };
  it('is read back as the same view', () => {
    const back = parseLayout(layoutQuery(full));
    expect(back).toEqual({ ...full, b: 0.333333333333 });
    expect(parseLayout(layoutQuery(emptyLayout()))).toEqual(emptyLayout());
    expect(layoutQuery(emptyLayout())).toBe('');
  });
  it('tells no plots from the plots that fit the run', () => {
    expect(parseLayout(layoutQuery({ ...emptyLayout(), plots: [] })).plots).toEqual([]);
    expect(parseLayout('').plots).toBeNull();
  });
  it('leaves out what it does not understand', () => {
    expect(parseLayout('range=5,1&t=x&a=&hide=nothing,events&window=-1&other=3')).toEqual({ ...emptyLayout(), hidden: ['events'] });
  });
  it('names runs by their folder, whatever it is called', () => {
    for (const run of ['runs/a-1', '/tmp/a b', 'runs/50%?#', 'runs/ü'])
      expect(parseRoute(runAddress(run, full))).toMatchObject({ page: 'run', run });
    expect(parseRoute('')).toEqual({ page: 'home' });
    expect(parseRoute('#/else')).toEqual({ page: 'unknown', address: '/else' });
    expect(parseRoute('#/run/%E0%A4%A').page).toBe('unknown');
  });
});

describe('the default view', () => {
  it('follows the figures of the document', () => {
    const signals = [signal('q', { count: 3 }), signal('n')];
    const figures = [
      { name: 'f1', title: 'All', curves: [0, 1, 2].map((element) => ({ signal: 0, element })) },
      {
        name: 'f2',
        curves: [
          { signal: 1, element: 0 },
          { signal: 0, element: 2 },
        ],
      },
    ];
    expect(defaultPlots({ signals, figures })).toEqual([
      { kind: 'time', curves: [{ path: 'q' }], title: 'All' },
      { kind: 'time', curves: [{ path: 'n' }, { path: 'q', element: 2 }], title: 'f2' },
    ]);
  });
  it('without figures shows the first signals that change continuously', () => {
    const signals = [signal('m', { held: true, scalar: 'integer' }), signal('big', { count: 100 }), signal('x'), signal('y')];
    expect(defaultPlots({ signals, figures: [] }).map((p) => p.curves[0].path)).toEqual(['x', 'y']);
    expect(defaultPlots({ signals: [signal('m', { held: true, scalar: 'integer' })], figures: [] })).toHaveLength(1);
    expect(defaultPlots({ signals: [], figures: [] })).toEqual([]);
  });
});
