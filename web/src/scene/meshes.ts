// Shapes that keep their form, as meshes.
import {
  BackSide,
  BoxGeometry,
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  EdgesGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import type { Shape, Vec } from './format';
import { norm, subtract, zTo } from './math';
import type { Palette } from './palette';

/** Frees what the graphics card holds of an object and of all within it. */
export function dispose(object: Object3D): void {
  object.traverse((o) => {
    const mesh = o as Partial<Mesh>;
    mesh.geometry?.dispose();
    for (const m of Array.isArray(mesh.material) ? mesh.material : [mesh.material]) {
      const map = (m as Partial<MeshLambertMaterial> | undefined)?.map;
      (map?.source.data as Partial<ImageBitmap> | undefined)?.close?.();
      map?.dispose();
      m?.dispose();
    }
  });
}

/** Cylinders and cones of three have their axis along y; ours is z. */
function upright<G extends BufferGeometry>(g: G): G {
  g.rotateX(Math.PI / 2);
  return g;
}

export const solid = (colour: number): MeshLambertMaterial => new MeshLambertMaterial({ color: colour, side: DoubleSide });

function edged(g: BufferGeometry, material: MeshLambertMaterial, palette: Palette, angle = 25): Group {
  const group = new Group();
  group.add(new Mesh(g, material));
  const edges = new LineSegments(new EdgesGeometry(g, angle), new LineBasicMaterial({ color: palette.edge, transparent: true, opacity: 0.45 }));
  edges.raycast = () => {};
  group.add(edges);
  return group;
}

function segment(from: Vec, to: Vec, radius: number, material: MeshLambertMaterial): Mesh {
  const way = subtract(to, from);
  const mesh = new Mesh(upright(new CylinderGeometry(radius, radius, norm(way), 14)), material);
  mesh.position.set((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2);
  mesh.quaternion.set(...zTo(way));
  return mesh;
}

/** The cells of a panel: lines on both of its faces. */
function cells(size: Vec, palette: Palette): LineSegments {
  const thin = size.indexOf(Math.min(...size));
  const [u, v] = [0, 1, 2].filter((i) => i !== thin);
  const edge = Math.max(Math.min(size[u], size[v]) / 3, Math.max(size[u], size[v]) / 24);
  const points: number[] = [];
  const put = (a: number, b: number, side: number) => {
    const p = [0, 0, 0];
    p[u] = a;
    p[v] = b;
    p[thin] = side * (size[thin] / 2 + 1e-3 * edge);
    points.push(...p);
  };
  for (const side of [-1, 1])
    for (const [a, b] of [
      [u, v],
      [v, u],
    ]) {
      const n = Math.max(1, Math.round(size[a] / edge));
      for (let i = 1; i < n; ++i) {
        const at = (i / n - 0.5) * size[a];
        for (const end of [-0.5, 0.5]) a === u ? put(at, end * size[b], side) : put(end * size[b], at, side);
      }
    }
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(points, 3));
  const lines = new LineSegments(g, new LineBasicMaterial({ color: palette.background, transparent: true, opacity: 0.35 }));
  lines.raycast = () => {};
  return lines;
}

/** Three arrows of unit length in the colours of x, y and z. */
export function axes(palette: Palette): Group {
  const group = new Group();
  palette.axes.forEach((colour, i) => {
    const to: Vec = [0, 0, 0];
    to[i] = 1;
    const arrow = new Group();
    const material = new MeshBasicMaterial({ color: colour });
    const shaft = new Mesh(upright(new CylinderGeometry(0.007, 0.007, 0.9, 8)).translate(0, 0, 0.45), material);
    const head = new Mesh(upright(new ConeGeometry(0.025, 0.09, 12)).translate(0, 0, 0.955), material);
    arrow.add(shaft, head);
    arrow.quaternion.set(...zTo(to));
    group.add(arrow);
  });
  group.traverse((o) => (o.raycast = () => {}));
  return group;
}

/** An arrow of unit length along z. */
export function arrow(colour: number): Group {
  const group = new Group();
  const material = new MeshLambertMaterial({ color: colour, emissive: colour, emissiveIntensity: 0.35 });
  group.add(new Mesh(upright(new CylinderGeometry(0.011, 0.011, 0.88, 12)).translate(0, 0, 0.44), material));
  group.add(new Mesh(upright(new ConeGeometry(0.034, 0.12, 16)).translate(0, 0, 0.94), material));
  group.traverse((o) => (o.raycast = () => {}));
  return group;
}

/** A jet of unit length along z: bright inside, fading outside. */
export function jet(): Group {
  const group = new Group();
  for (const [radius, opacity, colour] of [
    [1, 0.25, 0xff9d2e],
    [0.55, 0.5, 0xffd27a],
  ]) {
    const cone = new Mesh(
      upright(new CylinderGeometry(0.12 * radius, radius, 1, 20, 1, true)).rotateX(Math.PI).translate(0, 0, 0.5),
      new MeshBasicMaterial({ color: colour, transparent: true, opacity, depthWrite: false, side: DoubleSide }),
    );
    group.add(cone);
  }
  group.traverse((o) => (o.raycast = () => {}));
  return group;
}

/** Makes a box show what is inside. */
export function opened(box: Object3D): void {
  box.traverse((o) => {
    const material = (o as Partial<Mesh>).material;
    if (!(material instanceof MeshLambertMaterial)) return;
    material.transparent = true;
    material.opacity = 0.45;
    material.depthWrite = false;
  });
}

/** A shape that does not change; nothing for those that do. */
export function meshOf(s: Shape, palette: Palette): Object3D | undefined {
  const colour = palette.roles[s.role ?? 'part'] ?? palette.roles.part;
  const object = new Group();
  switch (s.shape) {
    case 'box': {
      const size = s.size ?? [1, 1, 1];
      const most = Math.max(...size);
      const drawn = size.map((e) => Math.max(e, 0.004 * most)) as Vec;
      object.add(edged(new BoxGeometry(...drawn), solid(colour), palette));
      if (s.role === 'panel') object.add(cells(drawn, palette));
      break;
    }
    case 'cylinder': {
      const r = s.radius ?? 1;
      object.add(edged(upright(new CylinderGeometry(r, r, Math.max(s.length ?? 0, 0.05 * r), 36)), solid(colour), palette));
      if (s.role === 'wheel') {
        // spokes, so that it is seen to turn
        for (const turn of [0, Math.PI / 2]) {
          const spoke = new Mesh(new BoxGeometry(1.7 * r, 0.12 * r, 1.06 * Math.max(s.length ?? 0, 0.05 * r)), solid(palette.background));
          spoke.rotation.z = turn;
          object.add(spoke);
        }
      }
      break;
    }
    case 'cone':
      object.add(edged(upright(new CylinderGeometry(s.top ?? 0, s.radius ?? 1, s.length ?? 1, 28, 1, true)), solid(colour), palette, 40));
      break;
    case 'sphere':
      object.add(new Mesh(new SphereGeometry(s.radius ?? 1, 32, 20), solid(colour)));
      break;
    case 'line': {
      const material = solid(colour);
      const points = s.points ?? [];
      for (let i = 1; i < points.length; ++i) object.add(segment(points[i - 1], points[i], s.radius ?? 0.01, material));
      break;
    }
    default:
      return undefined;
  }
  if (s.at) object.position.set(...s.at);
  if (s.rotation) object.quaternion.copy(new Quaternion(...s.rotation));
  return object;
}

/** A flat grid around the origin, normal to z, and the distance of its lines. */
export function floor(size: number, palette: Palette): { object: LineSegments; step: number } {
  const step = [1, 2, 5].map((k) => k * 10 ** Math.floor(Math.log10(size / 5))).findLast((s) => s <= size / 4) ?? size / 4;
  const n = Math.ceil(size / step);
  const points: number[] = [];
  for (let i = -n; i <= n; ++i) points.push(i * step, -n * step, 0, i * step, n * step, 0, -n * step, i * step, 0, n * step, i * step, 0);
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(points, 3));
  const lines = new LineSegments(g, new LineBasicMaterial({ color: palette.grid, transparent: true, opacity: 0.8 }));
  lines.raycast = () => {};
  return { object: lines, step };
}

