// Vectors and turns in double precision: positions of 7e6 m beside bodies of 0.1 m.
import type { Quat, Vec } from './format';

export interface Pose {
  p: Vec;
  q: Quat;
}

export const origin: Readonly<Pose> = { p: [0, 0, 0], q: [0, 0, 0, 1] };

export const add = (a: Vec, b: Vec): Vec => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a: Vec, s: number): Vec => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec, b: Vec): Vec => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = (a: Vec): number => Math.hypot(a[0], a[1], a[2]);

/** Components in the outer axes of a vector given in the inner ones. */
export function rotate(q: Quat, v: Vec): Vec {
  const u: Vec = [q[0], q[1], q[2]];
  const t = scaled(cross(u, v), 2);
  return add(add(v, scaled(t, q[3])), cross(u, t));
}

/** Turns from the axes of a on to those that b is relative to. */
export function multiply(a: Quat, b: Quat): Quat {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

export const inverse = (q: Quat): Quat => [-q[0], -q[1], -q[2], q[3]];

export function normalised(q: Quat): Quat {
  const n = Math.hypot(q[0], q[1], q[2], q[3]);
  return n > 0 ? [q[0] / n, q[1] / n, q[2] / n, q[3] / n] : [0, 0, 0, 1];
}

/** A right-handed turn about a unit vector. */
export function turned(axis: Vec, angle: number): Quat {
  const s = Math.sin(angle / 2);
  return [axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(angle / 2)];
}

/** A turn by a rotation vector. */
export function turnedBy(v: Vec): Quat {
  const angle = norm(v);
  return angle > 0 ? turned(scaled(v, 1 / angle), angle) : [0, 0, 0, 1];
}

/** The turn that takes z to a direction. */
export function zTo(direction: Vec): Quat {
  const n = norm(direction);
  if (!(n > 0)) return [0, 0, 0, 1];
  const [x, y, z] = scaled(direction, 1 / n);
  return z < -1 + 1e-12 ? [1, 0, 0, 0] : normalised([-y, x, 0, 1 + z]);
}

/** A point given in the axes of a pose. */
export const placed = (pose: Pose, v: Vec): Vec => add(pose.p, rotate(pose.q, v));
