// Scenes as formats/scene has them.

export type Numbers = number[];
export type Vec = [number, number, number];
/** x, y, z, w: components from the outer axes to the inner ones; as a Hamilton quaternion, the turn of the axes. */
export type Quat = [number, number, number, number];

export interface Binding {
  signal?: string;
  element?: number;
  count?: number;
  gain?: number;
  start?: Numbers;
  rate?: number;
  recorded?: boolean;
  sum?: Binding[];
}

export type Step =
  | { offset: Vec }
  | { rotation: Quat }
  | { position: Binding }
  | { attitude: Binding }
  | { along: Vec; by: Binding }
  | { about: Vec; by: Binding }
  | { about: Vec; speed: Binding }
  | { modes: Binding; shape?: Vec[]; turn?: Vec[]; pairs?: Vec[] };

export interface Shape {
  shape: 'box' | 'cylinder' | 'cone' | 'sphere' | 'line' | 'truss' | 'sheet' | 'plume' | 'globe' | 'axes' | 'file';
  role?: string;
  at?: Vec;
  rotation?: Quat;
  assumed?: boolean;
  size?: Vec;
  radius?: number;
  top?: number;
  length?: number;
  points?: Vec[];
  members?: [number, number][];
  quads?: [number, number, number, number][];
  blocks?: [number, number][];
  direction?: Vec;
  by?: Binding;
  full?: number;
  planet?: string;
  file?: string;
  format?: 'gltf' | 'stl' | 'obj';
  scale?: Vec;
  instead?: Shape[];
  /** Of a file, once it is there; filled by the page. In the axes of the body. */
  bounds?: { centre: Vec; radius: number };
}

export interface Point {
  at: Vec;
  shape?: Vec[];
}

export interface Body {
  name: string;
  kind: 'craft' | 'part' | 'point' | 'frame' | 'planet';
  parent?: string;
  pose: Step[];
  modes?: Binding;
  points?: Point[];
  shapes?: Shape[];
  orbit?: { about: string; mu: number; position: Binding; velocity: Binding };
  missing?: string[];
}

export interface Curve {
  name: string;
  role: string;
  radius: number;
  through: { body: string; at: Vec }[];
}

export interface Arrow {
  name: string;
  of: string;
  axes?: string;
  by: Binding;
  unit: string;
  role: string;
  shown?: boolean;
}

export interface Scene {
  version: 1;
  name: string;
  bodies: Body[];
  curves?: Curve[];
  vectors?: Arrow[];
  sun?: { by: Binding };
  up?: Vec;
  missing?: { signals: string[]; add?: string }[];
}

/** The value of an element of a signal at a time; undefined: not known, or not yet. */
export type Sample = (signal: string, element: number, time: number) => number | undefined;

/** A description that this page can draw, or a sentence that says why not. */
export function read(description: unknown): Scene | string {
  if (typeof description !== 'object' || description === null) return 'There is no description of a scene.';
  const scene = description as Partial<Scene> & { version?: unknown };
  if (scene.version !== 1) return `The scene has version ${String(scene.version)}; this page draws version 1.`;
  if (!Array.isArray(scene.bodies)) return 'The scene has no bodies.';
  return scene as Scene;
}
