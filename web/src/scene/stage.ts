// The bodies of a scene as objects of three. Every object is placed relative to the camera, which is the origin: so bodies
// of 0.1 m are exact at 7e6 m from the centre of the Earth.
import { Group, type Object3D, type Quaternion, Scene as Graph, Vector3 } from 'three';
import type { Arrow, Body, Scene, Shape, Vec } from './format';
import { coreOf, radiusOf, spheresOf } from './frame';
import { type Pose, dot, inverse, norm, placed, rotate, scaled, subtract, zTo } from './math';
import { arrow, axes, dispose, fieldLine, floor, globe, jet, meshOf, opened } from './meshes';
import { Bars, Sheet, smooth, Track, Tube } from './moving';
import { ellipse } from './orbit';
import type { Palette } from './palette';
import { bent, type Conditions, modal, values } from './pose';
import { coast } from './coast';

const pieces = 6; // of a curve between two bodies
const ellipsePoints = 720;

interface Plume {
  object: Group;
  shape: Shape;
}
interface Drawn {
  body: Body;
  near: Group;
  far?: Group;
  field?: Group; // lines of a planet's magnetic field, part of `far`
  bends: (Bars | Sheet)[];
  plumes: Plume[];
  axes?: Group;
  frame?: Group;
  radius: number;
  core: number;
  boxes: { mesh: Object3D; shape: Shape }[]; // whose dimensions nobody gave
  files: { shape: Shape; object?: Object3D; fault?: string }[];
}

/** An arrow and what it shows. */
interface Drawing {
  object: Group;
  of: Arrow;
}

export interface Shown {
  axes: boolean;
  field: boolean;
  vectors: Set<string>;
}

export class Stage {
  readonly near = new Graph();
  readonly far = new Graph();
  readonly bodies = new Map<string, Drawn>();
  readonly largest = new Map<string, number>(); // of arrows and plumes, as seen
  readonly #palette: Palette;
  readonly #tubes: { tube: Tube; curve: NonNullable<Scene['curves']>[number] }[] = [];
  readonly #arrows: Drawing[] = [];
  #added: Drawing[] = [];
  readonly #orbits: { track: Track; tangent: Track; body: Body }[] = [];
  readonly #up: Vec;
  #floor: Object3D | undefined;
  #floorAt: Vec = [0, 0, 0];
  #opened = false;
  #disposed = false;
  readonly #loaded: () => void;

  /** `loaded` is called when a file has come, or is known not to. */
  constructor(scene: Scene, palette: Palette, loaded: () => void) {
    this.#loaded = loaded;
    this.#up = scene.up ?? [0, 0, 1];
    this.#palette = palette;
    for (const body of scene.bodies) this.#add(body);
    for (const curve of scene.curves ?? []) {
      const rings = curve.through.length < 3 ? curve.through.length : (curve.through.length - 1) * pieces + 1;
      const tube = new Tube(rings, curve.radius, palette.roles[curve.role] ?? palette.roles.boom);
      this.near.add(tube.object);
      this.#tubes.push({ tube, curve });
    }
    for (const of of scene.vectors ?? []) this.#arrows.push(this.#arrow(of));
  }

  #arrow(of: Arrow): Drawing {
    const object = arrow(this.#palette.arrows[of.role] ?? this.#palette.arrows.field);
    object.visible = false;
    this.near.add(object);
    return { object, of };
  }

  /** Arrows besides those of the scene; they replace the ones of the last call. */
  add(arrows: Arrow[]): void {
    for (const { object } of this.#added) {
      this.near.remove(object);
      dispose(object);
    }
    this.#added = arrows.filter((a) => this.bodies.has(a.of)).map((a) => this.#arrow(a));
  }

