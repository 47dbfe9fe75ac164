// The requests for editing, formats/desktop/README.md.
import type { Problem as Plain } from '../protocol/messages';

/** The text at a place is replaced; length 0: it is inserted. */
export interface Fix {
  file: string;
  line: number;
  column: number;
  length: number;
  text: string;
}

export interface Problem extends Plain {
  mark?: string;
  body?: string[];
  fix?: Fix[];
}

export interface Port {
  name: string;
  flow: 'signal' | 'event' | 'stream';
  scalar: string;
  unit: string;
  dimension: string;
  count: number;
  frame?: string;
  initial?: number[];
  description: string;
}

export interface ParameterSpec {
  name: string;
  kind: 'real' | 'integer' | 'boolean' | 'text' | 'choice' | 'file';
  unit: string;
  dimension: string;
  count: number;
  description: string;
  initial?: string; // missing: it must be given
  choices?: string[];
}

export interface Described {
  name: string;
  kind: string;
  summary: string;
  made: boolean; // false: the ports are not known
  equations?: boolean; // of a type: a <system>
  inputs: Port[];
  outputs: Port[];
  states: Port[];
  parameters: ParameterSpec[];
}

export interface CatalogueType extends Omit<Described, 'name'> {
  type: string;
}

export interface Catalogue {
  types: CatalogueType[];
  documents: { root: string; summary: string; kind: string }[];
  files: { file: string; root: string; kind: string }[];
  templates: { name: string; summary: string; document: string }[];
}

export interface AttributeForm {
  name: string;
  required?: boolean;
  initial?: string;
  choices?: string[];
}

export interface ElementForm {
  comment?: string;
  content?: string;
  text?: boolean;
  children: string[];
  attributes: AttributeForm[];
}

export interface Unit {
  unit: string;
  dimension: string;
  quantity: string;
}

export interface Grammar {
  roots: Record<string, { dtd: string; elements: Record<string, ElementForm> }>;
  units: Unit[];
  functions: string[];
}

export interface SourceFile {
  file: string;
  text: string;
  digest?: string;
}
