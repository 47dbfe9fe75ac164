// Things whose form changes: trusses and sheets that bend, tubes through bodies, lines.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Quaternion,
  Vector3,
} from 'three';
import type { Vec } from './format';
import { add, cross, dot, norm, scaled, subtract, zTo } from './math';
import { solid } from './meshes';

/** Bars between points, and blocks at points. */
export class Bars {
  readonly object = new Group();
  readonly #bars: InstancedMesh;
  readonly #cubes: InstancedMesh | undefined;
  readonly #blocks: [number, number][];
  readonly #members: [number, number][];
  readonly #matrix = new Matrix4();
  readonly #radius: number;

  constructor(members: [number, number][], blocks: [number, number][], radius: number, colour: number, ofBlocks: number) {
    this.#members = members;
    this.#blocks = blocks;
    this.#radius = radius;
    this.#bars = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8, 1).rotateX(Math.PI / 2), solid(colour), members.length);
    this.object.add(this.#bars);
    if (blocks.length > 0) {
      this.#cubes = new InstancedMesh(new BoxGeometry(1, 1, 1), solid(ofBlocks), blocks.length);
      this.object.add(this.#cubes);
    }
    this.object.traverse((o) => (o.frustumCulled = false));
  }

  update(points: Vec[]): void {
    this.#members.forEach(([a, b], i) => {
      const way = subtract(points[b], points[a]);
      const middle = scaled(add(points[a], points[b]), 0.5);
      this.#matrix.compose(new Vector3(...middle), new Quaternion(...zTo(way)), new Vector3(this.#radius, this.#radius, Math.max(norm(way), 1e-9)));
      this.#bars.setMatrixAt(i, this.#matrix);
    });
    this.#blocks.forEach(([at, edge], i) => {
      this.#matrix.makeScale(edge, edge, edge).setPosition(...points[at]);
      this.#cubes?.setMatrixAt(i, this.#matrix);
    });
    for (const mesh of [this.#bars, this.#cubes]) {
      if (!mesh) continue;
      mesh.instanceMatrix.needsUpdate = true;
      mesh.computeBoundingSphere();
    }
  }
}

/** A surface of quads between points. */
export class Sheet {
  readonly object: Mesh<BufferGeometry, MeshLambertMaterial>;
  readonly #corners: number[] = [];

  constructor(quads: [number, number, number, number][], colour: number) {
    for (const [a, b, c, d] of quads) this.#corners.push(a, b, c, a, c, d);
    const g = new BufferGeometry();
    g.setAttribute('position', new BufferAttribute(new Float32Array(3 * this.#corners.length), 3));
    this.object = new Mesh(g, new MeshLambertMaterial({ color: colour, side: DoubleSide }));
    this.object.frustumCulled = false;
  }

  update(points: Vec[]): void {
    const at = this.object.geometry.getAttribute('position') as BufferAttribute;
    this.#corners.forEach((k, i) => at.setXYZ(i, ...points[k]));
    at.needsUpdate = true;
    this.object.geometry.computeVertexNormals();
    this.object.geometry.computeBoundingSphere();
  }
}

/** Points on a smooth curve through points (Catmull and Rom). */
export function smooth(points: Vec[], pieces: number): Vec[] {
  if (points.length < 3) return points;
  const all: Vec[] = [];
  const before = (i: number): Vec => (i >= 0 ? points[i] : add(points[0], subtract(points[0], points[1])));
  const n = points.length - 1;
  const after = (i: number): Vec => (i <= n ? points[i] : add(points[n], subtract(points[n], points[n - 1])));
  for (let i = 0; i < n; ++i) {
    const [a, b, c, d] = [before(i - 1), points[i], points[i + 1], after(i + 2)];
    for (let k = 0; k < pieces; ++k) {
      const t = k / pieces;
      const w = [-0.5 * t + t * t - 0.5 * t ** 3, 1 - 2.5 * t * t + 1.5 * t ** 3, 0.5 * t + 2 * t * t - 1.5 * t ** 3, -0.5 * t * t + 0.5 * t ** 3];
      all.push(add(add(scaled(a, w[0]), scaled(b, w[1])), add(scaled(c, w[2]), scaled(d, w[3]))));
    }
  }
  all.push(points[n]);
  return all;
}

const round = 10; // corners of a tube

/** A round tube through points that move. */
export class Tube {
  readonly object: Mesh<BufferGeometry, MeshLambertMaterial>;
  readonly #radius: number;

  constructor(rings: number, radius: number, colour: number) {
    this.#radius = radius;
    const g = new BufferGeometry();
    g.setAttribute('position', new BufferAttribute(new Float32Array(3 * rings * round), 3));
    g.setAttribute('normal', new BufferAttribute(new Float32Array(3 * rings * round), 3));
    const faces: number[] = [];
    for (let i = 0; i + 1 < rings; ++i)
      for (let k = 0; k < round; ++k) {
        const a = i * round + k, b = i * round + ((k + 1) % round);
        faces.push(a, b, a + round, b, b + round, a + round);
      }
    g.setIndex(faces);
    this.object = new Mesh(g, new MeshLambertMaterial({ color: colour, side: DoubleSide }));
    this.object.frustumCulled = false;
  }

  update(points: Vec[]): void {
    const at = this.object.geometry.getAttribute('position') as BufferAttribute;
    const normals = this.object.geometry.getAttribute('normal') as BufferAttribute;
    // the side of the first ring is carried along, so that the tube does not twist
    let side: Vec | undefined;
    points.forEach((p, i) => {
      const way = subtract(points[Math.min(i + 1, points.length - 1)], points[Math.max(i - 1, 0)]);
      const along = scaled(way, 1 / Math.max(norm(way), 1e-12));
      if (!side) side = cross(along, Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]);
      side = subtract(side, scaled(along, dot(side, along)));
      side = scaled(side, 1 / Math.max(norm(side), 1e-12));
      const up = cross(along, side);
      for (let k = 0; k < round; ++k) {
        const angle = (2 * Math.PI * k) / round;
        const n = add(scaled(side, Math.cos(angle)), scaled(up, Math.sin(angle)));
        at.setXYZ(i * round + k, ...add(p, scaled(n, this.#radius)));
        normals.setXYZ(i * round + k, ...n);
      }
    });
    at.needsUpdate = normals.needsUpdate = true;
    this.object.geometry.computeBoundingSphere();
  }
}

/** A line through points that change. */
export class Track {
  readonly object: Line<BufferGeometry, LineBasicMaterial>;

  constructor(most: number, colour: number, opacity = 1) {
    const g = new BufferGeometry();
    g.setAttribute('position', new BufferAttribute(new Float32Array(3 * most), 3));
    this.object = new Line(g, new LineBasicMaterial({ color: colour, transparent: opacity < 1, opacity }));
    this.object.frustumCulled = false;
    this.object.raycast = () => {};
    g.setDrawRange(0, 0);
  }

  update(points: Vec[], from: Vec): void {
    const at = this.object.geometry.getAttribute('position') as BufferAttribute;
    const n = Math.min(points.length, at.count);
    for (let i = 0; i < n; ++i) at.setXYZ(i, points[i][0] - from[0], points[i][1] - from[1], points[i][2] - from[2]);
    this.object.geometry.setDrawRange(0, n);
    at.needsUpdate = true;
  }
}
