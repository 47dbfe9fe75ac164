// What can be written at a place of a document: elements and attributes by the grammar, values by what is known.
import * as automaton from './automaton';
import * as composition from './composition';
import type { AttributeForm, Catalogue, Described, ElementForm, Grammar, Port } from './requests';
import { elementAt, value, type Element } from './tree';

export interface Option {
  label: string;
  detail?: string;
  info?: string;
  kind: 'element' | 'attribute' | 'value' | 'name' | 'function';
  /** With ${} where the cursor goes; missing: the label. */
  template?: string;
  boost?: number;
}

export interface Completion {
  from: number;
  to: number;
  options: Option[];
}

export interface Knowledge {
  grammar?: Grammar;
  catalogue?: Catalogue;
  described: Map<string, Described>; // by instance
}

/** What is between the last "<" and the cursor. */
type Where =
  | { at: 'text' }
  | { at: 'nothing' }
  | { at: 'element'; from: number }
  | { at: 'close'; from: number }
  | { at: 'attribute'; from: number; element: string; given: string[] }
  | { at: 'value'; from: number; to: number; element: string; attribute: string; given: Record<string, string> };

export function where(text: string, at: number): Where {
  const open = text.lastIndexOf('<', at - 1);
  if (open < 0) return { at: 'text' };
  for (const [begin, end] of [['<!--', '-->'], ['<![CDATA[', ']]>'], ['<?', '?>'], ['<!', '>']]) {
    const first = text.lastIndexOf(begin, at - 1);
    if (first < 0) continue;
    const closed = text.indexOf(end, first + begin.length);
    if (closed < 0 || closed + end.length > at) return { at: 'nothing' };
  }
  const inside = text.slice(open + 1, at);
  if (inside.startsWith('/')) return inside.includes('>') ? { at: 'text' } : { at: 'close', from: open + 2 };
  const name = /^[\w:.-]*/.exec(inside)![0];
  if (name.length === inside.length) return { at: 'element', from: open + 1 };
  const given: Record<string, string> = {};
  let k = name.length;
  while (k < inside.length) {
    const blank = /^\s+/.exec(inside.slice(k));
    if (blank) {
      k += blank[0].length;
      continue;
    }
    if (inside[k] === '>' || inside.startsWith('/>', k)) return { at: 'text' };
    const a = /^([\w:.-]+)(\s*=\s*)?/.exec(inside.slice(k));
    if (!a) return { at: 'nothing' };
    if (a[2] === undefined || k + a[0].length >= inside.length) {
      return a[2] === undefined && k + a[0].length === inside.length ? { at: 'attribute', from: open + 1 + k, element: name, given: Object.keys(given) } : { at: 'nothing' };
    }
    const first = k + a[0].length;
    const quote = inside[first];
    if (quote !== '"' && quote !== "'") return { at: 'nothing' };
    const end = inside.indexOf(quote, first + 1);
    if (end < 0) {
      const from = open + 2 + first;
      const rest = /^[^"'<>\n]*/.exec(text.slice(at))![0];
      const closed = text[at + rest.length] === quote;
      for (const later of text.slice(at).matchAll(/([\w:.-]+)\s*=\s*"([^"<]*)"|[<>]/g)) {
        if (!later[1]) break;
        given[later[1]] ??= later[2];
      }
      return { at: 'value', from, to: closed ? at + rest.length : at, element: name, attribute: a[1], given };
    }
    given[a[1]] = inside.slice(first + 1, end);
    k = end + 1;
  }
  return { at: 'attribute', from: at, element: name, given: Object.keys(given) };
}

