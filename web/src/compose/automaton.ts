// A hybrid system as a graph of locations and transitions, and changes of it as changes of the text.
import { insertAfter, insertInOrder, insertInside, remove, setAttribute, setText, step, type Change } from './edit';
import { child, children, escapedText, escapedValue, textOf, value, type Element } from './tree';

export const root = 'hybridsystem';

export interface Equation {
  name: string; // of the state or output
  text: string;
  element: Element;
}

export interface Transition {
  name: string;
  from: string; // of a location; empty: shared by all
  to: string;
  domain: string;
  inevent: string;
  outevents: string[];
  resets: Equation[];
  priority: string;
  element: Element;
}

export interface Location {
  name: string;
  flow: Equation[];
  outputs: Equation[];
  element: Element;
}

export interface Variable {
  role: 'constant' | 'input' | 'state' | 'output' | 'event' | 'let' | 'function';
  name: string;
  unit: string;
  size: string;
  description: string;
  direction: string; // of events
  element: Element;
}

export interface Automaton {
  name: string;
  initial: string;
  variables: Variable[];
  locations: Location[];
  shared: Location | null;
  transitions: Transition[];
  root: Element;
}

const groups: [string, Variable['role']][] = [['constants', 'constant'], ['inputs', 'input'], ['states', 'state'], ['outputs', 'output'], ['events', 'event'], ['definitions', 'let'], ['definitions', 'function']];

function equations(e: Element | undefined, name: string, attribute: string): Equation[] {
  return children(e, name).map((k) => ({ name: value(k, attribute), text: textOf(k), element: k }));
}

function locationOf(e: Element): Location {
  return { name: textOf(child(e, 'name')), flow: equations(e, 'diffequation', 'state'), outputs: equations(e, 'outputmap', 'output'), element: e };
}

function transitionsOf(e: Element, from: string): Transition[] {
  return children(child(e, 'transitions'), 'transition').map((t) => {
    const reset = child(t, 'reset');
    return {
      name: textOf(child(t, 'name')),
      from,
      to: textOf(child(reset, 'destination')),
      domain: textOf(child(t, 'domain')),
      inevent: textOf(child(t, 'inevent')),
      outevents: children(t, 'outevent').map(textOf),
      resets: equations(reset, 'statereset', 'state'),
      priority: value(t, 'priority'),
      element: t,
    };
  });
}

export function read(root: Element): Automaton {
  const locations = children(root, 'location').map(locationOf);
  const shared = child(root, 'shared');
  const initial = child(root, 'initial');
  return {
    name: value(root, 'name'),
    initial: initial ? value(initial, 'location') : locations.length === 1 ? locations[0].name : '',
    variables: groups.flatMap(([group, role]) =>
      children(child(root, group), role).map((e) => ({ role, name: value(e, 'name'), unit: value(e, 'unit'), size: value(e, 'size'), description: value(e, 'description'), direction: value(e, 'direction'), element: e })),
    ),
    locations,
    shared: shared ? { ...locationOf(shared), name: '' } : null,
    transitions: [...locations.flatMap((l) => transitionsOf(l.element, l.name)), ...(shared ? transitionsOf(shared, '') : [])],
    root,
  };
}

const inTransition = ['name', 'inevent', 'domain', 'outevent', 'reset'];
const inLocation = ['name', 'diffequation', 'outputmap', 'transitions'];

/** A location name is one line of text. */
export function nameProblem(name: string, taken: Iterable<string>): string {
  if (name.trim() === '') return 'a location needs a name';
  if (/[\r\n]/.test(name)) return 'a name is one line';
  return [...taken].includes(name.trim()) ? `there is a "${name.trim()}" already` : '';
}

/** A new location has the equations of the last one, so that the document stays complete. */
export function addLocation(text: string, a: Automaton, name: string): Change[] {
  const unit = step(text, a.root);
  const like = a.locations[a.locations.length - 1];
  const lines = [
    `<name>${escapedText(name)}</name>`,
    ...(like?.flow ?? []).map((q) => `<diffequation state="${escapedValue(q.name)}">${escapedText(q.text)}</diffequation>`),
    ...(like?.outputs ?? []).map((q) => `<outputmap output="${escapedValue(q.name)}">${escapedText(q.text)}</outputmap>`),
  ];
  const markup = `<location>${lines.map((l) => `\n${unit}${l}`).join('')}\n</location>`;
  return like ? insertAfter(text, like.element, markup) : insertInside(text, a.root, markup, 'last', unit);
}

