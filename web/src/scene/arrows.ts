// Arrows of signals that somebody has put into the picture.
import type { Arrow, Scene } from './format';

/** A signal with three values. */
export interface Vector3Signal {
  path: string;
  unit: string;
  frame?: string;
}

const roles: Record<string, string> = { 'rad/s': 'rate', 'deg/s': 'rate', N: 'force', 'N*m': 'torque', 'N*m*s': 'momentum', 'kg*m/s': 'momentum', T: 'field', 'm/s': 'velocity' };

/**
 * An arrow at the body to which the signal belongs: the one whose name its path begins with, the only craft, or the scene's first body.
 * The frame of the signal names the body in whose axes its values are ("B" is the owner); without one they are in the axes of the scene.
 */
export function arrowOf(signal: Vector3Signal, scene: Scene): Arrow | undefined {
  const bodies = scene.bodies.filter((b) => b.kind !== 'planet');
  const owners = bodies.filter((b) => signal.path === b.name || signal.path.startsWith(`${b.name}.`));
  const crafts = bodies.filter((b) => b.kind === 'craft');
  const owner = owners.sort((a, b) => b.name.length - a.name.length)[0] ?? crafts[0] ?? bodies[0];
  if (!owner) return undefined;
  const { frame } = signal;
  const axes = frame === 'B' ? owner : bodies.find((b) => b.name === frame || b.name === `${owner.name}.${frame}` || (b === owner && b.name.endsWith(`.${frame}`)));
  return {
    name: signal.path,
    of: owner.name,
    ...(axes ? { axes: axes.name } : {}),
    by: { signal: signal.path, count: 3 },
    unit: signal.unit,
    role: roles[signal.unit] ?? 'field',
  };
}
