// What the server would answer, from the data of a report.
import { after, extremes, visible } from '../data/decimate';
import { Refused } from '../protocol/connection';
import { protocolVersion, type Opened, type Problem, type Rows, type RunEntry, type RunEvent } from '../protocol/messages';
import { frameOf, used, type Frames, type Row, type Strip } from '../realtime/frames';
import type { Place, ReportFile } from './numbers';

interface Run {
  run: string;
  answers: Record<string, unknown>;
  columns: Map<string, { whole: boolean; times: Place; values: Place }>;
}

type Question = Record<string, unknown>;

function refuse(message: string, note: string): never {
  const problem: Problem = { severity: 'error', code: '', message, notes: [note] };
  throw new Refused([problem]);
}

const openWithServer = 'vernier desktop shows everything of a run, and can compare it with others';

export class Answers {
  readonly #runs = new Map<string, Run>();

  constructor(private readonly file: ReportFile) {
    for (const { run, answers, columns } of file.told.runs)
      this.#runs.set(run, { run, answers, columns: new Map(columns.map(([s, e, whole, times, values]) => [`${s}.${e}`, { whole, times, values }])) });
  }

  answer(what: string, q: Question): unknown {
    const { told } = this.file;
    switch (what) {
      case 'hello':
        return {
          version: told.version,
          protocol: protocolVersion,
          host: 'a report',
          folder: '',
          role: 'watch',
          start: {},
          report: { title: told.title, date: told.date, command: told.command, left_out: told.left_out, runs: told.runs.map((r) => r.run) },
        };
      case 'home':
        return { missions: [], examples: [], nodes: [], runs: [...this.#runs.values()].map((r) => this.#entry(r)) };
      case 'close':
        return {};
      case 'compare':
        return this.#compare(q);
      case 'difference':
        return this.#difference(q);
      case 'align':
        return this.#align(q);
    }
    const run = this.#run(q);
    switch (what) {
      case 'events': {
        const events = run.answers.events as RunEvent[];
        return { events: events.slice(Number(q.after ?? 0)), total: events.length };
      }
      case 'row':
        return this.#row(run, q.signals as number[], Number(q.at));
      case 'frames': {
        const frames = run.answers.frames as Frames | undefined;
        if (!frames) refuse(`${run.run} has no frames: it did not keep time`, 'vernier run FILE --rt   keeps time and records every frame');
        return { ...frames, late_frames: frames.late_frames.slice(Number(q.late ?? 0)) };
      }
      case 'strip':
        return strip(run.answers.strip as Strip, Number(q.from), Number(q.to), Number(q.points));
    }
    const found = run.answers[what];
    if (found === undefined) refuse(`this report does not have that of ${run.run}: ${what}`, openWithServer);
    return found;
  }

  read(name: string, signal: number, element: number, from: number, to: number, points: number): Rows {
    const column = this.#run({ run: name }).columns.get(`${signal}.${element}`);
    if (!column) return { t: new Float64Array(), v: new Float64Array(), complete: true };
    const t = this.file.numbers(column.times);
    const v = this.file.numbers(column.values);
    const [first, end] = visible(t, from, to);
    if (end - first <= points) return { t: t.slice(first, end), v: v.slice(first, end), complete: column.whole };
    const less = extremes(t, v, first, end, Math.max(1, Math.floor(points / 2)));
    return { t: Float64Array.from(less.t), v: Float64Array.from(less.v, (x) => x ?? NaN), complete: false };
  }

  #run(q: Question): Run {
    const run = this.#runs.get(String(q.run));
    if (!run) refuse(`this report has no run "${String(q.run)}"`, `it has ${[...this.#runs.keys()].join(', ')}`);
    return run;
  }

  #entry(r: Run): RunEntry {
    const o = r.answers.open as Opened;
    const m = o.manifest;
    return {
      run: r.run,
      name: r.run.split('/').pop() ?? r.run,
      composition: String(m.composition ?? ''),
      status: o.status,
      started: String(m.started ?? ''),
      reached: o.complete,
      wall: m.statistics?.wall_s ?? null,
      warnings: ((m.warnings as unknown[] | undefined) ?? []).length,
      checks_failed: (m.checks ?? []).filter((c) => !c.holds).length,
      late: m.statistics?.late_frames ?? 0,
      live: false,
    };
  }