/** The parts of a content model, "name, domain?, (a | b)*": which elements, and whether they repeat. */
export function parts(content: string): { names: string[]; repeats: boolean }[] {
  const all: string[] = [];
  let depth = 0;
  let part = '';
  for (const c of content) {
    depth += c === '(' ? 1 : c === ')' ? -1 : 0;
    if (c === ',' && depth === 0) {
      all.push(part);
      part = '';
    } else part += c;
  }
  if (part.trim()) all.push(part);
  return all.map((p) => ({ names: p.match(/[\w:.-]+/g) ?? [], repeats: /[*+]\s*$/.test(p) || /[*+]/.test(p.replace(/^\s*[\w:.-]+/, '')) }));
}

/** The children that the grammar admits between its siblings at a position. */
export function admitted(form: ElementForm, parent: Element | null, at: number): string[] {
  const model = parts(form.content ?? '');
  if (model.length === 0) return form.children;
  const rank = (name: string) => model.findIndex((p) => p.names.includes(name));
  const before = (parent?.children ?? []).filter((c) => c.to <= at && c.name).map((c) => rank(c.name));
  const after = (parent?.children ?? []).filter((c) => c.from >= at && c.name).map((c) => rank(c.name)).filter((r) => r >= 0);
  const first = Math.max(-1, ...before);
  const last = Math.min(model.length, ...after);
  const fits = form.children.filter((name) => {
    const r = rank(name);
    const used = before.includes(r) || after.includes(r);
    return r >= first && r <= last && (model[r]?.repeats || !used);
  });
  return fits.length > 0 ? fits : form.children;
}

/** An element with the attributes that it needs. */
function elementTemplate(name: string, form: ElementForm | undefined): string {
  const needed = (form?.attributes ?? []).filter((a) => a.required).map((a) => ` ${a.name}="\${${a.choices?.[0] ?? ''}}"`).join('');
  if (form?.text) return `${name}${needed}>\${}</${name}>`;
  const must = parts(form?.content ?? '').length > 0 && !/^\(?[\w\s|]+\)?\*$/.test(form!.content!);
  return form && form.children.length > 0 && must ? `${name}${needed}>\${}</${name}>` : `${name}${needed}\${}/>`;
}

function portText(p: Port): string {
  const size = p.count === 1 ? '' : `${p.count} × `;
  const unit = p.flow !== 'signal' ? p.flow : p.scalar !== 'real' ? p.scalar : p.unit;
  return `${size}${unit}${p.frame ? ` in ${p.frame}` : ''}`;
}

/** Whether a port can feed another one whole: the server has the last word. */
export function fits(from: Port, to: Port): boolean {
  return from.flow === to.flow && from.count === to.count && from.scalar === to.scalar && (from.flow !== 'signal' || from.dimension === to.dimension) && (!from.frame || !to.frame || from.frame === to.frame);
}

interface PortPath {
  path: string;
  port: Port;
}

/** The ports of all instances; `ext`: with the inputs of the composition. */
function portPaths(c: composition.Composition, known: Knowledge, which: ('inputs' | 'outputs' | 'states')[], ext: boolean): PortPath[] {
  const all = c.instances.flatMap((i) => which.flatMap((w) => (known.described.get(i.name)?.[w] ?? []).map((port) => ({ path: `${i.name}.${port.name}`, port }))));
  if (ext) {
    for (const i of c.inputs) {
      const dimension = known.grammar?.units.find((u) => u.unit === i.unit)?.dimension ?? i.unit;
      all.push({ path: `ext.${i.name}`, port: { name: i.name, flow: 'signal', scalar: 'real', unit: i.unit, dimension, count: i.value.split(/[\s,]+/).length, description: '' } });
    }
  }
  return all;
}

function portOptions(list: PortPath[], other: Port | undefined, direction: 'from' | 'to', used: Set<string>): Option[] {
  return list.map(({ path, port }) => {
    const good = other && (direction === 'from' ? fits(port, other) : fits(other, port));
    const free = !used.has(path);
    return { label: path, kind: 'value', detail: portText(port) + (direction === 'to' && !free ? ', connected' : ''), info: port.description || undefined, boost: (good ? 50 : other ? -20 : 0) + (free ? 5 : 0) };
  });
}

