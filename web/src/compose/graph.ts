// What the graph shows of a document: nodes with their ports, and edges.
import type { Automaton } from './automaton';
import type { Composition, Connection } from './composition';
import { fits } from './complete';
import type { Described, Port } from './requests';

export interface ShownPort {
  name: string;
  text: string; // size and unit, in words
  port?: Port; // missing: the server does not know it
  connected: boolean;
  missing: boolean; // an input that must be connected and is not
}

export interface InstanceBox {
  id: string;
  kind: string;
  type: string; // type or file
  island: string;
  node: string;
  inputs: ShownPort[];
  outputs: ShownPort[];
  hidden: number; // ports that are not shown
  expanded: boolean;
  known: boolean;
  summary: string;
  width: number;
  height: number;
}

export interface Edge {
  id: string;
  index: number; // of the connection
  kind: Connection['kind'];
  from: string;
  fromPort: string;
  to: string;
  toPort: string;
  label: string;
  words: string; // for those who do not see it
}

const fewPorts = 8;

export function portText(p: Port): string {
  if (p.flow !== 'signal') return p.flow;
  const unit = p.scalar === 'real' ? p.unit : p.scalar;
  return `${p.count === 1 ? '' : `${p.count} × `}${unit}`;
}

function shown(ports: Port[], connected: Set<string>, inputs: boolean, expanded: boolean): { list: ShownPort[]; hidden: number } {
  const rest = [...connected].filter((name) => !ports.some((p) => p.name === name));
  const all: ShownPort[] = [
    ...ports.map((port) => ({ name: port.name, text: portText(port), port, connected: connected.has(port.name), missing: inputs && port.flow === 'signal' && port.initial === undefined && !connected.has(port.name) })),
    ...rest.map((name) => ({ name, text: '', connected: true, missing: false })),
  ];
  if (expanded || all.length <= fewPorts) return { list: all, hidden: 0 };
  const list = all.filter((p) => p.connected || p.missing);
  return { list, hidden: all.length - list.length };
}

function sized(box: Omit<InstanceBox, 'width' | 'height'>): InstanceBox {
  const letters = (p: ShownPort) => p.name.length + p.text.length + 2;
  const widest = (list: ShownPort[]) => Math.max(0, ...list.map(letters));
  const width = Math.min(420, Math.max(150, 28 + 6.9 * Math.max(box.id.length + 4, box.type.length, widest(box.inputs) + widest(box.outputs) + 3)));
  return { ...box, width, height: 46 + 20 * Math.max(box.inputs.length, box.outputs.length, 0) + (box.hidden > 0 || box.expanded ? 22 : 0) + (box.island || box.node ? 16 : 0) };
}

export function boxes(c: Composition, described: Map<string, Described>, expanded: Set<string>): InstanceBox[] {
  const used = { from: new Map<string, Set<string>>(), to: new Map<string, Set<string>>() };
  for (const k of c.connections) {
    for (const side of ['from', 'to'] as const) {
      const { instance, port } = k[side];
      used[side].set(instance, (used[side].get(instance) ?? new Set()).add(port));
    }
  }
  const all = c.instances.map((i) => {
    const d = described.get(i.name);
    const inputs = shown(d?.inputs ?? [], used.to.get(i.name) ?? new Set(), true, expanded.has(i.name));
    const outputs = shown(d?.outputs ?? [], used.from.get(i.name) ?? new Set(), false, expanded.has(i.name));
    return sized({ id: i.name, kind: i.kind, type: i.file || i.type, island: i.island, node: i.node, inputs: inputs.list, outputs: outputs.list, hidden: inputs.hidden + outputs.hidden, expanded: expanded.has(i.name), known: d?.made === true, summary: d?.summary ?? '' });
  });
  if (c.inputs.length === 0) return all;
  const outputs = c.inputs.map((i) => ({ name: i.name, text: i.unit, connected: used.from.get('ext')?.has(i.name) === true, missing: false }));
  return [sized({ id: 'ext', kind: 'inputs', type: 'inputs of the composition', island: '', node: '', inputs: [], outputs, hidden: 0, expanded: false, known: true, summary: '' }), ...all];
}

export function edges(c: Composition): Edge[] {
  const names = new Set([...c.instances.map((i) => i.name), ...(c.inputs.length > 0 ? ['ext'] : [])]);
  const seen = new Map<string, number>();
  return c.connections.flatMap((k, index) => {
    if (!names.has(k.from.instance) || !names.has(k.to.instance)) return [];
    const label = [k.gain && k.gain !== '1' ? `× ${k.gain}` : '', k.delay ? `${k.delay} later` : '', k.from.elements || k.to.elements ? `${k.from.elements || 'all'} → ${k.to.elements || 'all'}` : ''].filter(Boolean).join(', ');
    const words = `${k.kind === 'eventmap' ? 'event' : 'connection'} ${k.from.instance}.${k.from.port}${k.from.elements} to ${k.to.instance}.${k.to.port}${k.to.elements}${label ? `, ${label}` : ''}`;
    // named for its ends, so that it is the same when another one is removed
    const ends = `${k.from.instance}.${k.from.port}${k.from.elements}>${k.to.instance}.${k.to.port}${k.to.elements}`;
    const before = seen.get(ends) ?? 0;
    seen.set(ends, before + 1);
    return [{ id: before === 0 ? ends : `${ends} ${before + 1}`, index, kind: k.kind, from: k.from.instance, fromPort: k.from.port, to: k.to.instance, toPort: k.to.port, label, words }];
  });
}

/** Whether the page lets a connection be drawn. What it does not know, the server judges. */
export function canConnect(from: Port | undefined, to: Port | undefined): boolean {
  return !from || !to || fits(from, to);
}

export interface LocationBox {
  id: string;
  initial: boolean;
  equations: string[];
  width: number;
  height: number;
}

/** The node of transitions that hold in every location. */
export const sharedNode = '*';

export function locationBoxes(a: Automaton): LocationBox[] {
  const box = (id: string, name: string, equations: string[]): LocationBox => ({
    id,
    initial: name !== '' && name === a.initial,
    equations: equations.slice(0, 4).concat(equations.length > 4 ? [`… ${equations.length - 4} more`] : []),
    width: Math.min(300, Math.max(120, 30 + 6.4 * Math.max(name.length + 4, ...equations.slice(0, 4).map((e) => Math.min(e.length, 40))))),
    height: 38 + 16 * Math.min(5, equations.length),
  });
  const all = a.locations.map((l) => box(l.name, l.name, l.flow.map((q) => `d${q.name}/dt = ${q.text}`)));
  if (a.shared && a.transitions.some((t) => t.from === '')) all.unshift(box(sharedNode, 'every location', []));
  return all;
}