export function renameLocation(text: string, a: Automaton, name: string, to: string): Change[] {
  const changes: Change[] = [];
  for (const l of a.locations) {
    const e = child(l.element, 'name');
    if (l.name === name && e) changes.push(...setText(text, e, to));
  }
  for (const t of a.transitions) {
    const e = child(child(t.element, 'reset'), 'destination');
    if (t.to === name && e) changes.push(...setText(text, e, to));
  }
  const initial = child(a.root, 'initial');
  if (initial && value(initial, 'location') === name) changes.push(...setAttribute(text, initial, 'location', to));
  return changes;
}

/** Removes a location, and the transitions that lead to it. */
export function removeLocation(text: string, a: Automaton, name: string): Change[] {
  return [
    ...a.locations.filter((l) => l.name === name).flatMap((l) => remove(text, l.element)),
    ...a.transitions.filter((t) => t.to === name).flatMap((t) => remove(text, t.element)),
  ];
}

export function setInitial(text: string, a: Automaton, name: string): Change[] {
  const initial = child(a.root, 'initial');
  if (initial) return setAttribute(text, initial, 'location', name);
  const order = ['description', 'constants', 'inputs', 'states', 'outputs', 'events', 'definitions', 'initial', 'shared', 'location'];
  return insertInOrder(text, a.root, `<initial location="${escapedValue(name)}"/>`, 'initial', order, step(text, a.root));
}

export function addTransition(text: string, a: Automaton, from: string, to: string, name: string, domain: string): Change[] {
  const l = a.locations.find((k) => k.name === from);
  if (!l) return [];
  const unit = step(text, a.root);
  const lines = [`<name>${escapedText(name)}</name>`, `<domain>${escapedText(domain)}</domain>`, `<reset><destination>${escapedText(to)}</destination></reset>`];
  const markup = `<transition>${lines.map((k) => `\n${unit}${k}`).join('')}\n</transition>`;
  const group = child(l.element, 'transitions');
  if (group) return insertInside(text, group, markup, 'last', unit);
  const whole = `<transitions>\n${unit}${markup.split('\n').join(`\n${unit}`)}\n</transitions>`;
  return insertInOrder(text, l.element, whole, 'transitions', inLocation, unit);
}

/** Removes a transition, and the element around the last one of a location. */
export function removeTransition(text: string, t: Transition): Change[] {
  const group = t.element.parent;
  return remove(text, group && group.children.length === 1 ? group : t.element);
}

export function setDestination(text: string, t: Transition, to: string): Change[] {
  const e = child(child(t.element, 'reset'), 'destination');
  return e ? setText(text, e, to) : [];
}

export function setTransitionName(text: string, t: Transition, to: string): Change[] {
  const e = child(t.element, 'name');
  return e ? setText(text, e, to) : [];
}

/** The guard or the event of a transition; empty: it is removed. */
export function setPart(text: string, a: Automaton, t: Transition, part: 'domain' | 'inevent', to: string): Change[] {
  const e = child(t.element, part);
  if (to.trim() === '') return e ? remove(text, e) : [];
  if (e) return setText(text, e, to);
  return insertInOrder(text, t.element, `<${part}>${escapedText(to)}</${part}>`, part, inTransition, step(text, a.root));
}

/** The value of a state after the transition; empty: it stays. */
export function setReset(text: string, a: Automaton, t: Transition, state: string, to: string): Change[] {
  const own = t.resets.find((r) => r.name === state);
  if (to.trim() === '') return own ? remove(text, own.element) : [];
  if (own) return setText(text, own.element, to);
  const reset = child(t.element, 'reset');
  if (!reset) return [];
  const markup = `<statereset state="${escapedValue(state)}">${escapedText(to)}</statereset>`;
  const destination = child(reset, 'destination');
  // <reset><destination>A</destination></reset> on one line stays on one line
  const oneLine = destination && !text.slice(reset.openTo, destination.from).includes('\n');
  const last = reset.children[reset.children.length - 1];
  if (oneLine && last) return [{ from: last.to, to: last.to, insert: markup }];
  return insertInside(text, reset, markup, 'last', step(text, a.root));
}

/** The equation of a state or the map of an output in a location; empty: it is removed. */
export function setEquation(text: string, a: Automaton, l: Location, kind: 'diffequation' | 'outputmap', name: string, to: string): Change[] {
  const own = (kind === 'diffequation' ? l.flow : l.outputs).find((q) => q.name === name);
  if (to.trim() === '') return own ? remove(text, own.element) : [];
  if (own) return setText(text, own.element, to);
  const attribute = kind === 'diffequation' ? 'state' : 'output';
  return insertInOrder(text, l.element, `<${kind} ${attribute}="${escapedValue(name)}">${escapedText(to)}</${kind}>`, kind, inLocation, step(text, a.root));
}