function unitOptions(known: Knowledge, dimension?: string): Option[] {
  return (known.grammar?.units ?? []).map((u) => ({ label: u.unit, kind: 'value', detail: u.quantity || u.dimension, boost: dimension !== undefined && u.dimension === dimension ? 50 : 0 }));
}

function fileOptions(known: Knowledge, kind?: string): Option[] {
  return (known.catalogue?.files ?? []).filter((f) => !kind || f.kind === kind).map((f) => ({ label: f.file, kind: 'value', detail: `<${f.root}>` }));
}

function compositionValue(w: Extract<Where, { at: 'value' }>, c: composition.Composition, owner: string, known: Knowledge): Option[] | null {
  const names = new Set([...c.instances.map((i) => i.name), 'ext']);
  const portOf = (text: string, which: ('inputs' | 'outputs')[]): Port | undefined => {
    const end = composition.endOf(text, names);
    const port = portPaths(c, known, which, true).find((p) => p.path === `${end.instance}.${end.port}`)?.port;
    const range = /^\[(\d+)(?::(\d+))?\]$/.exec(end.elements);
    return port && range ? { ...port, count: range[2] ? Number(range[2]) - Number(range[1]) : 1 } : port;
  };
  const event = w.element === 'eventmap';
  const only = (list: PortPath[]) => list.filter((p) => w.element === 'export' || (p.port.flow === 'event') === event);
  switch (`${w.element} ${w.attribute}`) {
    case 'connect from':
    case 'eventmap from':
    case 'export from':
      return portOptions(only(portPaths(c, known, ['outputs'], w.element === 'connect')), portOf(w.given.to ?? '', ['inputs']), 'from', new Set(c.connections.map((k) => composition.endText(k.from))));
    case 'connect to':
    case 'eventmap to':
      return portOptions(only(portPaths(c, known, ['inputs'], false)), portOf(w.given.from ?? '', ['outputs']), 'to', new Set(c.connections.map((k) => composition.endText(k.to))));
    case 'report signal':
    case 'check signal':
    case 'curve signal':
      return portOptions(portPaths(c, known, ['outputs', 'inputs', 'states'], true).filter((p) => p.port.flow === 'signal'), undefined, 'from', new Set());
    case 'stimulus input':
      return portOptions(portPaths(c, known, ['inputs'], true), undefined, 'from', new Set());
    case 'stimulus event':
      return portOptions(portPaths(c, known, ['inputs'], false).filter((p) => p.port.flow === 'event'), undefined, 'from', new Set());
    case 'record signals':
      return [...c.instances.map((i) => ({ label: `${i.name}.*`, kind: 'value' as const, boost: 20 })), ...portOptions(portPaths(c, known, ['outputs', 'inputs', 'states'], true), undefined, 'from', new Set())];
    case 'system island':
      return [...c.islands.map((i) => ({ label: i.name, kind: 'value' as const })), { label: 'own', kind: 'value', detail: 'with no other system' }];
    case 'system type':
    case 'component type':
    case 'connector type':
      return (known.catalogue?.types ?? []).filter((t) => (t.equations === true) === (w.element === 'system')).map((t) => ({ label: t.type, kind: 'value', detail: t.summary }));
    case 'system file':
    case 'component file':
    case 'connector file':
    case 'composition file':
      return fileOptions(known, w.element);
    case 'connect delay':
    case 'eventmap delay':
      return [{ label: '1 tick', kind: 'value' }];
    case 'parameter name': {
      const i = c.instances.find((k) => k.name === owner);
      const given = new Set(i?.parameters.map((p) => p.name));
      return (known.described.get(owner)?.parameters ?? []).filter((p) => !given.has(p.name) || p.name === w.given.name).map((p) => ({ label: p.name, kind: 'value', detail: p.initial === undefined ? `${p.unit}, must be given` : `${p.initial} ${p.kind === 'real' && p.unit !== '1' ? p.unit : ''}`, info: p.description || undefined, boost: p.initial === undefined ? 10 : 0 }));
    }
    case 'parameter value': {
      const spec = known.described.get(owner)?.parameters.find((p) => p.name === w.given.name);
      if (spec?.kind === 'boolean') return [{ label: 'true', kind: 'value' }, { label: 'false', kind: 'value' }];
      if (spec?.choices) return spec.choices.map((k) => ({ label: k, kind: 'value' }));
      return spec?.initial ? [{ label: spec.initial, kind: 'value', detail: 'the default' }] : [];
    }
    case 'parameter unit':
      return unitOptions(known, known.described.get(owner)?.parameters.find((p) => p.name === w.given.name)?.dimension);
    case 'set path':
      return c.instances.flatMap((i) => (known.described.get(i.name)?.parameters ?? []).map((p) => ({ label: `${i.name}.${p.name}`, kind: 'value' as const, detail: p.unit, info: p.description || undefined })));
  }
  return null;
}