  #row(run: Run, signals: number[], at: number): { values: Record<string, (number | null)[]> } {
    const { signals: all } = run.answers.open as Opened;
    const values: Record<string, (number | null)[]> = {};
    for (const s of signals) {
      const row: (number | null)[] = [];
      for (let e = 0; e < (all[s]?.count ?? 0); ++e) {
        const column = run.columns.get(`${s}.${e}`);
        if (!column) break;
        const k = after(this.file.numbers(column.times), at) - 1;
        if (k < 0) break;
        const v = this.file.numbers(column.values)[k];
        row.push(Number.isFinite(v) ? v : null);
      }
      if (row.length === all[s]?.count) values[s] = row;
    }
    return { values };
  }

  #asCompared(q: Question): void {
    const { told } = this.file;
    const runs = (q.runs as string[]) ?? [];
    const all = told.runs.map((r) => r.run);
    const shifts = (q.shifts as number[] | undefined) ?? [];
    const plain = !q.between && !q.tolerances && !q.absolute && !q.relative && shifts.every((s) => s === 0);
    if (!told.compare || runs[0] !== all[0] || !runs.every((r) => all.includes(r)) || !plain)
      refuse(`this report compares its runs with ${all[0]} as they are: without shifts and tolerances`, openWithServer);
  }

  #compare(q: Question): unknown {
    this.#asCompared(q);
    const all = this.file.told.compare as { reference: string; comparisons: { run: string }[] };
    const order = (q.runs as string[]).slice(1);
    return { reference: all.reference, comparisons: order.map((run) => all.comparisons.find((c) => c.run === run)) };
  }

  #difference(q: Question): unknown {
    this.#asCompared(q);
    const found = this.file.told.differences?.find((d) => d.signal === q.signal && d.element === Number(q.element ?? 0));
    if (!found) refuse(`this report has no curve of ${String(q.signal)}`, openWithServer);
    const order = (q.runs as string[]).slice(1);
    return {
      signal: found.signal,
      element: found.element,
      unit: found.unit,
      curves: order.map((run) => {
        const curve = found.curves.find((c) => c[0] === run);
        return {
          run,
          time: curve ? Array.from(this.file.numbers(curve[1])) : [],
          value: curve ? Array.from(this.file.numbers(curve[2]), (v) => (Number.isFinite(v) ? v : null)) : [],
        };
      }),
    };
  }

  #align(q: Question): unknown {
    if (q.signal) refuse('a report does not find where a signal passes a value: its curves may be reduced', openWithServer);
    const fits = (wanted: unknown, is: string) => wanted === undefined || wanted === '' || wanted === is;
    const n = Math.max(1, Number(q.n ?? 1));
    return {
      times: (q.runs as string[]).map((run) => {
        const events = this.#run({ run }).answers.events as RunEvent[];
        return events.filter((e) => fits(q.component, e.component) && fits(q.kind, e.kind) && fits(q.from, e.from) && fits(q.to, e.to))[n - 1]?.time ?? null;
      }),
    };
  }
}

/** The part of the frames between two times; of each interval those that used least and most. */
export function strip(all: Strip | undefined, from: number, to: number, points: number): Strip {
  if (!all) refuse('this run has no frames: it did not keep time', 'vernier run FILE --rt   keeps time and records every frame');
  const time = (row: Row) => Number(row[0]);
  let first = all.rows.findIndex((r) => time(r) > from);
  if (first < 0) first = all.rows.length;
  first = Math.max(0, first - 1);
  let end = all.rows.findIndex((r) => time(r) > to);
  if (end < 0) end = all.rows.length;
  const part = all.rows.slice(first, end);
  const share = all.rows.length > 0 ? all.frames / all.rows.length : 1;
  const frames = all.whole ? part.length : Math.round(part.length * share);
  const most = Math.max(2, points);
  if (part.length <= most) return { columns: all.columns, rows: part, frames, whole: all.whole };
  const length = Math.ceil((2 * part.length) / most);
  const rows: Row[] = [];
  for (let k = 0; k < part.length; k += length) {
    const interval = part.slice(k, k + length);
    const by = interval.map((r) => used(frameOf(r)));
    const least = by.indexOf(Math.min(...by));
    const greatest = by.indexOf(Math.max(...by));
    for (const i of [...new Set([least, greatest])].sort((a, b) => a - b)) rows.push(interval[i]);
  }
  return { columns: all.columns, rows, frames, whole: false };
}
