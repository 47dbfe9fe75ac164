import { describe, expect, it } from 'vitest';
import { spectrum, transform, uniform } from './spectrum';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

describe('transform', () => {
  it('equals the sum that defines it', () => {
    const n = 32;
    const re = Float64Array.from(range(n).map((i) => Math.sin(i * i)));
    const im = Float64Array.from(range(n).map((i) => Math.cos(3 * i)));
    const a = re.slice();
    const b = im.slice();
    transform(re, im);
    for (let k = 0; k < n; ++k) {
      let x = 0;
      let y = 0;
      for (let i = 0; i < n; ++i) {
        const c = Math.cos((-2 * Math.PI * i * k) / n);
        const s = Math.sin((-2 * Math.PI * i * k) / n);
        x += a[i] * c - b[i] * s;
        y += a[i] * s + b[i] * c;
      }
      expect(re[k]).toBeCloseTo(x, 10); // some hundred operations, each rounded
      expect(im[k]).toBeCloseTo(y, 10);
    }
  });
});

describe('spectrum', () => {
  it('of a sine that fits the window is its amplitude at its frequency, half of it beside, and nothing elsewhere', () => {
    // closed form of the Hann window: weights -1/4, 1/2, -1/4 on three neighbouring frequencies
    const n = 1024;
    const t = range(n).map((i) => i / 100);
    const s = spectrum(
      t,
      t.map((x) => 3 + 2 * Math.sin(2 * Math.PI * (64 / 10.24) * x)),
    )!;
    expect(s.f[64]).toBeCloseTo(6.25, 9);
    expect(s.amplitude[64]).toBeCloseTo(2, 9);
    expect(s.amplitude[63]).toBeCloseTo(1, 9);
    expect(s.amplitude[65]).toBeCloseTo(1, 9);
    for (const k of [0, 10, 61, 67, 400]) expect(s.amplitude[k]).toBeLessThan(1e-9);
  });
  it('of rows that are no power of two keeps the amplitude', () => {
    const t = range(9001).map((i) => i / 10);
    const s = spectrum(
      t,
      t.map((x) => 2 * Math.sin(Math.PI * x)),
    )!;
    const peak = s.amplitude.indexOf(Math.max(...s.amplitude));
    expect(s.f[peak]).toBeCloseTo(0.5, 3);
    // the Hann window falls by at most 2 % between two of the padded frequencies
    expect(s.amplitude[peak]).toBeGreaterThan(1.96);
    expect(s.amplitude[peak]).toBeLessThan(2.001);
  });
  it('needs eight rows, and leaves out what is not a number', () => {
    expect(spectrum([0, 1, 2], [1, 2, 3])).toBeUndefined();
    expect(
      uniform(
        range(20),
        range(20).map((i) => (i === 5 ? NaN : i)),
      )!.v.every(Number.isFinite),
    ).toBe(true);
  });
});
