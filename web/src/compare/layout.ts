// The comparison as an address: a link shows the same.

export interface Member {
  run: string;
  shift: number; // s, added to its times
}

export type AlignBy =
  | { by: 'event'; component: string; kind: string; to: string; n: number }
  | { by: 'crossing'; signal: string; element: number; level: number; crossing: Way; n: number };
export type Way = 'either' | 'rising' | 'falling';

export type Sort = 'largest' | 'rms' | 'first' | 'name';

export interface CompareLayout {
  members: Member[]; // the first is the reference; any number
  align: AlignBy | null; // what the shifts were made from
  between: boolean;
  tolerances: string;
  absolute: number;
  relative: number;
  sort: Sort;
  signal: string | null; // "body.omega[2]"
  range: [number, number] | null;
}

const sorts: Sort[] = ['largest', 'rms', 'first', 'name'];
const ways: Way[] = ['either', 'rising', 'falling'];

function number(text: string | null, otherwise = 0): number {
  if (text === null || text.trim() === '') return otherwise;
  const v = Number(text);
  return Number.isFinite(v) ? v : otherwise;
}

function parseAlign(text: string | null): AlignBy | null {
  const parts = (text ?? '').split('|');
  const n = Math.max(1, Math.round(number(parts.at(-1) ?? null, 1)));
  if (parts[0] === 'event' && parts.length === 5) return { by: 'event', component: parts[1], kind: parts[2], to: parts[3], n };
  if (parts[0] === 'crossing' && parts.length === 6)
    return { by: 'crossing', signal: parts[1], element: Math.max(0, Math.round(number(parts[2]))), level: number(parts[3]), crossing: ways.find((w) => w === parts[4]) ?? 'either', n };
  return null;
}

function alignText(align: AlignBy): string {
  return align.by === 'event'
    ? ['event', align.component, align.kind, align.to, align.n].join('|')
    : ['crossing', align.signal, align.element, align.level, align.crossing, align.n].join('|');
}

/** Reads the part of an address after `?`; what it does not understand is left out. */
export function parseCompare(query: string): CompareLayout {
  const given = new URLSearchParams(query);
  const shifts = (given.get('shift') ?? '').split(',').map((t) => number(t));
  const range = (given.get('range') ?? '').split(',').map((t) => number(t, NaN));
  return {
    members: given.getAll('run').map((run, k) => ({ run, shift: shifts[k] ?? 0 })),
    align: parseAlign(given.get('align')),
    between: given.get('between') === 'yes',
    tolerances: given.get('tolerances') ?? '',
    absolute: Math.max(0, number(given.get('abs'))),
    relative: Math.max(0, number(given.get('rel'))),
    sort: sorts.find((s) => s === given.get('sort')) ?? 'largest',
    signal: given.get('signal') || null,
    range: range.length === 2 && range[1] > range[0] ? [range[0], range[1]] : null,
  };
}

export function compareQuery(layout: CompareLayout): string {
  const query = new URLSearchParams();
  for (const m of layout.members) query.append('run', m.run);
  if (layout.members.some((m) => m.shift !== 0)) query.set('shift', layout.members.map((m) => m.shift).join(','));
  if (layout.align) query.set('align', alignText(layout.align));
  if (layout.between) query.set('between', 'yes');
  if (layout.tolerances) query.set('tolerances', layout.tolerances);
  if (layout.absolute > 0) query.set('abs', String(layout.absolute));
  if (layout.relative > 0) query.set('rel', String(layout.relative));
  if (layout.sort !== 'largest') query.set('sort', layout.sort);
  if (layout.signal) query.set('signal', layout.signal);
  if (layout.range) query.set('range', layout.range.map((t) => Number(t.toPrecision(12))).join(','));
  return query.toString().replace(/%2F/g, '/').replace(/%2C/g, ',').replace(/%5B/g, '[').replace(/%5D/g, ']');
}

export function compareAddress(layout: CompareLayout): string {
  const query = compareQuery(layout);
  return `#/compare${query ? `?${query}` : ''}`;
}

/** The command line that gives the same numbers, for two runs. */
export function commandOf(layout: CompareLayout, other: number): string {
  const [reference] = layout.members;
  const member = layout.members[other];
  if (!reference || !member) return '';
  const shift = member.shift - reference.shift;
  return [
    'vernier compare',
    reference.run,
    member.run,
    ...(shift !== 0 ? [`--shift ${Number(shift.toPrecision(12))}s`] : []),
    ...(layout.between ? ['--between'] : []),
    ...(layout.tolerances ? [`--tolerances ${layout.tolerances}`] : []),
    ...(layout.absolute > 0 ? [`--absolute ${layout.absolute}`] : []),
    ...(layout.relative > 0 ? [`--relative ${layout.relative}`] : []),
  ].join(' ');
}
