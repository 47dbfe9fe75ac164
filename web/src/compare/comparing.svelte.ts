import { Refused, type Connection } from '../protocol/connection';
import type { Opened, Problem, RunEvent } from '../protocol/messages';
import type { AlignBy, CompareLayout } from './layout';
import type { Comparison } from './table';

export interface Curve {
  run: string;
  time: (number | null)[];
  value: (number | null)[];
}

/** Several runs against the first of them: what the server has compared, and what they are. */
export class Comparing {
  opened = $state.raw<Record<string, Opened>>({});
  events = $state.raw<RunEvent[]>([]); // of the reference
  comparisons = $state.raw<Comparison[]>([]);
  problems = $state.raw<Problem[]>();
  busy = $state(false);
  #asked = '';
  #again: CompareLayout | undefined;
  #reference = '';

  constructor(readonly connection: Connection) {}

  /** Compares anew if something has changed that has an effect. */
  async update(layout: CompareLayout): Promise<void> {
    for (const { run } of layout.members) if (!this.opened[run]) await this.#open(run);
    const reference = layout.members[0]?.run ?? '';
    if (reference && reference !== this.#reference) void this.#readEvents(reference);
    const { members, between, tolerances, absolute, relative } = layout;
    const asked = JSON.stringify([members, between, tolerances, absolute, relative]);
    if (asked === this.#asked) return;
    if (this.busy) {
      this.#again = layout;
      return;
    }
    this.#asked = asked;
    if (members.length < 2) {
      this.comparisons = [];
      this.problems = undefined;
      return;
    }
    this.busy = true;
    try {
      const answer = await this.connection.request<{ comparisons: Comparison[] }>('compare', {
        runs: members.map((m) => m.run),
        shifts: members.map((m) => m.shift),
        between,
        absolute,
        relative,
        ...(tolerances ? { tolerances } : {}),
      });
      this.comparisons = answer.comparisons;
      this.problems = undefined;
    } catch (error) {
      this.comparisons = [];
      if (error instanceof Refused) this.problems = error.problems;
      else this.#asked = ''; // lost: it is asked again
    } finally {
      this.busy = false;
    }
    const again = this.#again;
    this.#again = undefined;
    if (again) await this.update(again);
  }

  /** When it happens in each run; null: it does not. */
  async align(runs: string[], by: AlignBy): Promise<(number | null)[]> {
    const { by: _, ...what } = by;
    const given = Object.fromEntries(Object.entries(what).filter(([, v]) => v !== ''));
    return (await this.connection.request<{ times: (number | null)[] }>('align', { runs, ...given })).times;
  }

  async differences(layout: CompareLayout, signal: string, element: number, points: number): Promise<Curve[]> {
    const answer = await this.connection.request<{ curves: Curve[] }>('difference', {
      runs: layout.members.map((m) => m.run),
      shifts: layout.members.map((m) => m.shift),
      signal,
      element,
      points,
    });
    return answer.curves;
  }

  async #open(run: string): Promise<void> {
    try {
      const info = await this.connection.request<Opened>('open', { run });
      this.opened = { ...this.opened, [run]: info };
    } catch (error) {
      if (error instanceof Refused) this.problems = error.problems;
    }
  }

  async #readEvents(run: string): Promise<void> {
    this.#reference = run;
    try {
      this.events = (await this.connection.request<{ events: RunEvent[] }>('events', { run, after: 0 })).events;
    } catch {
      this.events = [];
    }
  }
}
