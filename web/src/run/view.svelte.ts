import { notices } from '../app/notices.svelte';
import { router } from '../app/router.svelte';
import { defaultPlots } from '../layout/default';
import {
  layoutQuery,
  parseLayout,
  runAddress,
  sameRef,
  type Layout,
  type PanelName,
  type PlotKind,
  type PlotSpec,
  type SignalRef,
} from '../layout/layout';
import type { RunSession } from './session.svelte';

/** How a run is shown. Its address is the layout: changes are written there, back and forward bring them back. */
export class View {
  layout = $state<Layout>(parseLayout(''));
  hover = $state<number | null>(null); // time under the pointer
  previous = $state.raw<RunSession>(); // the run that is drawn in grey
  #session: RunSession;
  #held: [number, number] = [0, 1]; // range of a live run while the view does not follow it
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: RunSession, query: string) {
    this.#session = session;
    this.layout = parseLayout(query);
  }

  /** The address has changed: back, forward, or a link. */
  read(query: string): void {
    const next = parseLayout(query);
    if (layoutQuery(next) === layoutQuery(this.layout)) return;
    clearTimeout(this.#timer);
    const before = this.layout.previous;
    this.layout = next;
    this.layout.previous ??= before;
    if (this.layout.time !== null) this.#session.clock.seek(this.layout.time);
  }

  plots = $derived.by<PlotSpec[]>(() => this.layout.plots ?? (this.#session.info ? defaultPlots(this.#session.info) : []));

  /** Times at the left and right edge of all plots. */
  range = $derived.by<[number, number]>(() => {
    const { layout } = this;
    if (layout.range) return layout.range;
    const clock = this.#session.clock;
    if (!clock.live) return wide(clock.begin, clock.latest);
    if (clock.mode === 'follow') {
      const window = this.window;
      this.#held =
        window === null
          ? wide(clock.begin, clock.latest)
          : [Math.max(clock.begin, clock.latest - window), Math.max(clock.begin + window, clock.latest)];
    } else if (clock.time < this.#held[0] || clock.time > this.#held[1]) {
      const span = this.#held[1] - this.#held[0];
      this.#held = [clock.time - span / 2, clock.time + span / 2];
    }
    return this.#held;
  });

  /** What the plots show of a live run, s; null: all. A run much faster than the clock would rush through a minute. */
  window = $derived.by<number | null>(() => {
    if (this.layout.window !== 'auto') return this.layout.window;
    return (this.#session.status?.factor ?? 1) > 5 ? null : 60;
  });

  shows(panel: PanelName): boolean {
    return !this.layout.hidden.includes(panel);
  }

  toggle(panel: PanelName): void {
    const { hidden } = this.layout;
    this.layout.hidden = hidden.includes(panel) ? hidden.filter((p) => p !== panel) : [...hidden, panel];
    this.#write('push');
  }

  #ownPlots(): PlotSpec[] {
    this.layout.plots ??= structuredClone($state.snapshot(this.plots));
    return this.layout.plots;
  }

  newPlot(curves: SignalRef[], kind: PlotKind = 'time'): void {
    this.#ownPlots().push({ kind, curves });
    this.#write('push');
  }

  addTo(plot: number, curves: SignalRef[]): void {
    const spec = this.#ownPlots()[plot];
    for (const curve of curves) if (!spec.curves.some((c) => sameRef(c, curve))) spec.curves.push(curve);
    this.#write('push');
  }

  removeCurve(plot: number, refs: SignalRef[]): void {
    const spec = this.#ownPlots()[plot];
    spec.curves = refs;
    this.#write('push');
  }

  removePlot(plot: number): void {
    this.#ownPlots().splice(plot, 1);
    this.#write('push');
  }

  movePlot(plot: number, by: number): void {
    const plots = this.#ownPlots();
    const to = plot + by;
    if (to < 0 || to >= plots.length) return;
    plots.splice(to, 0, ...plots.splice(plot, 1));
    this.#write('push');
  }

  setKind(plot: number, kind: PlotKind): void {
    this.#ownPlots()[plot].kind = kind;
    this.#write('push');
  }

  addToList(where: 'tiles' | 'table' | 'arrows', refs: SignalRef[]): void {
    for (const ref of refs) if (!this.layout[where].some((r) => sameRef(r, ref))) this.layout[where].push(ref);
    this.#write('push');
  }

  /** Shows signals as arrows in the 3D view; those without three values are refused in a sentence. */
  addArrows(refs: SignalRef[]): void {
    const whole = refs.map((r) => ({ path: r.path }));
    for (const { path } of whole.filter((r) => !this.canBeArrow(r))) notices.say(`${path} cannot be an arrow: it does not have three values.`);
    this.addToList('arrows', whole.filter((r) => this.canBeArrow(r)));
  }

  canBeArrow(ref: SignalRef): boolean {
    const signal = this.#session.info?.signals.find((s) => s.path === ref.path);
    return signal?.count === 3 && signal.scalar === 'real';
  }

  removeFrom(where: 'tiles' | 'table' | 'arrows', ref: SignalRef): void {
    this.layout[where] = this.layout[where].filter((r) => !sameRef(r, ref));
    this.#write('push');
  }

  zoom(range: [number, number] | null): void {
    if (range && !(range[1] - range[0] > 1e-9)) return;
    this.layout.range = range;
    this.#write('replace');
  }

  /** Zooms by `factor` around a time, within the run. */
  zoomAround(time: number, factor: number): void {
    const [from, to] = this.range;
    const { begin, latest } = this.#session.clock;
    const next: [number, number] = [time - (time - from) * factor, time + (to - time) * factor];
    if (next[0] <= begin && next[1] >= latest) this.zoom(null);
    else this.zoom([Math.max(begin, next[0]), Math.min(Math.max(latest, to), next[1])]);
  }

  pan(by: number): void {
    const [from, to] = this.range;
    this.zoom([from + by, to + by]);
  }

  setWindow(window: number | null): void {
    this.layout.window = window;
    this.layout.range = null;
    this.#write('replace');
  }

  setCursor(which: 'a' | 'b', time: number | null): void {
    this.layout[which] = time;
    this.#write('replace');
  }

  setBench(on: boolean): void {
    this.layout.bench = on;
    this.#write('replace');
  }

  setOverlay(on: boolean): void {
    this.layout.overlay = on;
    this.#write('replace');
  }

  resetPlots(): void {
    this.layout.plots = null;
    this.#write('push');
  }

  /** The address of this view, with the time that is shown. */
  address(run = this.#session.run, changes: Partial<Layout> = {}): string {
    return runAddress(run, { ...$state.snapshot(this.layout), ...changes });
  }

  /** The time that is shown, once it stands still. */
  noteTime(): void {
    const { clock } = this.#session;
    const time = clock.mode === 'hold' && !(clock.time === clock.latest && !clock.live) ? clock.time : null;
    if (this.layout.time === time) return;
    this.layout.time = time;
    this.#write('replace');
  }

  close(): void {
    clearTimeout(this.#timer);
    this.previous?.close();
  }

  #write(how: 'push' | 'replace'): void {
    clearTimeout(this.#timer);
    if (how === 'push') router.write(this.address(), 'push');
    else this.#timer = setTimeout(() => router.write(this.address(), 'replace'), 250); // browsers limit how often it may change
  }
}

function wide(from: number, to: number): [number, number] {
  return to > from ? [from, to] : [from, from + 1];
}
