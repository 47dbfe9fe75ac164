// A view is a link: the address says which run is shown and how.

export interface SignalRef {
  path: string;
  element?: number; // missing: all of them
}

export type PlotKind = 'time' | 'xy' | 'spectrum';

export interface PlotSpec {
  kind: PlotKind;
  curves: SignalRef[];
  title?: string;
}

export const panelNames = ['signals', 'scene', 'plots', 'tiles', 'table', 'events', 'modes', 'parameters', 'checks'] as const;
export type PanelName = (typeof panelNames)[number];

export interface Layout {
  plots: PlotSpec[] | null; // null: what fits the run
  tiles: SignalRef[];
  table: SignalRef[];
  arrows: SignalRef[]; // of the 3D view, besides those of the scene
  hidden: PanelName[];
  range: [number, number] | null; // null: all, or the latest `window` of a live run
  window: number | null | 'auto'; // s of a live run; null: all; auto: a minute where it follows the clock
  time: number | null; // null: the end or the latest
  a: number | null;
  b: number | null;
  previous: string | null;
  overlay: boolean; // whether the previous run is drawn
  bench: boolean;
}

export function emptyLayout(): Layout {
  return {
    plots: null,
    tiles: [],
    table: [],
    arrows: [],
    hidden: [],
    range: null,
    window: 'auto',
    time: null,
    a: null,
    b: null,
    previous: null,
    overlay: true,
    bench: false,
  };
}

export function refText(ref: SignalRef): string {
  return ref.element === undefined ? ref.path : `${ref.path}[${ref.element}]`;
}

export function parseRef(text: string): SignalRef | undefined {
  const match = /^(.+?)(?:\[(\d{1,9})\])?$/.exec(text.trim());
  if (!match) return undefined;
  return match[2] === undefined ? { path: match[1] } : { path: match[1], element: Number(match[2]) };
}

export function sameRef(a: SignalRef, b: SignalRef): boolean {
  return a.path === b.path && a.element === b.element;
}

function parseRefs(text: string): SignalRef[] {
  return text
    .split(',')
    .map(parseRef)
    .filter((ref) => ref !== undefined);
}

const kinds: PlotKind[] = ['time', 'xy', 'spectrum'];

function parsePlot(text: string): PlotSpec {
  const colon = text.indexOf(':');
  const kind = kinds.find((k) => k === text.slice(0, colon)) ?? 'time';
  const rest = kinds.some((k) => text.startsWith(`${k}:`)) ? text.slice(colon + 1) : text;
  const [curves, title] = rest.split('|', 2);
  return { kind, curves: parseRefs(curves), ...(title ? { title } : {}) };
}

function plotText(plot: PlotSpec): string {
  const curves = plot.curves.map(refText).join(',');
  return `${plot.kind === 'time' ? '' : `${plot.kind}:`}${curves}${plot.title ? `|${plot.title}` : ''}`;
}

function number(text: string | null): number | null {
  if (text === null || text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** Reads the part of an address after `?`; what it does not understand is left out. */
export function parseLayout(query: string): Layout {
  const given = new URLSearchParams(query);
  const layout = emptyLayout();
  if (given.has('plot'))
    layout.plots = given
      .getAll('plot')
      .filter((p) => p !== 'none')
      .map(parsePlot);
  layout.tiles = parseRefs(given.get('tiles') ?? '');
  layout.table = parseRefs(given.get('table') ?? '');
  layout.arrows = parseRefs(given.get('arrows') ?? '');
  layout.hidden = (given.get('hide') ?? '').split(',').filter((p): p is PanelName => panelNames.includes(p as PanelName));
  const range = (given.get('range') ?? '').split(',').map(number);
  if (range.length === 2 && range[0] !== null && range[1] !== null && range[1] > range[0]) layout.range = [range[0], range[1]];
  if (given.get('window') === 'all') layout.window = null;
  else {
    const window = number(given.get('window'));
    if (window !== null && window > 0) layout.window = window;
  }
  layout.time = number(given.get('t'));
  layout.a = number(given.get('a'));
  layout.b = number(given.get('b'));
  layout.previous = given.get('prev') || null;
  layout.overlay = given.get('overlay') !== 'no';
  layout.bench = given.get('bench') === 'yes';
  return layout;
}

/** A value of the query, with what is harmless left readable. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(2C|3A|2F|5B|5D|7C|20)/g, (code) => (code === '%20' ? '+' : decodeURIComponent(code)));
}

function exact(t: number): string {
  return String(Number(t.toPrecision(12)));
}

export function layoutQuery(layout: Layout): string {
  const parts: [string, string][] = [];
  if (layout.plots) {
    for (const plot of layout.plots) parts.push(['plot', plotText(plot)]);
    if (layout.plots.length === 0) parts.push(['plot', 'none']);
  }
  if (layout.tiles.length > 0) parts.push(['tiles', layout.tiles.map(refText).join(',')]);
  if (layout.table.length > 0) parts.push(['table', layout.table.map(refText).join(',')]);
  if (layout.arrows.length > 0) parts.push(['arrows', layout.arrows.map(refText).join(',')]);
  if (layout.hidden.length > 0) parts.push(['hide', layout.hidden.join(',')]);
  if (layout.range) parts.push(['range', layout.range.map(exact).join(',')]);
  if (layout.window !== 'auto') parts.push(['window', layout.window === null ? 'all' : exact(layout.window)]);
  if (layout.time !== null) parts.push(['t', exact(layout.time)]);
  if (layout.a !== null) parts.push(['a', exact(layout.a)]);
  if (layout.b !== null) parts.push(['b', exact(layout.b)]);
  if (layout.previous) parts.push(['prev', layout.previous]);
  if (!layout.overlay) parts.push(['overlay', 'no']);
  if (layout.bench) parts.push(['bench', 'yes']);
  return parts.map(([name, value]) => `${name}=${encode(value)}`).join('&');
}

export type Route = { page: 'home' } | { page: 'run'; run: string; query: string } | { page: 'edit'; document: string } | { page: 'realtime'; run: string; query: string } | { page: 'compare'; query: string } | { page: 'unknown'; address: string };

export function parseRoute(hash: string): Route {
  const address = hash.replace(/^#/, '');
  if (address === '' || address === '/') return { page: 'home' };
  const compare = /^\/compare(?:\?(.*))?$/.exec(address);
  if (compare) return { page: 'compare', query: compare[1] ?? '' };
  const edited = /^\/edit\/(.+)$/.exec(address);
  const match = /^\/(run|time)\/([^?]+)(?:\?(.*))?$/.exec(address);
  if (!match && !edited) return { page: 'unknown', address };
  try {
    if (edited) return { page: 'edit', document: decodeURIComponent(edited[1]) };
    if (!match) return { page: 'unknown', address };
    return { page: match[1] === 'run' ? 'run' : 'realtime', run: decodeURIComponent(match[2]), query: match[3] ?? '' };
  } catch {
    return { page: 'unknown', address };
  }
}

/** Of the page that edits a document. */
export function composeAddress(document: string): string {
  return `#/edit/${encodeURIComponent(document).replace(/%2F/g, '/')}`;
}

export function runAddress(run: string, layout?: Layout): string {
  const query = layout ? layoutQuery(layout) : '';
  return `#/run/${encodeURIComponent(run).replace(/%2F/g, '/')}${query ? `?${query}` : ''}`;
}

/** How a run keeps time. */
export function timeAddress(run: string): string {
  return `#/time/${encodeURIComponent(run).replace(/%2F/g, '/')}`;
}
