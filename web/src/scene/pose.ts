// Where bodies are: the steps of their poses with the values of signals.
import type { Binding, Body, Numbers, Point, Sample, Scene, Step, Vec } from './format';
import { add, multiply, normalised, origin, type Pose, rotate, scaled, turned, turnedBy } from './math';

/** The numbers of a binding; those of the start where the signal has no value. */
export function values(b: Binding, sample: Sample, time: number): Numbers | undefined {
  const count = b.count ?? 1;
  if (b.sum) {
    const terms = b.sum.map((term) => values(term, sample, time));
    if (terms.some((t) => t === undefined)) return b.start;
    return Array.from({ length: count }, (_, i) => terms.reduce((sum, t) => sum + (t?.[i] ?? 0), 0));
  }
  if (b.signal === undefined) return b.start?.map((v) => v + (b.rate ?? 0) * time);
  if (b.recorded === false) return b.start;
  const found: Numbers = [];
  for (let i = 0; i < count; ++i) {
    const v = sample(b.signal, (b.element ?? 0) + i, time);
    if (v === undefined || !Number.isFinite(v)) return b.start;
    found.push(v * (b.gain ?? 1));
  }
  return found;
}

export interface Conditions {
  sample: Sample;
  time: number;
  /** What all modal coordinates are multiplied by. */
  exaggeration: number;
  /** The angle of a step of which only the speed is known. */
  spun: (body: string, step: number) => number;
}

const three = (v: Numbers | undefined): Vec => (v && v.length >= 3 ? [v[0], v[1], v[2]] : [0, 0, 0]);

/** Σ shape_i η_i + ½ Σ_il pairs_il η_i η_l. */
export function displacement(eta: Numbers, shape: Vec[] | undefined, pairs: Vec[] | undefined): Vec {
  let d: Vec = [0, 0, 0];
  shape?.forEach((s, i) => (d = add(d, scaled(s, eta[i] ?? 0))));
  if (!pairs) return d;
  let k = 0;
  for (let i = 0; i < eta.length; ++i)
    for (let l = 0; l <= i; ++l, ++k) if (pairs[k]) d = add(d, scaled(pairs[k], (i === l ? 0.5 : 1) * eta[i] * eta[l]));
  return d;
}

export function modal(b: Binding, { sample, time, exaggeration }: Conditions): Numbers {
  return (values(b, sample, time) ?? new Array<number>(b.count ?? 1).fill(0)).map((v) => v * exaggeration);
}

function taken(pose: Pose, step: Step, body: string, index: number, c: Conditions): Pose {
  const moved = (v: Vec): Pose => ({ p: add(pose.p, rotate(pose.q, v)), q: pose.q });
  if ('offset' in step) return moved(step.offset);
  if ('rotation' in step) return { p: pose.p, q: multiply(pose.q, step.rotation) };
  if ('position' in step) return moved(three(values(step.position, c.sample, c.time)));
  if ('attitude' in step) {
    const q = values(step.attitude, c.sample, c.time);
    return q && q.length >= 4 ? { p: pose.p, q: multiply(pose.q, normalised([q[0], q[1], q[2], q[3]])) } : pose;
  }
  if ('along' in step) return moved(scaled(step.along, values(step.by, c.sample, c.time)?.[0] ?? 0));
  if ('about' in step) {
    const angle = 'speed' in step ? c.spun(body, index) : (values(step.by, c.sample, c.time)?.[0] ?? 0);
    return { p: pose.p, q: multiply(pose.q, turned(step.about, angle)) };
  }
  const eta = modal(step.modes, c);
  const { p } = moved(displacement(eta, step.shape, step.pairs));
  return { p, q: multiply(pose.q, turnedBy(displacement(eta, step.turn, undefined))) };
}

/** The pose of a body in the axes of its parent's pose. */
export function poseOf(body: Body, parent: Pose, c: Conditions): Pose {
  const pose = body.pose.reduce((at, step, i) => taken(at, step, body.name, i, c), parent);
  return { p: pose.p, q: normalised(pose.q) };
}

/** The poses of all bodies in the axes of the scene, by name; parents come before their children. */
export function posesOf(scene: Scene, c: Conditions): Map<string, Pose> {
  const all = new Map<string, Pose>();
  for (const body of scene.bodies) {
    const parent = body.parent === undefined ? undefined : all.get(body.parent);
    all.set(body.name, poseOf(body, parent ?? origin, c));
  }
  return all;
}

/** One body and those that it hangs on, outermost first. */
export function chainOf(scene: Scene, name: string): Body[] {
  const chain: Body[] = [];
  for (let at = scene.bodies.find((b) => b.name === name); at; ) {
    if (chain.includes(at)) break;
    chain.unshift(at);
    const up: string | undefined = at.parent;
    at = up === undefined ? undefined : scene.bodies.find((b) => b.name === up);
  }
  return chain;
}

/** The place of a point of a flexible body in its axes. */
export const bent = (point: Point, eta: Numbers): Vec => add(point.at, displacement(eta, point.shape, undefined));
