// A composition as a graph, and changes of the graph as changes of the text.
import { insertAfter, insertBefore, insertInside, remove, setAttribute, setText, step, type Change } from './edit';
import { all, attribute, children, escapedValue, textOf, value, type Element } from './tree';

export const root = 'interconnection';
export const instanceKinds = ['system', 'component', 'connector', 'composition'] as const;
export type InstanceKind = (typeof instanceKinds)[number];

export interface Instance {
  name: string;
  kind: InstanceKind;
  type: string;
  file: string;
  island: string;
  node: string;
  parameters: { name: string; value: string; unit: string; element: Element }[];
  element: Element;
}

/** An end as written: "body.omega[0:3]". */
export interface End {
  instance: string;
  port: string; // without elements
  elements: string; // "[0:3]"; empty: all
}

export interface Connection {
  kind: 'connect' | 'eventmap';
  from: End;
  to: End;
  gain: string;
  delay: string;
  element: Element;
}

export interface Input {
  name: string;
  unit: string;
  value: string;
  element: Element;
}

export interface Composition {
  name: string;
  instances: Instance[];
  connections: Connection[];
  islands: { name: string; element: Element }[];
  inputs: Input[];
  root: Element;
}

/** The instance is the longest name that fits: names of nested compositions have dots. */
export function endOf(text: string, names: Set<string>): End {
  const bracket = text.indexOf('[');
  const path = bracket < 0 ? text : text.slice(0, bracket);
  const elements = bracket < 0 ? '' : text.slice(bracket);
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    if (names.has(path.slice(0, dot))) return { instance: path.slice(0, dot), port: path.slice(dot + 1), elements };
  }
  const dot = path.indexOf('.');
  return { instance: dot < 0 ? '' : path.slice(0, dot), port: path.slice(dot + 1), elements };
}

export function endText(end: End): string {
  return `${end.instance}.${end.port}${end.elements}`;
}

export function read(root: Element): Composition {
  const instances: Instance[] = root.children
    .filter((e) => (instanceKinds as readonly string[]).includes(e.name))
    .map((e) => ({
      name: value(e, 'id'),
      kind: e.name as InstanceKind,
      type: value(e, 'type'),
      file: value(e, 'file'),
      island: value(e, 'island'),
      node: value(e, 'node') || value(e, 'host'),
      parameters: children(e, 'parameter').map((p) => ({ name: value(p, 'name'), value: attribute(p, 'value') ? value(p, 'value') : textOf(p), unit: value(p, 'unit'), element: p })),
      element: e,
    }));
  const names = new Set([...instances.map((i) => i.name), 'ext']);
  const connections: Connection[] = root.children
    .filter((e) => e.name === 'connect' || e.name === 'eventmap')
    .map((e) => ({
      kind: e.name as Connection['kind'],
      from: endOf(value(e, 'from'), names),
      to: endOf(value(e, 'to'), names),
      gain: value(e, 'gain'),
      delay: value(e, 'delay'),
      element: e,
    }));
  return {
    name: value(root, 'name'),
    instances,
    connections,
    islands: children(root, 'island').map((e) => ({ name: value(e, 'id'), element: e })),
    inputs: children(root, 'input').map((e) => ({ name: value(e, 'name'), unit: value(e, 'unit') || '1', value: value(e, 'value') || '0', element: e })),
    root,
  };
}

/** Names are letters, digits, _ and -, and begin with a letter or _. */
export function nameProblem(name: string, taken: Iterable<string>): string {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return 'names are letters, digits, _ and -, and begin with a letter or _';
  if (name === 'ext' || name === 'run') return `"${name}" has a meaning of its own`;
  return [...taken].includes(name) ? `there is a "${name}" already` : '';
}

