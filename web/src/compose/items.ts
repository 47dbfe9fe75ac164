// What can be added to a document.
import type { Composition, InstanceKind, NewInstance } from './composition';
import { freeName, instanceKinds } from './composition';
import { baseName } from './paths';
import type { Catalogue, ParameterSpec } from './requests';

export interface Item {
  kind: InstanceKind | 'island' | 'location';
  name: string; // of the type or the file
  summary: string;
  file?: boolean;
  parameters?: ParameterSpec[];
}

/** All that a composition can instance, types first. */
export function items(catalogue: Catalogue | undefined, own: string): Item[] {
  const kinds: readonly string[] = instanceKinds;
  const summaries = new Map(catalogue?.documents.map((d) => [d.root, d.summary]));
  return [
    ...(catalogue?.types ?? []).map((t): Item => ({ kind: t.equations ? 'system' : 'component', name: t.type, summary: t.summary, parameters: t.parameters })),
    ...(catalogue?.files ?? []).filter((f) => kinds.includes(f.kind) && f.file !== own).map((f): Item => ({ kind: f.kind as InstanceKind, name: f.file, summary: f.kind === 'composition' ? 'another composition' : (summaries.get(f.root) ?? f.root), file: true })),
    { kind: 'island', name: 'island', summary: 'systems that one integrator advances together' },
  ];
}

export function matching(list: Item[], filter: string): Item[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return list.filter((i) => words.every((w) => `${i.name} ${i.kind} ${i.summary}`.toLowerCase().includes(w)));
}

/** A value that stands for a parameter which must be given, until somebody gives it. */
function placeholder(p: ParameterSpec): string {
  if (p.choices && p.choices.length > 0) return p.choices[0];
  if (p.kind === 'boolean') return 'false';
  if (p.kind === 'text' || p.kind === 'file') return '';
  const numbers = Array.from({ length: p.count }, () => '1').join(' ');
  return p.kind === 'real' && p.unit !== '1' ? `${numbers} ${p.unit}` : numbers;
}

/** A new instance under a free name, with the parameters that must be given. */
export function instanceOf(item: Item, c: Composition): NewInstance {
  const wish = item.file ? baseName(item.name).replace(/\.xml$/i, '') : item.name;
  const needed = (item.parameters ?? []).filter((p) => p.initial === undefined);
  return {
    kind: item.kind as InstanceKind,
    name: freeName(wish, c.instances.map((i) => i.name)),
    ...(item.file ? { file: item.name } : { type: item.name }),
    parameters: needed.map((p) => ({ name: p.name, value: placeholder(p) })),
  };
}
