// What a camera should show: spheres around bodies.
import type { Body, Quat, Vec } from './format';
import { add, dot, norm, rotate, scaled, subtract } from './math';

export interface Sphere {
  centre: Vec;
  radius: number;
}

/** The spheres of the shapes of a body, in its axes. Globes, axes, plumes and what is the ground do not count. */
export function spheresOf(b: Pick<Body, 'shapes' | 'points'>): Sphere[] {
  const all: Sphere[] = [];
  for (const s of b.shapes ?? []) {
    if (s.role === 'ground' || s.role === 'field') continue;
    const at = s.at ?? [0, 0, 0];
    if (s.shape === 'file') all.push(...(s.bounds ? [s.bounds] : spheresOf({ shapes: s.instead })));
    if (s.shape === 'line') for (const p of s.points ?? []) all.push({ centre: add(at, p), radius: s.radius ?? 0 });
    const own = s.shape === 'box' ? norm(s.size ?? [1, 1, 1]) / 2 : ['cylinder', 'cone', 'sphere'].includes(s.shape) ? Math.hypot(s.radius ?? 0, (s.length ?? 0) / 2) : 0;
    if (own > 0) all.push({ centre: at, radius: own });
  }
  for (const p of b.points ?? []) all.push({ centre: p.at, radius: 0 });
  return all;
}

/** The distance of the farthest point of a body from its origin, about. */
export const radiusOf = (b: Body): number => Math.max(0, ...spheresOf(b).map((s) => norm(s.centre) + s.radius));

/** Half of a body is within this distance from its origin: booms do not count. */
export function coreOf(b: Body): number {
  const far = spheresOf(b).map((s) => norm(s.centre) + s.radius);
  far.sort((a, c) => a - c);
  return far[Math.floor(far.length / 2)] ?? 0;
}

/** What a camera of this attitude sees in full: where to look, and from how far. */
export function fitted(spheres: Sphere[], attitude: Quat, fieldOfView: number, aspect: number): { centre: Vec; distance: number } {
  const [right, up, back] = [rotate(attitude, [1, 0, 0]), rotate(attitude, [0, 1, 0]), rotate(attitude, [0, 0, 1])];
  const tangent = [Math.tan(fieldOfView / 2) * aspect, Math.tan(fieldOfView / 2)];
  const middle = [right, up, back].map((axis) => {
    const low = Math.min(...spheres.map((s) => dot(s.centre, axis) - s.radius)), high = Math.max(...spheres.map((s) => dot(s.centre, axis) + s.radius));
    return (low + high) / 2;
  });
  const centre = add(add(scaled(right, middle[0]), scaled(up, middle[1])), scaled(back, middle[2]));
  let distance = 0;
  for (const s of spheres) {
    const from = subtract(s.centre, centre);
    [right, up].forEach((axis, i) => {
      // a sphere touches the side of the picture, whose normal is at an angle to the axis
      const across = Math.abs(dot(from, axis)) + s.radius * Math.hypot(1, tangent[i]);
      distance = Math.max(distance, across / tangent[i] + dot(from, back));
    });
  }
  return { centre, distance };
}