  /** Those that are drawn: where their tips point, in the axes of the scene. */
  arrows(): Record<string, Vec> {
    const drawn = [...this.#arrows, ...this.#added].filter((a) => a.object.visible);
    return Object.fromEntries(drawn.map(({ object, of }) => [of.name, new Vector3(0, 0, object.scale.z).applyQuaternion(object.quaternion).toArray() as Vec]));
  }

  #add(body: Body): void {
    const palette = this.#palette;
    const near = new Group();
    near.name = body.name;
    const drawn: Drawn = { body, near, bends: [], plumes: [], radius: radiusOf(body), core: coreOf(body), boxes: [], files: [] };
    for (const s of body.shapes ?? []) {
      if (s.shape === 'globe') {
        drawn.far ??= new Group();
        drawn.far.add(globe(s.planet ?? '', s.radius ?? 1, palette, coast()));
      } else if (s.shape === 'line' && s.role === 'field') {
        drawn.field ??= new Group();
        drawn.field.add(fieldLine(s.points ?? [], palette));
      } else if (s.shape === 'truss') {
        drawn.bends.push(new Bars(s.members ?? [], s.blocks ?? [], s.radius ?? 0.01, palette.roles[s.role ?? 'boom'] ?? palette.roles.boom, palette.roles.bus));
      } else if (s.shape === 'sheet') {
        drawn.bends.push(new Sheet(s.quads ?? [], palette.roles[s.role ?? 'panel'] ?? palette.roles.panel));
      } else if (s.shape === 'plume') {
        const object = jet();
        object.visible = false;
        near.add(object);
        drawn.plumes.push({ object, shape: s });
      } else if (s.shape === 'axes') {
        drawn.frame = axes(palette);
        (s.length === undefined ? this.near : near).add(drawn.frame);
        if (s.length !== undefined) drawn.frame.scale.setScalar(s.length);
      } else if (s.shape === 'file') {
        void this.#load(drawn, s);
      } else {
        const mesh = meshOf(s, palette);
        if (!mesh) continue;
        near.add(mesh);
        if (s.shape === 'box' && s.assumed) drawn.boxes.push({ mesh, shape: s });
      }
    }
    for (const b of drawn.bends) near.add(b.object);
    if (drawn.field) (drawn.far ??= new Group()).add(drawn.field);
    if (body.kind === 'craft' && !drawn.frame) {
      drawn.axes = axes(palette);
      drawn.axes.scale.setScalar(1.35 * (drawn.core || 1));
      near.add(drawn.axes);
    }
    if (body.orbit) {
      const track = new Track(ellipsePoints + 1, palette.orbit, 0.9);
      const tangent = new Track(2, palette.orbit, 0.6);
      this.far.add(track.object);
      this.near.add(tangent.object);
      this.#orbits.push({ track, tangent, body });
    }
    this.near.add(near);
    if (drawn.far) this.far.add(drawn.far);
    this.bodies.set(body.name, drawn);
  }