function automatonValue(w: Extract<Where, { at: 'value' }>, a: automaton.Automaton, known: Knowledge): Option[] | null {
  const role = (r: automaton.Variable['role']) => a.variables.filter((v) => v.role === r).map((v) => ({ label: v.name, kind: 'name' as const, detail: v.unit, info: v.description || undefined }));
  if (w.attribute === 'state') return role('state');
  if (w.attribute === 'output') return role('output');
  if (w.attribute === 'location') return a.locations.map((l) => ({ label: l.name, kind: 'name' }));
  if (w.attribute === 'extends') return (known.catalogue?.files ?? []).filter((f) => f.root === automaton.root).map((f) => ({ label: f.file, kind: 'value' }));
  return null;
}

const roles = { constant: 'constant', input: 'input', state: 'state', output: 'output', event: 'event', let: 'definition', function: 'function' };
const expressions = new Set(['diffequation', 'outputmap', 'domain', 'statereset', 'let', 'function']);

function textOptions(parent: Element, root: Element, known: Knowledge): Option[] | null {
  if (root.name !== automaton.root) return null;
  const a = automaton.read(root);
  if (parent.name === 'destination') return a.locations.map((l) => ({ label: l.name, kind: 'name' }));
  if (parent.name === 'inevent' || parent.name === 'outevent') {
    const way = parent.name === 'inevent' ? 'in' : 'out';
    return a.variables.filter((v) => v.role === 'event' && v.direction.includes(way)).map((v) => ({ label: v.name, kind: 'name', info: v.description || undefined }));
  }
  if (!expressions.has(parent.name)) return null;
  const names: Option[] = a.variables
    .filter((v) => v.role !== 'event' && v.role !== 'function')
    .map((v) => ({ label: v.name, kind: 'name', detail: `${roles[v.role]}${v.unit ? `, ${v.unit}` : ''}`, info: v.description || undefined, boost: 20 }));
  const functions = [...a.variables.filter((v) => v.role === 'function').map((v) => v.name), ...(known.grammar?.functions ?? [])];
  return [...names, { label: 't', kind: 'name', detail: 'time, s', boost: 5 }, ...functions.map((f) => ({ label: f, kind: 'function' as const, template: `${f}(\${})` }))];
}

/** The word before and after a position. */
function word(text: string, at: number, characters: RegExp): { from: number; to: number } {
  let from = at;
  let to = at;
  while (from > 0 && characters.test(text[from - 1])) --from;
  while (to < text.length && characters.test(text[to])) ++to;
  return { from, to };
}

