// A camera that goes round a target: angles and distance.
import type { Quat, Vec } from './format';
import { add, multiply, normalised, rotate, scaled, turned } from './math';

export interface Orbit {
  azimuth: number; // rad, about the upward axis
  elevation: number; // rad
  distance: number; // m
  shift: Vec; // m, of what is looked at from the target
}

export const start: Readonly<Orbit> = { azimuth: -0.9, elevation: 0.42, distance: 10, shift: [0, 0, 0] };

const steepest = Math.PI / 2 - 1e-3;

/** The turn of a camera that looks along its -z, with its y up; z of the axes is up. */
export function attitude(o: Orbit): Quat {
  // at azimuth and elevation 0 it stands on x and looks to -x
  const level: Quat = [0.5, 0.5, 0.5, 0.5];
  return normalised(multiply(multiply(turned([0, 0, 1], o.azimuth), turned([0, 1, 0], -o.elevation)), level));
}

/** Where it stands, from the target. */
export const position = (o: Orbit): Vec => add(o.shift, rotate(attitude(o), [0, 0, o.distance]));

export function turnedAround(o: Orbit, right: number, up: number): Orbit {
  const elevation = Math.max(-steepest, Math.min(steepest, o.elevation + up));
  return { ...o, azimuth: (o.azimuth - right) % (2 * Math.PI), elevation };
}

export function zoomed(o: Orbit, factor: number, nearest: number, farthest: number): Orbit {
  return { ...o, distance: Math.max(nearest, Math.min(farthest, o.distance * factor)) };
}

/** Moves along the picture; by shares of its height. */
export function panned(o: Orbit, right: number, up: number, fieldOfView: number): Orbit {
  const height = 2 * o.distance * Math.tan(fieldOfView / 2);
  const by = scaled(rotate(attitude(o), [-right, -up, 0]), height);
  return { ...o, shift: add(o.shift, by) };
}

/** Between two cameras, for a movement. */
export function between(a: Orbit, b: Orbit, share: number): Orbit {
  const s = share * share * (3 - 2 * share);
  const mix = (x: number, y: number) => x + (y - x) * s;
  let turn = (b.azimuth - a.azimuth) % (2 * Math.PI);
  if (turn > Math.PI) turn -= 2 * Math.PI;
  if (turn < -Math.PI) turn += 2 * Math.PI;
  return {
    azimuth: a.azimuth + turn * s,
    elevation: mix(a.elevation, b.elevation),
    distance: Math.exp(mix(Math.log(a.distance), Math.log(b.distance))),
    shift: [mix(a.shift[0], b.shift[0]), mix(a.shift[1], b.shift[1]), mix(a.shift[2], b.shift[2])],
  };
}
