import { expect, it } from 'vitest';
import { agoText, durationText, factorText, rounded, timeText, unitText, valueText } from './format';
import { verdict } from './verdict';

it('writes units as people do', () => {
  expect(['kg*m^2', 'm/s^2', '1', 'N*m*s', 's^-1'].map(unitText)).toEqual(['kg·m²', 'm/s²', '', 'N·m·s', 's⁻¹']);
});

it('writes numbers with six digits and no more', () => {
  expect([0, 1.5, 1234567, -0.00123456789, 1e-9, 6.02e23, 1e7, 100000].map((v) => valueText(v))).toEqual([
    '0',
    '1.5',
    '1234570',
    '−0.00123457',
    '1e−9',
    '6.02e23',
    '1e7',
    '100000',
  ]);
  expect([null, NaN, undefined, Infinity].map((v) => valueText(v))).toEqual(['not a number', 'not a number', '–', '∞']);
});

it('writes times as finely as the span needs', () => {
  expect([timeText(1.23456, 900), timeText(1.23456, 1), timeText(1.23456, 0.001)]).toEqual(['1.2', '1.235', '1.234560']);
  expect([0.00005, 0.0123, 0.73, 300, 7800].map(durationText)).toEqual(['50 µs', '12 ms', '0.73 s', '5 min', '2 h 10 min']);
  expect(agoText('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:02:10Z'))).toBe('2 min ago');
  expect([factorText(1), factorText(1240), factorText(0.05)]).toEqual(['1 ×', '1 240 ×', '0.05 ×']);
  expect([30, 0.0016, 7.4, 8].map(rounded)).toEqual([30, 0.002, 5, 10]);
});

it('says how a run went in words and sign, the worst first', () => {
  const run = { status: 'finished', live: false, warnings: 0, checks_failed: 0, late: 0 };
  expect(verdict(run)).toEqual({ sign: '✓', words: 'finished', tone: 'good' });
  expect(verdict({ ...run, warnings: 2 }).words).toBe('2 warnings');
  expect(verdict({ ...run, warnings: 2, late: 1 }).words).toBe('1 late frame');
  expect(verdict({ ...run, late: 1, checks_failed: 1 })).toMatchObject({ sign: '✕', words: '1 check failed' });
  expect(verdict({ ...run, status: 'killed' }).sign).toBe('✕');
  expect(verdict({ ...run, live: true, status: 'running' }).words).toBe('running');
});