export function complete(text: string, at: number, root: Element | null, known: Knowledge): Completion | null {
  const w = where(text, at);
  if (w.at === 'nothing') return null;
  const forms = root ? known.grammar?.roots[root.name]?.elements : undefined;
  const around = elementAt(root, w.at === 'element' || w.at === 'close' ? w.from - 1 : at);
  // inside a start tag, the element is the one that is being written
  const parent = w.at === 'element' && around && around.from === w.from - 1 ? around.parent : around;

  if (w.at === 'text') {
    if (!root || !parent || at <= parent.nameTo || at < parent.openTo || at > parent.closeFrom) return null;
    const names = textOptions(parent, root, known);
    if (names) {
      const whole = parent.name === 'destination' ? /[^<>\n\r]/ : /\w/;
      const range = word(text, at, whole);
      const blanks = /^\s*/.exec(text.slice(range.from, at))![0].length;
      return { from: range.from + blanks, to: range.to, options: names };
    }
    const form = forms?.[parent.name];
    if (!form || form.children.length === 0) return null;
    return { from: at, to: at, options: admitted(form, parent, at).map((name) => elementOption(name, forms![name], '<')) };
  }
  if (w.at === 'close') {
    const open = around && around.closeName < 0 && !around.closed ? around : around?.closeFrom === w.from - 2 ? around : around?.parent;
    return open ? { from: w.from, to: word(text, at, /[\w:.-]/).to, options: [{ label: open.name, kind: 'element', template: text[word(text, at, /[\w:.-]/).to] === '>' ? undefined : `${open.name}>` }] } : null;
  }
  if (w.at === 'element') {
    if (!root || root.from === w.from - 1) return known.grammar ? { from: w.from, to: at, options: Object.keys(known.grammar.roots).map((name) => ({ label: name, kind: 'element' })) } : null;
    const form = parent ? forms?.[parent.name] : undefined;
    if (!form) return null;
    const end = word(text, at, /[\w:.-]/).to;
    const written = end > at || /^\s+[\w:.-]+\s*=/.test(text.slice(end)); // an element that is there already keeps its attributes
    return { from: w.from, to: end, options: admitted(form, parent, w.from - 1).map((name) => ({ ...elementOption(name, forms![name], ''), ...(written ? { template: undefined } : {}) })) };
  }
  const form = forms?.[w.element];
  if (w.at === 'attribute') {
    const end = word(text, at, /[\w:.-]/).to;
    const later = around?.attributes.filter((a) => a.from !== w.from).map((a) => a.name) ?? [];
    const options = (form?.attributes ?? []).filter((a) => !w.given.includes(a.name) && !later.includes(a.name)).map(attributeOption);
    return options.length > 0 ? { from: w.from, to: end, options } : null;
  }
  const rule = form?.attributes.find((a) => a.name === w.attribute);
  let options: Option[] | null = rule?.choices ? rule.choices.map((k) => ({ label: k, kind: 'value' as const, detail: k === rule.initial ? 'the default' : undefined })) : null;
  const owner = around?.name === 'parameter' && around.parent ? value(around.parent, 'id') : '';
  if (!options && root?.name === composition.root) options = compositionValue(w, composition.read(root), owner, known);
  if (!options && root?.name === automaton.root) options = automatonValue(w, automaton.read(root), known);
  if (!options && w.attribute === 'unit') options = unitOptions(known);
  if (!options && w.attribute === 'file') options = fileOptions(known);
  if (!options || options.length === 0) return null;
  // lists of names are completed word by word
  const list = w.attribute === 'signals' || w.attribute === 'measures';
  return { ...(list ? word(text, at, /[^\s"']/) : { from: w.from, to: w.to }), options };
}

function elementOption(name: string, form: ElementForm | undefined, open: string): Option {
  return { label: open + name, kind: 'element', info: form?.comment, template: open + elementTemplate(name, form) };
}

function attributeOption(a: AttributeForm): Option {
  return { label: a.name, kind: 'attribute', detail: a.required ? 'required' : a.initial ? `default ${a.initial}` : '', template: `${a.name}="\${}"`, boost: a.required ? 20 : 0 };
}

