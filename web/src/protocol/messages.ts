// The messages of formats/desktop/README.md, version 1.

export const protocolVersion = 1;

export type Scalar = 'real' | 'integer' | 'boolean' | 'byte' | 'event';

export interface Problem {
  severity: string;
  code: string;
  message: string;
  notes?: string[];
  file?: string;
  line?: number;
  column?: number;
  length?: number;
}

export interface Hello {
  version: string;
  protocol: number;
  host: string;
  folder: string;
  role: 'control' | 'watch';
  start: { document?: string; run?: string };
  demo?: boolean;
  report?: ReportInfo;
}

/** Only in a report: this page has no server. */
export interface ReportInfo {
  title: string;
  date: string;
  command: string[];
  left_out: string[];
  runs: string[];
}

export interface Starter {
  name: string;
  title: string;
  document: string;
  picture?: string;
}

export interface RunEntry {
  run: string;
  name: string;
  composition: string;
  status: string;
  started: string;
  reached: number | null;
  wall: number | null;
  warnings: number;
  checks_failed: number;
  late: number;
  live: boolean;
}

export interface Home {
  missions: Starter[];
  examples: Starter[];
  runs: RunEntry[];
  nodes: { name: string; address?: string; ready?: boolean }[];
}

export interface Signal {
  path: string;
  unit: string;
  frame?: string;
  description?: string;
  count: number;
  scalar: Scalar;
  held: boolean;
  rate?: string | number | null;
  rows: number;
}

export interface Figure {
  name: string;
  title?: string;
  y?: string;
  curves: { signal: number; element: number; label?: string }[];
}

export interface Manifest {
  document?: string;
  composition?: string;
  message?: string;
  set?: string[];
  checks?: { name: string; signal?: string; holds: boolean; seen?: boolean; words?: string }[];
  reports?: { name: string; signal?: string; value: number | null; unit?: string }[];
  statistics?: Record<string, number | null>;
  [member: string]: unknown;
}

export interface Opened {
  run: string;
  live: boolean;
  status: string;
  manifest: Manifest;
  begin: number;
  end: number | null;
  complete: number;
  signals: Signal[];
  events: number;
  checkpoints?: number[];
  figures: Figure[];
}

export interface RunEvent {
  time: number;
  component: string;
  kind: string;
  from: string;
  to: string;
  reason: string;
  transition: string;
  warning: boolean;
}

export interface Automaton {
  path: string;
  mode_signal: string;
  initial: string;
  locations: { name: string; line: number }[];
  transitions: {
    name: string;
    from: string;
    to: string;
    label?: string;
    condition?: string;
    reset?: string;
    line: number;
  }[];
}

export interface Parameter {
  path: string;
  value: string | number | number[];
  unit: string;
  description: string;
  kind?: string;
  given?: boolean; // the document gives it; otherwise it is a default
  live: boolean;
}

/** A node of a run, and the parts that it runs now. */
export interface NodeParts {
  node: string;
  parts: string[];
}

export interface Status {
  tell: 'status';
  run: string;
  live: boolean;
  status: string;
  frozen: boolean;
  time: number;
  factor: number;
  pulse?: Record<string, number>;
  events: number;
  lost: number;
  overrides?: string[];
  nodes?: NodeParts[]; // of a run on several nodes
  next?: string;
}

export interface Start {
  document?: string;
  run?: string;
  set?: string[];
  until?: number;
  rate?: number;
  real_time?: boolean;
  seed?: number;
  from?: string;
}

/** Times and values of one element of a signal; `complete`: every row is there. */
export interface Rows {
  t: Float64Array;
  v: Float64Array;
  complete: boolean;
}