/** The lines of equal longitude and latitude of a unit sphere. */
function graticule(palette: Palette): LineSegments {
  const points: number[] = [];
  const at = (longitude: number, latitude: number) => {
    const [l, b] = [(longitude * Math.PI) / 180, (latitude * Math.PI) / 180];
    points.push(Math.cos(b) * Math.cos(l), Math.cos(b) * Math.sin(l), Math.sin(b));
  };
  for (let l = 0; l < 360; l += 30) for (let b = -90; b < 90; b += 5) at(l, b), at(l, b + 5);
  for (let b = -60; b <= 60; b += 30) for (let l = 0; l < 360; l += 5) at(l, b), at(l + 5, b);
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(points, 3));
  return new LineSegments(g, new LineBasicMaterial({ color: palette.background, transparent: true, opacity: 0.35 }));
}

/** A line of a magnetic field. */
export function fieldLine(points: Vec[], palette: Palette): Line {
  const g = new BufferGeometry();
  g.setAttribute('position', new Float32BufferAttribute(points.flat(), 3));
  const line = new Line(g, new LineBasicMaterial({ color: palette.arrows.field, transparent: true, opacity: 0.6 }));
  line.raycast = () => {};
  return line;
}

/** A planet of its radius, with z as its pole. */
export function globe(planet: string, radius: number, palette: Palette, coast?: Float32Array): Group {
  const group = new Group();
  const colour = planet === 'moon' ? palette.moon : planet === 'sun' ? palette.sun : palette.ocean;
  const ball = new SphereGeometry(1, 96, 64).rotateX(Math.PI / 2);
  group.add(new Mesh(ball, planet === 'sun' ? new MeshBasicMaterial({ color: colour }) : new MeshLambertMaterial({ color: colour })));
  if (planet === 'earth') {
    const lines = graticule(palette);
    lines.scale.setScalar(1.0015);
    group.add(lines);
    if (coast) {
      const g = new BufferGeometry();
      g.setAttribute('position', new Float32BufferAttribute(coast, 3));
      const shore = new LineSegments(g, new LineBasicMaterial({ color: palette.background, transparent: true, opacity: 0.9 }));
      shore.scale.setScalar(1.002);
      group.add(shore);
    }
    const air = new Mesh(new SphereGeometry(1.02, 64, 40), new MeshBasicMaterial({ color: palette.glow, transparent: true, opacity: 0.25, side: BackSide, depthWrite: false }));
    group.add(air);
  }
  group.scale.setScalar(radius);
  group.traverse((o) => (o.raycast = () => {}));
  return group;
}

/** The tip of an arrow of three in world axes. */
export const direction = (v: Vec): Vector3 => new Vector3(...v).normalize();
