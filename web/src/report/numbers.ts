// The data of a report, as vernier/run/desktop/report_file.hpp writes it: JSON, then arrays of numbers.

export type Place = [offset: number, count: number, coding: number];

export interface Told {
  report: number;
  title: string;
  date: string;
  version: string;
  command: string[];
  left_out: string[];
  runs: { run: string; answers: Record<string, unknown>; columns: [signal: number, element: number, whole: boolean, times: Place, values: Place][] }[];
  compare?: unknown;
  differences?: { signal: string; element: number; unit: string; curves: [run: string, times: Place, values: Place][] }[];
}

export class ReportFile {
  readonly told: Told;
  readonly #numbers: number;
  readonly #known = new Map<string, Float64Array>();

  constructor(private readonly buffer: ArrayBuffer) {
    const head = new DataView(buffer, 0, 8);
    const length = head.getUint32(0, true) + head.getUint32(4, true) * 2 ** 32;
    this.told = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as Told;
    this.#numbers = 8 + Math.ceil(length / 8) * 8;
  }

  /** An array; the same object each time. */
  numbers([offset, count, coding]: Place): Float64Array {
    const key = `${offset} ${count} ${coding}`;
    let known = this.#known.get(key);
    if (!known) {
      known = decoded(new Uint8Array(this.buffer, this.#numbers + offset, 8 * count), count, coding);
      this.#known.set(key, known);
    }
    return known;
  }
}

/** Undoes what ReportNumbers::store() did: bytes of one place of all numbers stand together, each as the change since the number before. */
export function decoded(planes: Uint8Array, count: number, coding: number): Float64Array {
  const bytes = new Uint8Array(8 * count);
  for (let b = 0; b < 8; ++b) {
    let before = 0;
    for (let i = 0; i < count; ++i) {
      before ^= planes[b * count + i];
      bytes[8 * i + b] = before;
    }
  }
  const view = new DataView(bytes.buffer);
  const out = new Float64Array(count);
  for (let i = 0; i < count; ++i) out[i] = view.getFloat64(8 * i, true);
  if (coding === 1) {
    let ns = 0;
    for (let i = 0; i < count; ++i) {
      ns += out[i];
      out[i] = ns / 1e9;
    }
  }
  return out;
}
