import type { SignalRef } from '../layout/layout';
import { elementLabel } from '../plot/curves';
import type { Signal } from '../protocol/messages';
import { unitText } from '../text/format';
import type { RunSession } from './session.svelte';

export interface ShownElement {
  label: string;
  element: number;
}

export interface Shown {
  ref: SignalRef;
  number: number | undefined; // missing: this run does not have it
  signal: Signal | undefined;
  unit: string;
  elements: ShownElement[];
}

/** What a value or a row of the table shows. */
export function shown(session: RunSession, ref: SignalRef): Shown {
  const number = session.columns.number(ref.path);
  const signal = number === undefined ? undefined : session.info?.signals[number];
  const all = signal ? Array.from({ length: Math.min(signal.count, 64) }, (_, k) => k) : [];
  const elements = all.filter((k) => ref.element === undefined || k === ref.element);
  return {
    ref,
    number,
    signal,
    unit: signal ? unitText(signal.unit) : '',
    elements: elements.map((element) => ({ element, label: signal ? elementLabel(signal, element) : '' })),
  };
}

/** The name of a location where the signal is the mode of an automaton, otherwise undefined. */
export function locationName(session: RunSession, path: string, value: number | null | undefined): string | undefined {
  const automaton = session.automata.find((a) => a.mode_signal === path);
  return typeof value === 'number' ? automaton?.locations[value]?.name : undefined;
}
