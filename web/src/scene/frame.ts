// What a camera should show: spheres around bodies.
import type { Body, Shape, Vec } from './format';
import { add, norm, scaled, subtract } from './math';

export interface Sphere {
  centre: Vec;
  radius: number;
}

/** The distance of the farthest point of a shape from the origin of its body, about. Globes, axes and plumes do not count. */
export function reachOf(s: Shape): number {
  if (s.shape === 'globe' || s.shape === 'axes' || s.shape === 'plume' || s.shape === 'truss' || s.shape === 'sheet') return 0;
  const own = s.shape === 'line' ? Math.max(...(s.points ?? []).map(norm), 0) : Math.max(s.size ? norm(s.size) / 2 : 0, s.radius ?? 0, (s.length ?? 0) / 2);
  return norm(s.at ?? [0, 0, 0]) + own;
}

export function radiusOf(b: Body): number {
  return Math.max(0, ...(b.shapes ?? []).map(reachOf), ...(b.points ?? []).map((p) => norm(p.at)));
}

/** A small sphere around spheres: the first that contains both, one after the other. */
export function around(spheres: Sphere[]): Sphere | undefined {
  let all: Sphere | undefined;
  for (const s of spheres) {
    if (!all) {
      all = s;
      continue;
    }
    const way = subtract(s.centre, all.centre);
    const d = norm(way);
    if (d + s.radius <= all.radius) continue;
    if (d + all.radius <= s.radius) {
      all = s;
      continue;
    }
    const radius = (d + s.radius + all.radius) / 2;
    all = { centre: add(all.centre, scaled(way, (radius - all.radius) / d)), radius };
  }
  return all;
}
