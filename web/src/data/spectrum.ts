// One-sided amplitude spectrum: a sine of amplitude a shows a peak of height a.

import { after } from './decimate';

/** Fast Fourier transform in place, radix 2 (Cooley and Tukey 1965); the length is a power of two. */
export function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let length = 2; length <= n; length *= 2) {
    const half = length / 2;
    for (let k = 0; k < half; ++k) {
      const c = Math.cos((-2 * Math.PI * k) / length);
      const s = Math.sin((-2 * Math.PI * k) / length);
      for (let i = k; i < n; i += length) {
        const j = i + half;
        const x = re[j] * c - im[j] * s;
        const y = re[j] * s + im[j] * c;
        re[j] = re[i] - x;
        im[j] = im[i] - y;
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

export interface Spectrum {
  f: Float64Array; // Hz
  amplitude: Float64Array; // unit of the signal
}

/** Rows at equal steps: as they are where they are so already, else on the lines between them. Rows that are not finite are left out. */
export function uniform(t: ArrayLike<number>, v: ArrayLike<number>): { step: number; v: Float64Array } | undefined {
  const tt: number[] = [];
  const vv: number[] = [];
  for (let i = 0; i < t.length; ++i) {
    if (!Number.isFinite(v[i])) continue;
    if (tt.length > 0 && t[i] === tt[tt.length - 1]) vv[vv.length - 1] = v[i];
    else {
      tt.push(t[i]);
      vv.push(v[i]);
    }
  }
  const n = tt.length;
  if (n < 8) return undefined;
  const step = (tt[n - 1] - tt[0]) / (n - 1);
  const equal = tt.every((time, k) => Math.abs(time - tt[0] - k * step) < 1e-3 * step);
  if (equal) return { step, v: Float64Array.from(vv) };
  const out = new Float64Array(n);
  for (let k = 0; k < n; ++k) {
    const at = Math.min(tt[0] + k * step, tt[n - 1]);
    const next = Math.min(n - 1, Math.max(1, after(tt, at)));
    const i = next - 1;
    out[k] = vv[i] + ((vv[next] - vv[i]) * (at - tt[i])) / (tt[next] - tt[i]);
  }
  return { step, v: out };
}

/** Mean removed, Hann window, its mean of a half corrected, zeros added up to a power of two. */
export function spectrum(t: ArrayLike<number>, v: ArrayLike<number>): Spectrum | undefined {
  const samples = uniform(t, v);
  if (!samples || !(samples.step > 0)) return undefined;
  const n = samples.v.length;
  const length = 2 ** Math.ceil(Math.log2(n));
  const mean = samples.v.reduce((sum, x) => sum + x, 0) / n;
  const re = new Float64Array(length);
  const im = new Float64Array(length);
  samples.v.forEach((x, k) => (re[k] = (x - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * k) / n))));
  transform(re, im);
  const half = length / 2;
  const f = new Float64Array(half);
  const amplitude = new Float64Array(half);
  for (let k = 0; k < half; ++k) {
    f[k] = k / (length * samples.step);
    amplitude[k] = ((k === 0 ? 1 : 2) * Math.hypot(re[k], im[k])) / (n * 0.5);
  }
  return { f, amplitude };
}
