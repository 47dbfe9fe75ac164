// The ellipse that a craft is on.
import type { Vec } from './format';
import { add, cross, dot, norm, scaled, subtract } from './math';

/** Points of the osculating orbit by equal steps of the eccentric anomaly; none for one that does not close. */
export function ellipse(r: Vec, v: Vec, mu: number, points: number): Vec[] {
  const h = cross(r, v);
  const e = subtract(scaled(cross(v, h), 1 / mu), scaled(r, 1 / norm(r)));
  const eccentricity = norm(e);
  const a = 1 / (2 / norm(r) - dot(v, v) / mu);
  if (!(a > 0) || !(eccentricity < 1) || !(norm(h) > 0)) return [];
  // the axes of the ellipse: to the perigee, and across it
  const x = eccentricity > 1e-9 ? scaled(e, 1 / eccentricity) : scaled(r, 1 / norm(r));
  const y = cross(scaled(h, 1 / norm(h)), x);
  const b = a * Math.sqrt(1 - eccentricity * eccentricity);
  return Array.from({ length: points }, (_, i) => {
    const anomaly = (2 * Math.PI * i) / points;
    return add(scaled(x, a * (Math.cos(anomaly) - eccentricity)), scaled(y, b * Math.sin(anomaly)));
  });
}
