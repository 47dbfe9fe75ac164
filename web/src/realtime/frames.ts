// How a run keeps time, as the server describes it (formats/desktop/README.md, "Frames").

export interface Figure {
  name: string;
  count: number;
  mean?: number;
  p50?: number;
  p99?: number;
  p999?: number;
  max?: number;
  max_frame?: number;
  max_time?: number;
}

export interface LateFrame {
  number: number;
  time: number;
  late_by: number;
  wake_up: number;
  cause: string;
  words: string;
}

export interface Delay {
  name: string;
  signal: string;
  now: number | null;
  count: number;
  mean?: number;
  p99?: number;
  max?: number;
  max_time?: number;
}

export interface LinkValue {
  name: string;
  signal: string;
  unit: string;
  now: number | null;
  begin: number | null;
}

export interface Link {
  link: string;
  delays: Delay[];
  values: LinkValue[];
}

export type Row = (number | boolean | null)[];

export interface Frames {
  live: boolean;
  frames: number;
  late: number;
  in_a_row: number;
  causes: Record<string, number>;
  policy: string;
  rate: string;
  real_time: boolean;
  parts: string[];
  columns: string[];
  first: Row | null;
  last: Row | null;
  worst: Row | null;
  figures: Figure[];
  histograms: Record<string, [number, number, number][]>;
  late_frames: LateFrame[];
  late_kept: number;
  shares_time: boolean;
  others: { name: string; held: number; late: number; longest: number }[];
  links: Link[];
  federation: { component: string; logical_time: number | null; mode: number | null } | null;
  machine: [string, string][];
  dropped: number | null;
  not_kept: number | null;
  slipped: number | null;
  load: number | null;
}

export interface Strip {
  columns: string[];
  rows: Row[];
  frames: number;
  whole: boolean;
}

const own = 10; // columns before those of the parts

/** One frame, with the numbers of frames.h5; times in s. */
export interface Frame {
  time: number;
  number: number;
  wakeUp: number;
  cost: number;
  margin: number;
  held: number;
  late: boolean;
  behind: boolean;
  cause: number;
  parts: number[];
}

export function frameOf(row: Row): Frame {
  const n = (k: number) => (typeof row[k] === 'number' ? (row[k] as number) : NaN);
  return {
    time: n(0),
    number: n(1),
    wakeUp: n(2),
    cost: n(3),
    margin: n(4),
    held: n(5),
    late: row[6] === true,
    behind: row[7] === true,
    cause: n(8),
    parts: row.slice(own).map((v) => (typeof v === 'number' ? v : NaN)),
  };
}

/** From the intended start of a frame to the end of its work. */
export const used = (f: Frame): number => f.wakeUp + f.cost;

/** What a frame has: the time until the next one is due. */
export const period = (f: Frame): number => f.wakeUp + f.cost + f.margin;

/** What the executive, the recorder and observers used. */
export const rest = (f: Frame): number => f.cost - f.held - f.parts.reduce((sum, v) => sum + v, 0);

export interface Segment {
  name: string;
  length: number; // s
  kind: 'wake' | 'part' | 'rest' | 'held';
}

/** The time of a frame as it was spent, one after the other; with the margin they are the period. */
export function segments(f: Frame, parts: string[]): Segment[] {
  return [
    { name: 'wake-up', length: Math.max(0, f.wakeUp), kind: 'wake' as const },
    ...f.parts.map((length, k) => ({ name: parts[k] ?? `part ${k}`, length, kind: 'part' as const })),
    { name: 'executive, recorder', length: Math.max(0, rest(f)), kind: 'rest' as const },
    ...(f.held > 0 ? [{ name: 'waiting for others', length: f.held, kind: 'held' as const }] : []),
  ];
}

/** A duration as the report and the messages write it: 21.0 µs, 4.000 ms. */
export function spanText(s: number | null | undefined): string {
  if (s === null || s === undefined || !Number.isFinite(s)) return '–';
  const ns = s * 1e9;
  const size = Math.abs(ns);
  const text =
    size < 999.5
      ? `${ns.toFixed(0)} ns`
      : size < 999.5e3
        ? `${(ns / 1e3).toFixed(size < 99.95e3 ? 1 : 0)} µs`
        : size < 999.5e6
          ? `${(ns / 1e6).toFixed(size < 9.995e6 ? 3 : 1)} ms`
          : `${s.toFixed(3)} s`;
  return text.replace('-', '−');
}

/** 250 Hz, every 3.3 ms */
export function rateText(seconds: number): string {
  const hz = 1 / seconds;
  if (hz >= 1 && Math.abs(hz - Math.round(hz)) < 1e-6 * hz) return `${Math.round(hz)} Hz`;
  return `every ${spanText(seconds)}`;
}

export function percentText(share: number): string {
  return Number.isFinite(share) ? `${(100 * share).toFixed(0)} %`.replace('-', '−') : '–';
}

export function figure(frames: Frames, name: string): Figure | undefined {
  return frames.figures.find((f) => f.name === name && f.count > 0);
}
