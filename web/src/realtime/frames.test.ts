import { describe, expect, it } from 'vitest';
import { places, top } from './draw-strip';
import { frameOf, period, rateText, rest, segments, spanText, used, type Frames, type Row } from './frames';
import { picture } from './histogram';
import { driftLight, driftSum, lateLight, limitsText, linkState, marginLight, parseLimits, usualLimits, wakeUpLight } from './quantities';

// time, number, wake_up, cost, margin, held, late, behind, cause, culprit, two parts
const row: Row = [0.4, 100, 50e-6, 1.2e-3, 2.75e-3, 0.1e-3, false, false, 0, -1, 0.7e-3, 0.3e-3];

describe('a frame', () => {
  it('is spent to the end', () => {
    const f = frameOf(row);
    expect(f).toMatchObject({ time: 0.4, number: 100, late: false, parts: [0.7e-3, 0.3e-3] });
    expect(used(f) + f.margin).toBeCloseTo(period(f), 15);
    expect(rest(f)).toBeCloseTo(0.1e-3, 15);
    const all = segments(f, ['plant', 'control']);
    expect(all.map((s) => s.name)).toEqual(['wake-up', 'plant', 'control', 'executive, recorder', 'waiting for others']);
    expect(all.reduce((sum, s) => sum + s.length, 0) + f.margin).toBeCloseTo(period(f), 15);
  });

  it('is told as the report tells it', () => {
    // vernier/run/realtime/report.cpp, time_text() and rate_text()
    expect([21e-6, 212.4e-6, 4e-3, 12.34e-3, 1.5, -21e-6, 600e-9].map(spanText)).toEqual(['21.0 µs', '212 µs', '4.000 ms', '12.3 ms', '1.500 s', '−21.0 µs', '600 ns']);
    expect([0.004, 0.0033].map(rateText)).toEqual(['250 Hz', 'every 3.300 ms']);
    expect(spanText(NaN)).toBe('–');
  });
});

describe('the strip', () => {
  const frames = [0, 1, 2, 3].map((k) => frameOf([k * 0.004, k, ...row.slice(2)]));
  it('puts every frame where it begins and lets it reach to the next', () => {
    const all = places({ frames, from: 0, to: 0.016, parts: [], selected: null, fit: false }, 400);
    expect(all.map((p) => Math.round(p.left))).toEqual([0, 100, 200, 300]);
    expect(all.map((p) => Math.round(p.width))).toEqual([100, 100, 100, 100]);
  });
  it('has room for the deadline and for the frame that used most', () => {
    expect(top(frames)).toBeGreaterThan(0.004);
    expect(top([{ ...frames[0], cost: 0.05, margin: -0.046 }])).toBeGreaterThan(0.05);
    expect(top(frames, true)).toBeLessThan(0.0014);
    expect(top([])).toBe(1);
  });
});

it('a histogram shows every bucket, one count as well as a million', () => {
  const p = picture(
    [
      [1e-5, 1.1e-5, 1_000_000],
      [9e-3, 9.2e-3, 1],
    ],
    600,
    100,
    4e-3,
  );
  expect(p.bars[0].height).toBeCloseTo(100, 5);
  expect(p.bars[1].height).toBeGreaterThan(3);
  expect(p.bars[1].x).toBeGreaterThan(p.x(4e-3));
  expect(p.x(4e-3)).toBeLessThan(600);
});

describe('lights', () => {
  it('are those of the definitions', () => {
    expect([0.31, 0.3, 0.1, 0.09, -1].map((share) => marginLight(share * 0.004, 0.004, usualLimits))).toEqual(['good', 'note', 'note', 'bad', 'bad']);
    expect(marginLight(NaN, 0.004, usualLimits)).toBe('plain');
    expect(lateLight({ late: 0 })).toBe('good');
    expect(lateLight({ late: 1 })).toBe('note');
    const frames = { last: row, figures: [{ name: 'wake_up', count: 10, p99: 79e-6 }] } as unknown as Frames;
    expect(wakeUpLight(frames, usualLimits)).toBe('good'); // 2 % of 4 ms are 80 µs
    frames.figures[0].p99 = 81e-6;
    expect(wakeUpLight(frames, usualLimits)).toBe('note');
    expect(wakeUpLight(frames, { ...usualLimits, wakeUp: 0.05 })).toBe('good');
  });
  it('have limits that an address can carry', () => {
    expect(limitsText(usualLimits)).toBe('');
    const own = { ...usualLimits, marginGood: 0.5, drift: 0.25 };
    expect(parseLimits(limitsText(own))).toEqual(own);
    expect(parseLimits('marginGood:much,moon:3,wakeUp:-1,drift:')).toEqual(usualLimits);
  });
  it('tell the state and the drift of a link', () => {
    const link = (state: number, now: number) => ({
      link: 'arm',
      delays: [],
      values: [
        { name: 'link.state', signal: '', unit: '1', now: state, begin: 1 },
        { name: 'link.offset', signal: '', unit: 's', now, begin: 0.001 },
      ],
    });
    expect(linkState(link(2, 0))).toEqual({ words: 'up', light: 'good' });
    expect(linkState(link(4, 0)).light).toBe('bad');
    expect(driftSum(link(2, 0.0025))).toBeCloseTo(0.0015, 12);
    expect(driftLight(link(2, 0.0025), 0.004, usualLimits)).toBe('good');
    expect(driftLight(link(2, 0.0035), 0.004, usualLimits)).toBe('note');
  });
});