export function freeName(wish: string, taken: Iterable<string>): string {
  const used = new Set([...taken, 'ext', 'run']);
  const base = wish.replace(/[^\w-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  if (!used.has(base)) return base;
  for (let k = 2; ; ++k) if (!used.has(`${base}${k}`)) return `${base}${k}`;
}

/** Attributes that name a port, by element. */
const ends: Record<string, string[]> = {
  connect: ['from', 'to'],
  eventmap: ['from', 'to'],
  export: ['from'],
  report: ['signal'],
  check: ['signal'],
  curve: ['signal'],
  stimulus: ['event', 'input'],
  set: ['path'],
};

interface Reference {
  element: Element;
  attribute: string;
  /** The attribute's value with another name; where several instances are named, only that part changes. */
  renamed(to: string): string;
  /** Nothing is left without the instance. */
  whole: boolean;
  /** What remains of a list without the instance. */
  rest: string;
}

/** Everything in the document that names an instance. */
function references(c: Composition, name: string): Reference[] {
  const names = new Set([...c.instances.map((i) => i.name), 'ext']);
  const found: Reference[] = [];
  for (const e of all(c.root)) {
    for (const a of ends[e.name] ?? []) {
      const text = value(e, a);
      if (!text.includes('.') || endOf(text, names).instance !== name) continue;
      found.push({ element: e, attribute: a, renamed: (to) => to + text.slice(name.length), whole: true, rest: '' });
    }
    if (e.name === 'set' && value(e, 'system') === name) found.push({ element: e, attribute: 'system', renamed: (to) => to, whole: true, rest: '' });
    if (e.name === 'record') {
      const written = attribute(e, 'signals')?.value ?? '';
      const pattern = (w: string) => w.startsWith(`${name}.`) && endOf(w, names).instance === name;
      const parts = written.split(/(\s+)/);
      if (!parts.some(pattern)) continue;
      const rest = written.split(/\s+/).filter((w) => w && !pattern(w)).join(' ');
      found.push({ element: e, attribute: 'signals', renamed: (to) => parts.map((w) => (pattern(w) ? to + w.slice(name.length) : w)).join(''), whole: rest === '', rest });
    }
  }
  return found;
}

export function renameInstance(text: string, c: Composition, name: string, to: string): Change[] {
  const i = c.instances.find((k) => k.name === name);
  if (!i) return [];
  return [...setAttribute(text, i.element, 'id', to), ...references(c, name).flatMap((r) => setAttribute(text, r.element, r.attribute, r.renamed(to)))];
}

/** Removes an instance with everything that names it. */
export function removeInstance(text: string, c: Composition, name: string): Change[] {
  const i = c.instances.find((k) => k.name === name);
  if (!i) return [];
  const changes = [...remove(text, i.element)];
  for (const r of references(c, name)) {
    const figure = r.element.name === 'curve' && r.element.parent;
    // a figure needs a curve
    if (figure && figure.children.every((k) => k.name !== 'curve' || value(k, 'signal').startsWith(`${name}.`))) changes.push(...remove(text, figure));
    else if (r.whole) changes.push(...remove(text, r.element));
    else changes.push(...setAttribute(text, r.element, r.attribute, r.rest));
  }
  return changes;
}

/** The element after which a new one of this kind reads best. */
function place(c: Composition, kinds: readonly string[]): Element | undefined {
  const like = c.root.children.filter((e) => kinds.includes(e.name));
  return like[like.length - 1];
}

function insert(text: string, c: Composition, markup: string, kinds: readonly string[], otherwise: readonly string[], before: readonly string[] = []): Change[] {
  const after = place(c, kinds) ?? place(c, otherwise);
  if (after) return insertAfter(text, after, markup);
  const next = c.root.children.find((e) => before.includes(e.name));
  return next ? insertBefore(text, next, markup) : insertInside(text, c.root, markup, 'last', step(text, c.root));
}

const observers = ['connect', 'eventmap', 'set', 'export', 'stimulus', 'run', 'record', 'report', 'check', 'figure'];

export interface NewInstance {
  kind: InstanceKind;
  name: string;
  type?: string;
  file?: string;
  island?: string;
  parameters?: { name: string; value: string }[];
}

export function addInstance(text: string, c: Composition, n: NewInstance): Change[] {
  const attributes = [['id', n.name], ['type', n.type], ['file', n.file], ['island', n.island]].filter(([, v]) => v).map(([k, v]) => ` ${k}="${escapedValue(v!)}"`).join('');
  const unit = step(text, c.root);
  const inside = (n.parameters ?? []).map((p) => `\n${unit}<parameter name="${escapedValue(p.name)}" value="${escapedValue(p.value)}"/>`).join('');
  const markup = inside ? `<${n.kind}${attributes}>${inside}\n</${n.kind}>` : `<${n.kind}${attributes}/>`;
  return insert(text, c, markup, instanceKinds, ['island', 'input', 'description'], observers);
}

export function connect(text: string, c: Composition, from: string, to: string, kind: Connection['kind'] = 'connect'): Change[] {
  const markup = `<${kind} from="${escapedValue(from)}" to="${escapedValue(to)}"/>`;
  return insert(text, c, markup, [kind], ['connect', 'eventmap', ...instanceKinds], observers.slice(2));
}

export function disconnect(text: string, k: Connection): Change[] {
  return remove(text, k.element);
}

/** Sets a parameter, or (null) removes it, so that the default holds. */
export function setParameter(text: string, c: Composition, i: Instance, name: string, to: string | null): Change[] {
  const p = i.parameters.find((k) => k.name === name);
  if (to === null) return p ? remove(text, p.element) : [];
  if (!p) {
    const markup = `<parameter name="${escapedValue(name)}" value="${escapedValue(to)}"/>`;
    const last = i.parameters[i.parameters.length - 1];
    return last ? insertAfter(text, last.element, markup) : insertInside(text, i.element, markup, 'last', step(text, c.root));
  }
  // the unit is part of what is typed
  const changes = p.unit ? setAttribute(text, p.element, 'unit', null) : [];
  return [...changes, ...(attribute(p.element, 'value') ? setAttribute(text, p.element, 'value', to) : setText(text, p.element, to))];
}

export function addIsland(text: string, c: Composition, name: string): Change[] {
  return insert(text, c, `<island id="${escapedValue(name)}"/>`, ['island'], ['input', 'description'], [...instanceKinds, ...observers]);
}

/** Puts an instance into an island, declared if it is not; null: wherever its connections put it. */
export function setIsland(text: string, c: Composition, i: Instance, island: string | null): Change[] {
  const declared = !island || island === 'own' || c.islands.some((k) => k.name === island);
  return [...(declared ? [] : addIsland(text, c, island)), ...setAttribute(text, i.element, 'island', island || null)];
}