  /** Shows what stands for a file until it is there. */
  async #load(drawn: Drawn, s: Shape): Promise<void> {
    const file: Drawn['files'][number] = { shape: s };
    drawn.files.push(file);
    const before = new Group();
    for (const i of s.instead ?? []) {
      const mesh = meshOf(i, this.#palette);
      if (!mesh) continue;
      before.add(mesh);
      if (i.shape === 'box') drawn.boxes.push({ mesh, shape: i });
    }
    drawn.near.add(before);
    try {
      if (s.file === undefined) throw new Error('it was left out');
      const { load } = await import('./files');
      const { object, bounds } = await load(s, this.#palette.roles[s.role ?? 'part'] ?? this.#palette.roles.part);
      if (this.#disposed) return dispose(object);
      drawn.near.remove(before);
      dispose(before);
      drawn.near.add(object);
      file.object = object;
      s.bounds = bounds;
      drawn.radius = radiusOf(drawn.body);
      drawn.core = coreOf(drawn.body);
      drawn.axes?.scale.setScalar(1.35 * (drawn.core || 1));
    } catch (e) {
      file.fault = e instanceof Error ? e.message : String(e);
    }
    if (!this.#disposed) this.#loaded();
  }

  /** Takes a value for its largest so far; the share of it. */
  #share(key: string, value: number, full?: number): number {
    const most = full ?? Math.max(this.largest.get(key) ?? 0, value);
    this.largest.set(key, most);
    return most > 0 ? value / most : 0;
  }

  /** Places everything as seen from `eye`, in the axes of the scene. `distance`: of what is looked at. */
  place(poses: Map<string, Pose>, eye: Vec, distance: number, shown: Shown, c: Conditions): void {
    if (!this.#opened) this.#open(poses);
    const globes = [...this.bodies.values()].flatMap((d) => (d.far ? [{ at: poses.get(d.body.name)!.p, radius: globeRadius(d.body) }] : []));
    for (const d of this.bodies.values()) {
      const pose = poses.get(d.body.name)!;
      const at = subtract(pose.p, eye);
      for (const group of [d.near, d.far]) {
        if (!group) continue;
        group.position.set(...at);
        (group.quaternion as Quaternion).set(...pose.q);
      }
      d.near.visible = !globes.some((g) => hidden(eye, pose.p, g.at, g.radius));
      if (d.body.points && d.bends.length > 0) {
        const eta = d.body.modes ? modal(d.body.modes, c) : [];
        const points = d.body.points.map((p) => bent(p, eta));
        for (const b of d.bends) b.update(points);
      }
      for (const { object, shape } of d.plumes) {
        const thrust = shape.by ? (values(shape.by, c.sample, c.time)?.[0] ?? 0) : 0;
        const share = this.#share(`plumes ${shape.length}`, Math.max(0, thrust), shape.full);
        object.visible = share > 1e-3;
        object.position.set(...(shape.at ?? [0, 0, 0]));
        object.quaternion.set(...zTo(shape.direction ?? [0, 0, 1]));
        const wide = (shape.radius ?? 0.2 * (shape.length ?? 1)) * (0.6 + 0.4 * share);
        object.scale.set(wide, wide, (shape.length ?? 1) * share);
      }
      if (d.axes) d.axes.visible = shown.axes;
      if (d.field) d.field.visible = shown.field;
      if (d.frame && d.frame.parent === this.near) {
        d.frame.visible = shown.axes;
        d.frame.position.set(...at);
        d.frame.quaternion.set(...pose.q);
        d.frame.scale.setScalar(0.1 * distance);
      }
    }
    for (const { tube, curve } of this.#tubes) {
      const through = curve.through.map((t) => subtract(placed(poses.get(t.body)!, t.at), eye));
      tube.update(smooth(through, pieces));
    }
    for (const { object, of } of [...this.#arrows, ...this.#added]) {
      const pose = poses.get(of.of);
      const v = shown.vectors.has(of.name) ? values(of.by, c.sample, c.time) : undefined;
      object.visible = pose !== undefined && v !== undefined && Math.hypot(...v) > 0 && this.bodies.get(of.of)!.near.visible;
      if (!object.visible || !pose || !v) continue;
      const axesOf = of.axes === undefined ? undefined : poses.get(of.axes);
      const world = axesOf ? subtract(placed(axesOf, v as Vec), axesOf.p) : (v as Vec);
      const size = 1.9 * (this.bodies.get(of.of)!.core || 0.12 * distance);
      const share = this.#share(`arrow ${of.name}`, norm(world));
      object.position.set(...subtract(pose.p, eye));
      object.quaternion.set(...zTo(world));
      const wide = size * (0.5 + 0.5 * share);
      object.scale.set(wide, wide, size * Math.max(share, 0.08));
    }
    for (const { track, tangent, body } of this.#orbits) this.#placeOrbit(track, tangent, body, poses, eye, distance, c);
    if (this.#floor) this.#floor.position.set(...subtract(this.#floorAt, eye));
  }

  /** A grid on the ground, below everything, where something stands on the ground. */
  #lay(poses: Map<string, Pose>): void {
    const all: Vec[] = [];
    let stands = false;
    let lowest = 0;
    for (const d of this.bodies.values()) {
      const pose = poses.get(d.body.name)!;
      for (const s of d.body.shapes ?? []) {
        stands ||= s.role === 'ground';
        const own = placed(pose, s.at ?? [0, 0, 0]);
        const extent = s.role === 'ground' ? Math.min(...(s.size ?? [s.length ?? 0])) / 2 : 0;
        lowest = Math.min(lowest, dot(own, this.#up) - extent);
        all.push(own);
      }
      for (const sphere of spheresOf(d.body)) all.push(placed(pose, sphere.centre));
    }
    if (!stands) return;
    const turn = zTo(this.#up);
    const flat = all.map((p) => rotate(inverse(turn), p));
    const [low, high] = [Math.min, Math.max].map((f) => [0, 1].map((i) => f(...flat.map((p) => p[i]))));
    const size = 0.75 * Math.max(high[0] - low[0], high[1] - low[1], 0.1);
    const { object, step } = floor(size, this.#palette);
    const onGrid = (x: number) => Math.round(x / step) * step;
    this.#floorAt = rotate(turn, [onGrid((low[0] + high[0]) / 2), onGrid((low[1] + high[1]) / 2), lowest]);
    object.quaternion.set(...turn);
    this.#floor = object;
    this.near.add(object);
  }

  /** Boxes that hold wheels or tanks let them be seen. */
  #open(poses: Map<string, Pose>): void {
    this.#opened = true;
    this.#lay(poses);
    const inside: Vec[] = [];
    for (const d of this.bodies.values())
      for (const s of d.body.shapes ?? []) if (s.role === 'wheel' || s.role === 'tank') inside.push(placed(poses.get(d.body.name)!, s.at ?? [0, 0, 0]));
    for (const d of this.bodies.values())
      for (const { mesh, shape } of d.boxes) {
        const pose = poses.get(d.body.name)!;
        const half = scaled(shape.size ?? [1, 1, 1], 0.5);
        const holds = inside.some((p) => {
          const own = rotate(inverse(shape.rotation ?? [0, 0, 0, 1]), subtract(rotate(inverse(pose.q), subtract(p, pose.p)), shape.at ?? [0, 0, 0]));
          return own.every((x, i) => Math.abs(x) < half[i]);
        });
        if (holds) opened(mesh);
      }
  }

  #placeOrbit(track: Track, tangent: Track, body: Body, poses: Map<string, Pose>, eye: Vec, distance: number, c: Conditions): void {
    const orbit = body.orbit!;
    const r = values(orbit.position, c.sample, c.time) as Vec | undefined;
    let v = (orbit.velocity.recorded === false ? undefined : values(orbit.velocity, c.sample, c.time)) as Vec | undefined;
    if (r && !v) {
      // by the difference of two places
      const dt = 1;
      const later = values(orbit.position, c.sample, c.time + dt), earlier = values(orbit.position, c.sample, c.time - dt);
      if (later && earlier) v = [0, 1, 2].map((i) => (later[i] - earlier[i]) / (2 * dt)) as Vec;
      if (!v || norm(v) === 0) v = orbit.velocity.start as Vec | undefined;
    }
    const centre = poses.get(orbit.about)?.p ?? [0, 0, 0];
    const points = r && v ? ellipse(r, v, orbit.mu, ellipsePoints) : [];
    track.object.visible = points.length > 0;
    tangent.object.visible = points.length > 0;
    if (points.length === 0 || !v) return;
    points.push(points[0]);
    const from = subtract(eye, centre);
    track.update(points, from);
    const at = poses.get(body.name)!.p;
    const reach = 30 * distance;
    const n = norm(v);
    tangent.update(
      [-1, 1].map((side) => [at[0] + (side * reach * v[0]) / n, at[1] + (side * reach * v[1]) / n, at[2] + (side * reach * v[2]) / n] as Vec),
      eye,
    );
  }

  dispose(): void {
    this.#disposed = true;
    dispose(this.near);
    dispose(this.far);
  }
}

export const globeRadius = (b: Body): number => Math.max(0, ...(b.shapes ?? []).filter((s) => s.shape === 'globe').map((s) => s.radius ?? 0));

/** Whether a sphere stands between an eye and a place. */
export function hidden(eye: Vec, place: Vec, centre: Vec, radius: number): boolean {
  const way = subtract(place, eye), to = subtract(centre, eye);
  const length = norm(way);
  if (!(length > 0) || norm(to) <= radius) return false;
  const along = dot(way, to) / length;
  if (along <= 0 || along >= length) return false;
  return dot(to, to) - along * along < 0.9999 * radius * radius;
}
